/** Closes a session with its place, and opens it again by a message (SL6), with real processes. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openAgentOnServer } from '../../support/agent-on-server.ts'
import { makeRepository } from '../../support/git-repository.ts'
import { hostile } from '../../support/hostile-agent.ts'

/** A program that takes its time to end when it is told to. */
const lingering = 'trap "sleep 0.5; exit" TERM; while :; do sleep 60 & wait; done'

/** Says whether its file is there, and writes it. What it starts ends later than itself. */
const writer = hostile({
  onNew: `const { spawn } = require('node:child_process')
    spawn('sh', ['-c', ${JSON.stringify(lingering)}], { cwd: params.cwd, stdio: 'ignore' })
    globalThis.folder = params.cwd; send({ id, result: { sessionId: 's1' } })`,
  onPrompt: `const { existsSync, writeFileSync } = require('node:fs')
    const file = globalThis.folder + '/new.txt'
    const said = existsSync(file) ? 'there' : 'not there'
    writeFileSync(file, 'work\\n')
    say(said); done()`,
})

async function openSession(workplace: 'worktree' | 'checkout') {
  const room = await openAgentOnServer(writer)
  const repository = makeRepository()
  await room.ask(`/api/projects/${room.projectId}`, { path: repository.folder }, 'PATCH')
  const begun = await room.ask(`/api/projects/${room.projectId}/conversations`, {
    agentId: 'coder',
    content: 'write',
    workplace,
  })
  const at = `/api/conversations/${encodeURIComponent(begun.key)}`
  const answers = async (count: number): Promise<string> => {
    const over = async () =>
      (await room.ask(`${at}/turns`)).items.filter(
        ({ state }: { state: string }) => state !== 'queued' && state !== 'running',
      )
    await expect
      .poll(async () => (await over()).length, { timeout: 30_000, interval: 20 })
      .toBe(count)
    return (await over())[0].text
  }
  return {
    ...room,
    repository,
    key: begun.key as string,
    answers,
    read: () => room.ask(at),
    close: (body: object = {}) => room.server.ask(`${at}/close`, { method: 'POST', body }),
    say: (content: string) =>
      room.ask('/api/chat', { projectId: room.projectId, conversationKey: begun.key, content }),
  }
}

test('[SL6] what would be lost is refused with a digest; confirmed, the place goes, and a message brings it back', async () => {
  const { answers, read, close, say, gone } = await openSession('worktree')
  expect(await answers(1)).toBe('not there')
  const { folder } = (await read()).workplace
  const refused = await close()
  expect(refused).toMatchObject({ status: 409, json: { code: 'would_lose' } })
  const { digest } = refused.json
  expect(digest).toBe(refused.json.losses.digest)
  expect((await close({ confirm: 'another' })).status).toBe(409)
  expect(await read()).toMatchObject({ state: 'open' })
  expect(await close({ confirm: digest })).toMatchObject({
    status: 200,
    json: { state: 'closed', activity: 'idle' },
  })
  expect(existsSync(folder)).toBe(false)
  await gone()
  expect((await close()).json).toMatchObject({ state: 'closed' })
  await say('again')
  expect(await answers(2)).toBe('there')
  expect(await read()).toMatchObject({ state: 'open', workplace: { folder } })
})

test('[SL6] a place that is a person’s folder is left, and only a begun session that rests is closed', async () => {
  const { answers, close, repository, server, projectId, say } = await openSession('checkout')
  expect((await close()).status).toBe(409)
  await answers(1)
  expect(await close()).toMatchObject({ status: 200, json: { state: 'closed' } })
  expect(existsSync(join(repository.folder, 'new.txt'))).toBe(true)
  await say('again')
  await answers(2)
  const first = `web:${projectId}.coder`
  await server.ask('/api/conversations', { method: 'POST', body: { key: first } })
  const other = await server.ask(`/api/conversations/${encodeURIComponent(first)}/close`, {
    method: 'POST',
  })
  expect(other).toMatchObject({ status: 409, json: { code: 'wrong_state' } })
})
