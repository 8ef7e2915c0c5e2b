/**
 * Sessions of an agent that pulls its work, with everything real: each in a process and a worktree
 * of its own, side by side (SN10), read, rewound and forked as any other.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { demos } from '../support/chat.ts'
import { until } from '../support/coordinator-process.ts'
import { openEditor } from '../support/editor.ts'
import { openRepositoryChat } from '../support/repository-chat.ts'

async function openSessions() {
  const { repository, chat, holdfast } = await openRepositoryChat()
  const { client, projectId } = chat
  const { args, ...talker } = demos.mcp
  const agentId = 'puller'
  await client.post('/api/agents', {
    body: { id: agentId, name: 'Puller', ...talker, args: [...args] },
  })
  const params = { projectId }
  await client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { ...params, agentId },
    body: {},
  })
  const begin = async (content: string) => {
    const body = { agentId, content, workplace: 'worktree' } as const
    return (await client.post('/api/projects/{projectId}/conversations', { params, body })).key
  }
  const about = (key: string) => client.get('/api/conversations/{key}', { params: { key } })
  /** As it is read, without what was taken back. */
  const turns = async (key: string) =>
    (await client.get('/api/conversations/{key}/turns', { params: { key }, query: {} })).items
      .filter(({ rewound }) => !rewound)
      .reverse()
  const answered = (key: string, count: number) =>
    until(async () => {
      const ended = (await turns(key)).filter(({ state }) => state === 'answered')
      return ended.length === count
    })
  const say = async (conversationKey: string, content: string) => {
    const { length } = await turns(conversationKey)
    await client.post('/api/chat', { body: { projectId, conversationKey, content } })
    await answered(conversationKey, length + 1)
  }
  return { repository, client, holdfast, begin, about, turns, answered, say }
}

const made = (folder: string): string => readFileSync(join(folder, 'made.txt'), 'utf8')

test('[SN10] [SN25] [FS13] sessions of an agent that pulls write at once, are rewound, forked, and loaded in an editor', async () => {
  const { repository, client, holdfast, begin, about, turns, answered, say } = await openSessions()
  const folderOf = async (key: string) => (await about(key)).workplace?.folder ?? ''
  const texts = ['one', 'two', 'three']
  const keys = await Promise.all(texts.map((text) => begin(`[[write made.txt ${text}]] done`)))
  for (const each of keys) await answered(each, 1)
  const folders = await Promise.all(keys.map(folderOf))
  expect(new Set(folders).size).toBe(3)
  expect(folders.map(made)).toEqual(texts)
  expect(existsSync(join(repository.folder, 'made.txt'))).toBe(false)
  const [key = ''] = keys
  const [folder = ''] = folders
  await say(key, '[[write made.txt again]] second')
  const [first, second] = await turns(key)
  expect(first).toMatchObject({
    content: [{ type: 'text', text: '[[write made.txt one]] done' }],
    before: expect.stringMatching(/^[0-9a-f]{40}$/),
    changes: { files: 1, added: 1, removed: 0 },
  })
  expect(second).toMatchObject({
    before: first?.after,
    changes: { files: 1, added: 1, removed: 1 },
  })
  expect(await about(key)).toMatchObject({ lines: { added: 1, removed: 0 } })
  const back = { params: { key, turnId: second?.id ?? '' }, body: { to: 'before' } } as const
  await client.post('/api/conversations/{key}/turns/{turnId}/rewind', back)
  expect(made(folder)).toBe('one')
  expect((await turns(key)).map(({ id }) => id)).toEqual([first?.id])
  await say(key, '[[write more.txt here]] third')
  const [, third] = await turns(key)
  expect(third).toMatchObject({ before: first?.after, changes: { files: 1, added: 1 } })
  expect(third?.primer).toContain('done')
  expect(third?.primer).not.toContain('second')
  const fork = await client.post('/api/conversations/{key}/turns/{turnId}/fork', {
    params: { key, turnId: first?.id ?? '' },
    body: {},
  })
  await say(fork.conversation, '[[write other.txt there]] fourth')
  expect(made(fork.workplace)).toBe('one')
  expect(['more.txt', 'other.txt'].map((name) => existsSync(join(fork.workplace, name)))).toEqual([
    false,
    true,
  ])
  const { url, token } = holdfast
  const editor = await openEditor({ port: Number(new URL(url).port), ownerToken: token })
  await editor.call('session/load', { sessionId: key, cwd: folder, mcpServers: [] })
  expect(editor.updates().map((each) => [each.sessionUpdate, each.content?.text])).toEqual([
    ['user_message_chunk', '[[write made.txt one]] done'],
    ['agent_message_chunk', first?.text],
    ['user_message_chunk', '[[write more.txt here]] third'],
    ['agent_message_chunk', third?.text],
  ])
})
