/**
 * LD with everything real: the demo agent works in a worktree of its own, and its work is landed
 * into the branch that the person has checked out, looked at first, undone, and in conflict.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { at } from '../support/git-repository.ts'
import { openRepositoryChat } from '../support/repository-chat.ts'

async function openRoom() {
  const { repository, chat } = await openRepositoryChat()
  const { client, projectId, agentId } = chat
  const key = `web:${projectId}.${agentId}`
  const params = { key }
  const settings = (change: object) =>
    client.patch('/api/projects/{projectId}', {
      params: { projectId },
      body: { settings: change as never },
    })
  await settings({ 'chat.workplace': 'worktree' })
  repository.write('shop.txt', 'open\nclosed\n')
  repository.git('add', '.')
  repository.git('commit', '-q', '-m', 'shop')
  const say = async (words: string) => {
    await chat.say(words)
    return chat.answer()
  }
  const path = '/api/conversations/{key}/land'
  const plan = (query: object = {}) => client.get(path, { params, query: query as never })
  const land = (body: object) => client.post(path, { params, body: body as never })
  const main = () => repository.git('rev-parse', 'main')
  const file = (name: string) => readFileSync(join(repository.folder, name), 'utf8')
  const idle = () =>
    expect.poll(async () => (await plan()).blocks.includes('agent_works')).toBe(false)
  return { repository, chat, client, params, say, plan, land, main, file, settings, idle }
}

test('[LD1] [LD2] [LD5] work is landed by the plan that was looked at, is listed, and undone; what moved since is another plan', async () => {
  const { repository, client, params, say, plan, land, main, file, idle } = await openRoom()
  await say('Add a line\n[[write shop.txt open\nclosed\nmoved]]')
  await idle()
  writeFileSync(join(repository.folder, 'mine.txt'), 'mine\n')
  const [before, status] = [main(), repository.git('status', '--porcelain')]
  const looked = await plan({ how: 'merge' })
  expect(looked).toMatchObject({
    how: 'merge',
    into: 'main',
    blocks: [],
    steps: [
      { do: 'commit', files: 1 },
      { do: 'move', branch: 'main', by: 'fast-forward' },
    ],
  })
  expect(looked.message).toContain('Add a line')
  expect(main()).toBe(before)
  await expect(land({ how: 'merge', plan: 'another' })).rejects.toMatchObject({
    problem: { status: 409, code: 'plan_changed', plan: { plan: looked.plan } },
  })
  const landed = await land({ how: 'merge', message: 'Add a line', plan: looked.plan })
  expect(landed).toMatchObject({
    state: 'done',
    commit: main(),
    steps: [
      { do: 'commit', state: 'done' },
      { do: 'move', state: 'done' },
    ],
  })
  expect(file('shop.txt')).toContain('moved')
  expect(repository.git('status', '--porcelain')).toBe(status)
  expect(repository.git('log', '-1', '--format=%s', 'main')).toBe('Add a line')
  await expect(land({})).rejects.toMatchObject({
    problem: { status: 409, code: 'nothing_to_land' },
  })
  const undone = await client.post('/api/conversations/{key}/land/undo', { params })
  expect(undone).toMatchObject({ id: landed.id, state: 'undone' })
  expect([main(), repository.git('status', '--porcelain')]).toEqual([before, status])
  await expect(client.post('/api/conversations/{key}/land/undo', { params })).rejects.toMatchObject(
    {
      problem: { status: 409, code: 'wrong_state' },
    },
  )
  const { items } = await client.get('/api/conversations/{key}/landings', { params })
  expect(items).toMatchObject([{ id: landed.id, state: 'undone', how: 'merge', by: 'owner' }])
  expect(await land({ how: 'squash', message: 'Again' })).toMatchObject({ state: 'done' })
  await client.patch('/api/projects/{projectId}', {
    params: { projectId: params.key.slice('web:'.length).split('.')[0] ?? '' },
    body: { settings: { 'land.protected': 'main, release' } as never },
  })
  await say('[[write more.txt more]] More')
  await idle()
  expect((await plan()).blocks).toEqual(['branch_protected'])
  await expect(land({})).rejects.toMatchObject({ problem: { code: 'branch_protected' } })
})

test('[LD4] a conflict touches neither side; the agent is given it, and what it makes of it is landed', async () => {
  const { repository, chat, client, params, say, plan, land, main, file, idle } = await openRoom()
  await say('[[write shop.txt open late\nclosed\n]] Open late')
  await idle()
  writeFileSync(join(repository.folder, 'shop.txt'), 'open early\nclosed\n')
  repository.git('commit', '-qam', 'Open early')
  const before = main()
  for (const how of ['merge', 'rebase', 'squash'])
    await expect(land({ how })).rejects.toMatchObject({
      problem: { status: 409, code: 'merge_conflict', files: ['shop.txt'] },
    })
  expect(main()).toBe(before)
  expect((await plan()).conflicts).toMatchObject([
    { path: 'shop.txt', theirs: { author: 'Ada', subject: 'Open early' } },
  ])
  const { turnId, files } = await client.post('/api/conversations/{key}/land/resolve', {
    params,
    body: {},
  })
  expect(files).toEqual(['shop.txt'])
  const answered = await chat.answer()
  expect(answered).toContain(`git merge ${before}`)
  const { items } = await client.get('/api/conversations/{key}/turns', { params, query: {} })
  expect(items[0]?.id).toBe(turnId)
  // The demo agent runs no git of its own: what an agent would do.
  await idle()
  const { workplace } = await client.get('/api/conversations/{key}', { params })
  const tree = at(workplace?.folder ?? '')
  expect(tree.git('status', '--porcelain')).toBe('')
  expect(() => tree.git('merge', before)).toThrow()
  expect((await plan()).blocks).toContain('markers_left')
  tree.write('shop.txt', 'open early and late\nclosed\n')
  expect(await land({ how: 'merge', message: 'Open early and late' })).toMatchObject({
    state: 'done',
  })
  expect(file('shop.txt')).toBe('open early and late\nclosed\n')
})
