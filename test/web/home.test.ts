/** The picture the page has of projects and agents, changed by events. */
import { expect, test } from 'vitest'
import type { Agent } from '../../src/protocol/agents/agent.ts'
import type { EventBodies, EventType, HoldfastEvent } from '../../src/protocol/events.ts'
import type { Project } from '../../src/protocol/projects/project.ts'
import { afterEvent, type Home, withProject } from '../../web/src/live/home.ts'

const at = (second: number) => `2026-03-01T09:00:0${second}.000Z`
const project = (id: string, second: number, change: Partial<Project> = {}): Project => ({
  id,
  name: id,
  path: null,
  settings: {},
  agentIds: [],
  createdAt: at(second),
  updatedAt: at(second),
  ...change,
})
const agent = (id: string, projectIds: string[] = []): Agent => ({
  id,
  name: id,
  protocol: 'acp',
  command: null,
  args: [],
  env: {},
  role: null,
  maxProcesses: null,
  runsOn: null,
  sandbox: 'off',
  report: null,
  neverAsks: false,
  mixesConversations: false,
  allow: { folders: [], hosts: [], state: [] },
  wrapper: null,
  gateway: null,
  holdSeconds: 50,
  projectIds,
  createdAt: at(0),
  updatedAt: at(0),
})
const event = <Type extends EventType>(type: Type, data: EventBodies[Type]) =>
  ({ type, data, stream: 'home', seq: 1, at: at(9) }) as unknown as HoldfastEvent

const empty: Home = { projects: [], agents: [] }

test('[HT6] what is created comes first; what is deleted is gone everywhere', () => {
  const events = [
    event('agent-created', { agent: agent('a'), by: 'owner' }),
    event('project-created', { project: project('older', 1), by: 'owner' }),
    event('project-created', { project: project('newer', 2), by: 'owner' }),
    event('agent-assigned', { projectId: 'older', agentId: 'a', by: 'owner' }),
    event('agent-assigned', { projectId: 'newer', agentId: 'a', by: 'owner' }),
  ]
  const home = events.reduce(afterEvent, empty)
  expect(home.projects.map(({ id, agentIds }) => [id, agentIds])).toEqual([
    ['newer', ['a']],
    ['older', ['a']],
  ])
  expect(home.agents[0]?.projectIds).toEqual(['older', 'newer'])
  const withoutProject = afterEvent(
    home,
    event('project-deleted', { projectId: 'older', by: 'owner' }),
  )
  expect(withoutProject.agents[0]?.projectIds).toEqual(['newer'])
  const withoutAgent = afterEvent(home, event('agent-deleted', { agentId: 'a', by: 'owner' }))
  expect(withoutAgent.projects.flatMap(({ agentIds }) => agentIds)).toEqual([])
})

test('[HT6] an event that comes after a newer answer does not turn the picture back', () => {
  const home = withProject(
    { ...empty, projects: [project('p', 1)] },
    project('p', 1, { name: 'second', updatedAt: at(3) }),
  )
  const late = project('p', 1, { name: 'first', updatedAt: at(2) })
  expect(
    afterEvent(home, event('project-changed', { project: late, by: 'owner' })).projects[0]?.name,
  ).toBe('second')
})

test('[HT6] a repeated event, a copy without body and a foreign kind change nothing', () => {
  const created = event('project-created', { project: project('p', 1), by: 'owner' })
  const home = afterEvent(empty, created)
  expect(afterEvent(home, created)).toEqual(home)
  const copy: HoldfastEvent = {
    type: 'project-changed',
    stream: 'home',
    seq: 2,
    at: at(2),
    ref: { stream: 'project:p', seq: 1 },
  }
  expect(afterEvent(home, copy)).toBe(home)
  expect(afterEvent(home, event('signed-out', { credentialId: 'c' }))).toBe(home)
})
