/** What a new session is prefilled with (UI14). */
import { expect, test } from 'vitest'
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import type { Project } from '../../../src/protocol/projects/project.ts'
import { prefilled, remembering } from '../../../web/src/now/session-draft.ts'

const project = (id: string, ...agentIds: string[]) => ({ id, agentIds }) as unknown as Project
const agent = (id: string, protocol: Agent['protocol'] = 'acp') => ({ id, protocol }) as Agent
const known = {
  projects: [project('empty'), project('new', 'ada'), project('old', 'pull', 'ada', 'bob')],
  agents: [agent('pull', 'mcp'), agent('ada'), agent('bob')],
}
const offered = (...rest: [string | undefined, object, object]) => {
  const found = prefilled(known, ...rest)
  return found && [found.project.id, found.agent.id, found.place]
}

test('[UI14] the project in front, else the one used last, else the newest with an agent', () => {
  expect(offered(undefined, {}, {})).toEqual(['new', 'ada', ''])
  expect(offered(undefined, { projectId: 'old' }, {})).toEqual(['old', 'ada', ''])
  expect(offered('new', { projectId: 'old' }, {})).toEqual(['new', 'ada', ''])
  expect(offered('empty', { projectId: 'gone' }, {})).toEqual(['new', 'ada', ''])
  expect(offered('new', {}, { projectId: 'old', agentId: 'bob' })).toEqual(['old', 'bob', ''])
  expect(prefilled({ projects: [], agents: [] }, undefined, {}, {})).toBeUndefined()
})

test('[UI14] the agent and the place used there last', () => {
  const used = remembering({}, { projectId: 'old', agentId: 'bob', place: 'worktree' })
  const last = remembering(used, { projectId: 'new', agentId: 'ada', place: 'checkout' })
  expect(offered('old', last, {})).toEqual(['old', 'bob', 'worktree'])
  expect(offered(undefined, last, {})).toEqual(['new', 'ada', 'checkout'])
  expect(offered('old', last, { agentId: 'pull' })).toEqual(['old', 'pull', 'worktree'])
})
