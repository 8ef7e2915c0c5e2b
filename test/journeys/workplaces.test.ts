/**
 * Where conversations work (CX9), with everything real: a git repository, the demo agent, its
 * worktree, and its way back.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openChat } from '../support/chat.ts'
import { until } from '../support/coordinator-process.ts'
import { openRepositoryChat } from '../support/repository-chat.ts'

test('[CX9] a chat writes into a worktree of its own, which is merged like any other and stays while its process lives; in the folder two take turns', async () => {
  const { holdfast, repository, chat } = await openRepositoryChat()
  const { client, projectId, agentId } = chat
  const params = { projectId }
  const at = (agent: string) => ({ params: { key: `web:${projectId}.${agent}` } })
  const start = '/api/projects/{projectId}/chat/start'
  await client.post(start, { params, query: { agentId, workplace: 'worktree' } })
  await chat.say('[[write made.txt by the chat]] written')
  expect(await chat.answer()).toContain('written')
  const { workplace } = await client.get('/api/conversations/{key}', at(agentId))
  expect(workplace).toMatchObject({
    kind: 'worktree',
    branch: expect.stringMatching(/^holdfast\/chat\/[0-9a-f]{8}$/),
  })
  expect(readFileSync(join(workplace?.folder ?? '', 'made.txt'), 'utf8')).toBe('by the chat')
  expect(existsSync(join(repository.folder, 'made.txt'))).toBe(false)
  const { items } = await client.get('/api/projects/{projectId}/worktrees', { params, query: {} })
  expect(items).toMatchObject([{ conversation: at(agentId).params.key, userSessionId: null }])
  const tree = { params: { projectId, worktreeId: items[0]?.id ?? '' } }
  await client.post('/api/projects/{projectId}/worktrees/{worktreeId}/commit', {
    ...tree,
    body: {},
  })
  await client.post('/api/projects/{projectId}/worktrees/{worktreeId}/merge', { ...tree, body: {} })
  expect(readFileSync(join(repository.folder, 'made.txt'), 'utf8')).toBe('by the chat')
  const gone = client.delete('/api/projects/{projectId}/worktrees/{worktreeId}', tree)
  await expect(gone).rejects.toMatchObject({ problem: { code: 'worktree_in_use' } })
  // The place stays: another is another session.
  const elsewhere = { params, query: { agentId, workplace: 'checkout' } } as const
  const moved = client.post(start, elsewhere)
  await expect(moved).rejects.toMatchObject({ problem: { code: 'wrong_state' } })
  const { key } = await client.post('/api/projects/{projectId}/conversations', {
    params,
    body: { agentId, content: '[[write here.txt again]] moved', workplace: 'checkout' },
  })
  const inFolder = async () =>
    (await client.get('/api/conversations/{key}/archive', { params: { key }, query: {} })).items
  await until(async () => (await inFolder()).length === 2)
  expect(readFileSync(join(repository.folder, 'here.txt'), 'utf8')).toBe('again')
  expect(await chat.processes()).toHaveLength(2)

  const body = { id: 'other', name: 'Other', protocol: 'acp', command: 'holdfast' } as const
  await client.post('/api/agents', { body: { ...body, args: ['demo-acp'] } })
  await client.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: 'other' },
    body: {},
  })
  await client.post('/api/chat', {
    body: { projectId, conversationKey: key, content: '[[hang]] for long' },
  })
  const about = async () => client.get('/api/conversations/{key}', { params: { key } })
  await until(async () => (await about()).activity === 'working')
  const other = await openChat(holdfast, { ...chat, agentId: 'other' })
  await other.say('mine')
  await until(
    async () => (await client.get('/api/conversations/{key}', at('other'))).waitsFor === 'checkout',
  )
  await client.post('/api/conversations/{key}/begin', at('other'))
  expect(await other.answer()).toBe('echo: mine')
})
