/**
 * FS7-FS9 with everything real: a git repository, the demo agent over ACP, its files before and
 * after each turn.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from '../support/built-product.ts'
import { until } from '../support/coordinator-process.ts'
import { everyGit } from '../support/recording-git.ts'
import { openRepositoryChat } from '../support/repository-chat.ts'

async function openRoom() {
  const { repository, chat } = await openRepositoryChat()
  const { client, projectId, agentId } = chat
  const key = `web:${projectId}.${agentId}`
  const say = async (text: string) => {
    await chat.say(text)
    return chat.answer()
  }
  const turns = async () =>
    (await client.get('/api/conversations/{key}/turns', { params: { key }, query: {} })).items
  return { repository, chat, client, projectId, agentId, key, say, turns }
}

test('[FS7] [SE20] each turn has the files before and after it, and what it changed; the diff shows it', async () => {
  const { repository, client, key, say, turns } = await openRoom()
  await say('[[write made.txt by the chat]] written')
  writeFileSync(join(repository.folder, 'mine.txt'), 'the person’s\n')
  await say('nothing')
  const [second, first] = await turns()
  expect(first).toMatchObject({
    before: expect.stringMatching(/^[0-9a-f]{40}$/),
    changes: { files: 1, added: 1, removed: 0 },
  })
  expect(first?.after).not.toBe(first?.before)
  expect(second).toMatchObject({
    after: second?.before,
    changes: { files: 0, added: 0, removed: 0 },
  })
  expect(repository.git('cat-file', '-t', first?.after ?? '')).toBe('tree')
  expect(repository.git('cat-file', 'blob', `${second?.before}:mine.txt`)).toBe('the person’s')
  expect(readFileSync(join(repository.folder, 'made.txt'), 'utf8')).toBe('by the chat')
  const diff = await client.get('/api/conversations/{key}/turns/{turnId}/diff', {
    params: { key, turnId: first?.id ?? '' },
    query: {},
  })
  expect(diff).toMatchObject({
    files: [{ path: 'made.txt', added: 1, removed: 0 }],
    changes: first?.changes,
    cut: false,
  })
  expect(diff.text).toContain('+by the chat')
  // The control of every-git.ts, which finds nothing wrong where nothing is recorded.
  const ofHoldfast = everyGit().filter(({ by }) => by.includes(main))
  expect(ofHoldfast.map(({ args }) => args[0])).toContain('write-tree')
})

test('[FS8] a rewind brings files, conversation and context back, shows what others changed, and can be undone', async () => {
  const { repository, client, key, say, turns } = await openRoom()
  const file = (name: string) => join(repository.folder, name)
  await say('[[write a.txt one]] first')
  await say('[[write a.txt two]] second')
  const [second, first] = await turns()
  const at = { params: { key, turnId: second?.id ?? '' } }
  const messages = async () =>
    (
      await client.get('/api/conversations/{key}/messages', { params: { key }, query: {} })
    ).items.map(({ content }) => content)
  expect((await messages()).join()).toContain('second')
  writeFileSync(file('a.txt'), 'the person’s')
  const refused = client.post('/api/conversations/{key}/turns/{turnId}/rewind', {
    ...at,
    body: { to: 'before' },
  })
  const lost = { files: [{ path: 'a.txt', why: 'changed' }], count: 1, digest: expect.any(String) }
  await expect(refused).rejects.toMatchObject({
    problem: { code: 'would_lose', status: 409, losses: lost },
  })
  expect(readFileSync(file('a.txt'), 'utf8')).toBe('the person’s')
  const digest = await refused.catch(
    (error: { problem: { losses: { digest: string } } }) => error.problem.losses.digest,
  )
  const body = { to: 'before', confirm: String(digest) } as const
  await client.post('/api/conversations/{key}/turns/{turnId}/rewind', { ...at, body })
  expect(readFileSync(file('a.txt'), 'utf8')).toBe('one')
  expect((await messages()).join()).not.toContain('second')
  expect((await turns()).map(({ rewound }) => rewound)).toEqual([true, false])
  const about = () => client.get('/api/conversations/{key}', { params: { key } })
  // What was taken back counts no more, and the reader is told that it can be undone.
  expect(await about()).toMatchObject({
    rewound: { turnId: second?.id, to: 'before' },
    lines: { added: 1, removed: 0 },
  })
  await client.post('/api/conversations/{key}/rewind/undo', { params: { key }, body: {} })
  expect(readFileSync(file('a.txt'), 'utf8')).toBe('the person’s')
  expect((await messages()).join()).toContain('second')
  expect((await turns()).map(({ rewound }) => rewound)).toEqual([false, false])
  expect(await about()).toMatchObject({ lines: { added: 2, removed: 1 } })
  expect(await about()).not.toHaveProperty('rewound')
  // To after the first, and on from there in a context that knows nothing of the second.
  const again = { params: { key, turnId: first?.id ?? '' } }
  const received = await client
    .post('/api/conversations/{key}/turns/{turnId}/rewind', { ...again, body: { to: 'after' } })
    .catch((error: { problem: { losses: { digest: string } } }) => error.problem.losses.digest)
  await client.post('/api/conversations/{key}/turns/{turnId}/rewind', {
    ...again,
    body: { to: 'after', confirm: String(received) },
  })
  expect(readFileSync(file('a.txt'), 'utf8')).toBe('one')
  await say('[[write b.txt three]] third')
  const [third] = await turns()
  expect(third).toMatchObject({ before: first?.after, changes: { files: 1 } })
  expect(third?.primer).toContain('first')
  expect(third?.primer).not.toContain('second')
  expect(await about()).not.toHaveProperty('rewound')
  // Back to the very beginning: nothing that was said stands for a title any more.
  const all = { params: { key, turnId: first?.id ?? '' }, body: { to: 'before' } } as const
  const undo = client.post('/api/conversations/{key}/rewind/undo', { params: { key }, body: {} })
  await expect(undo).rejects.toMatchObject({ problem: { code: 'wrong_state' } })
  expect((await about()).opening).toContain('first')
  await client.post('/api/conversations/{key}/turns/{turnId}/rewind', all)
  expect((await about()).opening).toBe(null)
})

test('[FS9] a fork is a new conversation in a new worktree with the files as they were, primed, and leaves the first alone', async () => {
  const { repository, client, projectId, agentId, key, say, turns } = await openRoom()
  await say('[[write a.txt one]] first')
  await say('[[write a.txt two]] second')
  const first = (await turns()).at(-1)
  const at = { params: { key, turnId: first?.id ?? '' } }
  const made = await client.post('/api/conversations/{key}/turns/{turnId}/fork', {
    ...at,
    body: {},
  })
  expect(made.conversation).toMatch(/^session:/)
  expect(readFileSync(join(made.workplace, 'a.txt'), 'utf8')).toBe('one')
  expect(readFileSync(join(repository.folder, 'a.txt'), 'utf8')).toBe('two')
  const fork = { params: { key: made.conversation } }
  const conversation = await client.get('/api/conversations/{key}', fork)
  expect(conversation).toMatchObject({
    forkedFrom: { key, turnId: first?.id },
    workplace: { kind: 'worktree', folder: made.workplace },
  })
  await client.post('/api/conversations/{key}/messages', {
    ...fork,
    body: { role: 'user', content: '[[write b.txt forked]] third' },
  })
  const answered = async () =>
    (await client.get('/api/conversations/{key}/turns', { ...fork, query: {} })).items[0]
  await until(async () => (await answered())?.state === 'answered')
  const turn = await answered()
  expect(turn).toMatchObject({ agentId, before: first?.after, changes: { files: 1 } })
  expect(turn?.primer).toContain('first')
  expect(turn?.primer).not.toContain('second')
  expect(readFileSync(join(made.workplace, 'b.txt'), 'utf8')).toBe('forked')
  const { items: said } = await client.get('/api/conversations/{key}/messages', {
    ...fork,
    query: {},
  })
  expect(said.at(-1)).toMatchObject({ role: 'assistant', senderId: agentId, content: turn?.text })
  const { items } = await client.get('/api/projects/{projectId}/worktrees', {
    params: { projectId },
    query: {},
  })
  expect(items).toMatchObject([{ conversation: made.conversation, branch: made.branch }])
})
