import { describe, expect, test } from 'vitest'
import { demoMcp } from '../../../src/domain/agents/demo.ts'
import { createAgent } from '../../../src/services/agents/change-agent.ts'
import { listAgents } from '../../../src/services/agents/queries.ts'
import { beginWithDemo } from '../../../src/services/flows/projects/begin-with-demo.ts'
import { listProjects } from '../../../src/services/projects/queries.ts'
import type { Store } from '../../../src/store/store.ts'
import { newPostgresStoreUrl, usePostgres } from '../../support/postgres.ts'
import { openPostgres } from '../../support/postgres-store.ts'
import { by, open, typesOf } from './installation.ts'

usePostgres()

const projectsOf = async (store: Store) => (await store.query(listProjects, { limit: 50 })).items
const agentsOf = async (store: Store) => (await store.query(listAgents, { limit: 50 })).items

describe('what a new store begins with', () => {
  test('[UI6] the demo project with both demo agents assigned, which any machine can start', async () => {
    const { store } = await open()
    await store.run(beginWithDemo, { path: undefined, by })
    const [project] = await projectsOf(store)
    expect(project).toMatchObject({ name: 'demo', agentIds: ['demo', 'demo-mcp'] })
    expect(await agentsOf(store)).toMatchObject([
      {
        id: 'demo-mcp',
        protocol: 'mcp',
        command: 'holdfast',
        args: ['demo-mcp'],
        projectIds: [project?.id],
      },
      {
        id: 'demo',
        protocol: 'acp',
        command: 'holdfast',
        args: ['demo-acp'],
        projectIds: [project?.id],
      },
    ])
    const each = ['agent-created', 'agent-assigned']
    expect(await typesOf(store, 'home')).toEqual(['project-created', ...each, ...each])
  })

  test('[UI6] an agent of that id that a person made meanwhile is theirs; nothing is changed', async () => {
    const { store } = await open()
    await store.run(createAgent, { id: demoMcp.id, name: 'Mine', protocol: 'mcp', by })
    await store.run(beginWithDemo, { path: undefined, by })
    expect(await projectsOf(store)).toEqual([])
    expect(await agentsOf(store)).toMatchObject([{ name: 'Mine', command: null }])
  })

  test('[UI6] two nodes that start for the first time at once begin with one demo', async () => {
    const url = await newPostgresStoreUrl()
    const nodes = [await openPostgres({ url }), await openPostgres({ url })] as const
    await Promise.all(nodes.map((node) => node.run(beginWithDemo, { path: undefined, by })))
    expect(await projectsOf(nodes[0])).toHaveLength(1)
    expect(await agentsOf(nodes[1])).toHaveLength(2)
  })
})
