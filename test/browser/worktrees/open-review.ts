/** A session with work to review, opened on the page of its review. */
import { expect } from 'vitest'
import { makeRepository } from '../../support/git-repository.ts'
import type { Visit } from '../visit.ts'

/** A session whose agent has a worktree of its own, and the page of its review. */
export async function openReview(here: Visit, name: string, first: string) {
  const repository = makeRepository()
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: {
      name,
      path: repository.folder,
      settings: { 'permission.policy': 'allow_all', 'chat.workplace': 'worktree' },
    } as never,
  })
  const agent = {
    id: name,
    name: 'Lander',
    protocol: 'acp' as const,
    command: 'holdfast',
    args: ['demo-acp'],
  }
  await here.elsewhere.post('/api/agents', { body: agent })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: agent.id },
  })
  const key = `web:${projectId}.${agent.id}`
  const say = (content: string) =>
    here.elsewhere.post('/api/chat', { body: { projectId, toAgentId: agent.id, content } })
  const idle = () =>
    expect
      .poll(
        async () =>
          (await here.elsewhere.get('/api/conversations/{key}', { params: { key } })).activity,
      )
      .toBe('idle')
  const answers = async () =>
    (
      await here.elsewhere.get('/api/conversations/{key}/messages', { params: { key }, query: {} })
    ).items.filter(({ role }) => role === 'assistant').length
  await say(first)
  await expect.poll(answers).toBe(1)
  await idle()
  const { items } = await here.elsewhere.get('/api/projects/{projectId}/worktrees', {
    params: { projectId },
  })
  const tree = items[0]
  return {
    repository,
    say,
    idle,
    answers,
    folder: tree?.folder ?? '',
    address: `/projects/${projectId}/review/${tree?.id}`,
  }
}
