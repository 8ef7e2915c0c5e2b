/**
 * Sessions of an agent that pulls its work, with everything real: each in a process and a worktree
 * of its own, side by side (SN10).
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { demos } from '../support/chat.ts'
import { until } from '../support/coordinator-process.ts'
import { openRepositoryChat } from '../support/repository-chat.ts'

test('[SN10] two sessions of one agent that pulls write at once, each in a worktree of its own', async () => {
  const { repository, chat } = await openRepositoryChat()
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
  const begin = async (text: string) => {
    const content = `[[write made.txt ${text}]] done`
    const body = { agentId, content, workplace: 'worktree' } as const
    return (await client.post('/api/projects/{projectId}/conversations', { params, body })).key
  }
  const keys = await Promise.all(['one', 'two', 'three'].map(begin))
  const read = (key: string) => client.get('/api/conversations/{key}', { params: { key } })
  const answered = async (key: string) => {
    const query = { limit: 50 }
    const { items } = await client.get('/api/conversations/{key}/messages', {
      params: { key },
      query,
    })
    return items.some(({ senderId }) => senderId === agentId)
  }
  for (const key of keys) await until(() => answered(key))
  const folders = await Promise.all(
    keys.map(async (key) => (await read(key)).workplace?.folder ?? ''),
  )
  expect(new Set(folders).size).toBe(3)
  expect(folders.map((folder) => readFileSync(join(folder, 'made.txt'), 'utf8'))).toEqual([
    'one',
    'two',
    'three',
  ])
  expect(existsSync(join(repository.folder, 'made.txt'))).toBe(false)
})
