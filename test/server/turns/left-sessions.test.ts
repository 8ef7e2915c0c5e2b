/**
 * ACP sessions that nobody needs are let go once, and a fork begins as the agent's own fork of its
 * session (AC12).
 */
import { expect, test } from 'vitest'
import { webKey } from '../../../src/domain/conversations/key.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { nothingOffered, readyAgent, said, turnEnded } from '../../support/relay.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const path = (key: string, more = '') => `/api/conversations/${encodeURIComponent(key)}${more}`
const oid = 'a'.repeat(40)
const state = { tree: oid, leftOut: null, head: oid }

type Anything = ReturnType<typeof JSON.parse>

async function openChat() {
  const chat = await openAcpChat()
  const { machine, room, say, server } = chat
  await server.ask(`/api/projects/${room.projectId}`, {
    method: 'PATCH',
    body: { path: temporaryFolder() },
  })
  const answer = async (
    { launchId, turnId }: { launchId: string; turnId: string },
    files?: object,
  ) => {
    if (files)
      await machine.tell({ type: 'turn-files', launchId, turnId, before: files } as Anything)
    await machine.tell(said(launchId, turnId, 'yes'), {
      ...turnEnded(launchId, turnId),
      files,
    } as Anything)
  }
  await say('hello')
  const launchId = await bringUp(machine)
  const first: Anything = await machine.turn()
  return {
    ...chat,
    key: webKey(room.projectId, 'coder'),
    launchId,
    first,
    answer,
    next: (): Promise<Anything> => machine.turn(),
  }
}

test.each([
  ['reset', false],
  ['deleted', true],
])(
  '[AC12] the session of a conversation that was %s is named with the next turn, and never again',
  async (how, isDeleted) => {
    const { server, say, machine, key, launchId, first, answer, next } = await openChat()
    expect(first.leave).toBeUndefined()
    await answer(first)
    await (isDeleted
      ? server.ask(path(key), { method: 'DELETE' })
      : server.ask(path(key, `/${how}`), { method: 'POST' }))
    await say('again')
    const second = await next()
    expect(second.leave).toEqual([{ acpSessionId: `acp of ${launchId}`, isDeleted }])
    const { contextId } = second.context
    const began = {
      type: 'turn-began',
      launchId,
      turnId: second.turnId,
      contextId,
      acpSessionId: 'new',
      how: 'new',
      notRestored: null,
      ...nothingOffered,
    }
    await machine.tell(began as Anything)
    await answer(second)
    await say('once more')
    expect((await next()).leave).toBeUndefined()
  },
)

test('[CO3] [CV15] a message in a fork has its agent started when its process has ended, at once', async () => {
  const { server, machine, key, launchId, first, answer } = await openChat()
  await answer(first, { top: '/top', state, leftOut: [], changes: null })
  const forked = server.ask(path(key, `/turns/${first.turnId}/fork`), { method: 'POST', body: {} })
  const { questionId } = await machine.order('question-asked')
  const value = { folder: '/fork', top: '/fork', branch: 'fork', baseBranch: null }
  const text = JSON.stringify({ ok: true, value })
  await machine.tell({ type: 'question-answered', questionId, part: 0, text, last: true })
  const { conversation } = (await forked).json
  await machine.tell(exited(launchId, { exitCode: 0 }))
  const body = { role: 'user', content: 'in the fork' }
  await server.ask(path(conversation, '/messages'), { method: 'POST', body })
  // The clock stands still, so no scan of everything finds it.
  expect(await machine.order('launch-begun')).toMatchObject({ agentId: 'coder' })
})

test('[AC12] a fork from the last turn begins as a fork of the agent’s session; from an earlier one it is primed', async () => {
  const { server, say, machine, key, launchId, first, answer, next } = await openChat()
  const files = { top: '/top', state, leftOut: [], changes: null }
  await answer(first, files)
  await say('more')
  const second = await next()
  await answer(second, files)
  const forkFrom = async (turnId: string): Promise<Anything> => {
    const forked = server.ask(path(key, `/turns/${turnId}/fork`), { method: 'POST', body: {} })
    const { questionId } = await machine.order('question-asked')
    const value = {
      folder: `/fork ${turnId}`,
      top: `/fork ${turnId}`,
      branch: 'fork',
      baseBranch: null,
    }
    await machine.tell({
      type: 'question-answered',
      questionId,
      part: 0,
      text: JSON.stringify({ ok: true, value }),
      last: true,
    })
    const { conversation } = (await forked).json
    const body = { role: 'user', content: 'in the fork' }
    expect(
      (await server.ask(path(conversation, '/messages'), { method: 'POST', body })).status,
    ).toBe(201)
    // A fork is a session: it has a process of its own.
    const own = (await machine.order('launch-begun')).launchId
    const { acp } = machine.particulars(own)
    await machine.tell(
      started(own),
      readyAgent(own, acp.loadAcpSessionId === null ? 'new' : 'loaded'),
    )
    const turn = await next()
    await answer(turn)
    const prompt = turn.content.map(({ text }: { text: string }) => text).join('\n')
    return { ...acp, prompt }
  }
  const fromLast = await forkFrom(second.turnId)
  expect(fromLast).toMatchObject({ loadAcpSessionId: `acp of ${launchId}`, forks: true })
  expect(fromLast.prompt).toBe('in the fork')
  const fromFirst = await forkFrom(first.turnId)
  expect(fromFirst).toMatchObject({ loadAcpSessionId: null })
  expect(fromFirst.prompt).toContain('hello')
})
