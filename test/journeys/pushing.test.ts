/**
 * LD6 and LD7 with everything real but GitHub, which is a stand-in with state: a check, a push over
 * smart HTTP, a pull request made once, and a token that nobody sees.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serveRepository } from '../support/git-over-http.ts'
import { openRepositoryChat } from '../support/repository-chat.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const token = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'

async function openRoom() {
  const { repository, chat, holdfast } = await openRepositoryChat()
  const { client, projectId, agentId } = chat
  const params = { key: `web:${projectId}.${agentId}` }
  const settings = (change: object) =>
    client.patch('/api/projects/{projectId}', {
      params: { projectId },
      body: { settings: change as never },
    })
  await settings({ 'chat.workplace': 'worktree' })
  const bare = temporaryFolder()
  execFileSync('git', ['clone', '-q', '--bare', repository.folder, bare])
  const path = '/api/conversations/{key}/land'
  const plan = (how: string) => client.get(path, { params, query: { how: how as never } })
  const land = (how: string) => client.post(path, { params, body: { how: how as never } })
  const write = async (name: string) => {
    await chat.say(`Write ${name}\n[[write ${name} text]]`)
    await chat.answer()
    await expect.poll(async () => (await plan('push')).blocks.includes('agent_works')).toBe(false)
  }
  const branches = () =>
    execFileSync('git', ['-C', bare, 'for-each-ref', '--format=%(refname:short)'], {
      encoding: 'utf8',
    })
  return {
    repository,
    chat,
    holdfast,
    client,
    projectId,
    params,
    settings,
    bare,
    plan,
    land,
    write,
    branches,
  }
}

/**
 * Every file below a folder that has a word in it. The server replaces files meanwhile: what was
 * listed under a temporary name is read under its own.
 */
function filesWith(word: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(word))
}

test('[LD7] a branch is pushed and a pull request opened once, over lost answers; the token is in no file of the server', async () => {
  const room = await openRoom()
  const { repository, holdfast, client, projectId, params, plan, land, write, branches } = room
  const remote = await serveRepository(room.bare, token)
  await write('a.txt')
  expect((await plan('push')).blocks).toEqual(['no_remote'])
  repository.git('remote', 'add', 'origin', remote.address)
  const host = (body: object) =>
    client.put('/api/hosts/{host}', { params: { host: remote.host }, body: body as never })
  await expect(host({ token: 'wrong', kind: 'github' })).rejects.toMatchObject({
    problem: { status: 422, code: 'host_refused' },
  })
  await expect(land('push')).rejects.toMatchObject({ problem: { code: 'push_refused' } })
  expect(await host({ token, kind: 'github' })).toMatchObject({ host: remote.host, account: 'ada' })
  expect(JSON.stringify(await client.get('/api/hosts', {}))).not.toContain(token)
  const looked = await plan('pull-request')
  expect(looked.steps.slice(-2)).toMatchObject([
    { do: 'push', address: remote.address },
    { do: 'pull-request', repository: 'shop/web', base: 'main', title: 'Write a.txt' },
  ])
  remote.faults.push(429, 503, 'lost')
  const landed = await land('pull-request')
  expect(landed).toMatchObject({ state: 'done' })
  expect(landed.steps.at(-1)).toMatchObject({ result: { number: 1, state: 'open' } })
  expect(remote.pulls).toMatchObject([{ base: 'main', title: 'Write a.txt' }])
  expect(branches()).toContain(remote.pulls[0]?.head)
  // Again: the same pull request has the new work.
  await write('b.txt')
  expect((await land('pull-request')).steps.at(-1)).toMatchObject({ result: { number: 1 } })
  expect(remote.pulls).toHaveLength(1)
  expect(filesWith(token, holdfast.data)).toEqual([])
  // The repository names another remote: nothing is sent to either.
  const other = await serveRepository(room.bare, token)
  repository.git('remote', 'set-url', 'origin', other.address)
  await write('c.txt')
  await expect(land('push')).rejects.toMatchObject({ problem: { code: 'remote_changed' } })
  expect(other.requests).toEqual([])
  await client.put('/api/projects/{projectId}/remote', {
    params: { projectId },
    body: { address: other.address },
  })
  expect((await plan('push')).blocks).toEqual([])
  await client.delete('/api/hosts/{host}', { params: { host: remote.host }, query: {} })
  expect((await client.get('/api/hosts', {})).items).toEqual([])
  expect((await client.get('/api/conversations/{key}/landings', { params })).items).toHaveLength(3)
})

test('[LD7] a push to a path runs no hook of either repository, and goes over nobody’s work', async () => {
  const room = await openRoom()
  const { repository, bare, land, write, branches } = room
  const ran = join(temporaryFolder(), 'ran')
  for (const hook of ['pre-receive', 'update', 'post-receive'])
    execFileSync('sh', [
      '-c',
      `mkdir -p '${bare}/hooks' && printf '#!/bin/sh\\ntouch ${ran}\\n' > '${bare}/hooks/${hook}' && chmod +x '${bare}/hooks/${hook}'`,
    ])
  repository.git('remote', 'add', 'origin', bare)
  await write('a.txt')
  expect(await land('push')).toMatchObject({ state: 'done' })
  const [pushed = ''] = branches()
    .split('\n')
    .filter((name) => name.startsWith('holdfast/'))
  expect(pushed).not.toBe('')
  expect(() => readFileSync(ran)).toThrow()
  const tree = execFileSync('git', ['-C', bare, 'rev-parse', 'main^{tree}'], { encoding: 'utf8' })
  const commit = execFileSync(
    'git',
    [
      '-C',
      bare,
      '-c',
      'user.name=x',
      '-c',
      'user.email=x@x',
      'commit-tree',
      tree.trim(),
      '-m',
      'x',
    ],
    { encoding: 'utf8' },
  )
  execFileSync('git', ['-C', bare, 'update-ref', `refs/heads/${pushed}`, commit.trim()])
  await write('b.txt')
  await expect(land('push')).rejects.toMatchObject({ problem: { code: 'remote_moved' } })
  expect(execFileSync('git', ['-C', bare, 'rev-parse', pushed], { encoding: 'utf8' }).trim()).toBe(
    commit.trim(),
  )
})

test('[LD6] the check of the project runs in the workplace before anything is landed, and its failure lands nothing', async () => {
  const { repository, plan, land, write, settings } = await openRoom()
  await write('a.txt')
  await settings({ 'land.check': 'test -f a.txt && test -f b.txt' })
  const before = repository.git('rev-parse', 'main')
  expect((await plan('merge')).steps.map((step) => step.do)).toEqual(['commit', 'check', 'move'])
  await expect(land('merge')).rejects.toMatchObject({ problem: { code: 'check_failed' } })
  expect(repository.git('rev-parse', 'main')).toBe(before)
  await write('b.txt')
  expect(await land('merge')).toMatchObject({ state: 'done' })
  expect(repository.git('ls-tree', '--name-only', 'main')).toContain('b.txt')
})
