/**
 * NUL where an id is expected: no database keeps it, so it is refused in words, the same on either
 * engine (HT2, SE9).
 */
import { describe, expect, test } from 'vitest'
import type { Route } from '../../../src/protocol/route.ts'
import { routes } from '../../../src/protocol/routes.ts'
import { createProject } from '../../../src/services/projects/change-project.ts'
import { getProject } from '../../../src/services/projects/queries.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { connectMcp } from '../../support/mcp.ts'
import { newPostgresStoreUrl, usePostgres } from '../../support/postgres.ts'
import { openPostgres } from '../../support/postgres-store.ts'
import { openTestServer } from '../../support/server.ts'
import { openTestStore, type TestStore, temporaryFolder } from '../../support/store.ts'

usePostgres()

const stores: [string, () => Promise<TestStore>][] = [
  ['SQLite', () => openTestStore()],
  [
    'PostgreSQL',
    async () => {
      const clock = manualClock()
      return {
        store: await openPostgres({ url: await newPostgresStoreUrl(), clock }),
        clock,
        folder: await temporaryFolder(),
      }
    },
  ],
]

const withIds = Object.values<Route>(routes).filter(({ path }) => path.includes('{'))

describe.each(stores)('on %s', (_, open) => {
  test('[HT2] NUL in the path or the query of a route is 400 and names what it is in; nothing happens', async () => {
    const server = await openTestServer({ testStore: await open() })
    const { id } = (await server.ask('/api/projects', { method: 'POST', body: { name: 'p' } })).json
    const before = await server.store.positions(['home', `project:${id}`])
    for (const { method, path } of withIds) {
      const wrong = path.replaceAll(/\{\w+\}/g, 'a%00b')
      const answer = await server.ask(wrong, { method, ...(method === 'GET' ? {} : { body: {} }) })
      expect([answer.status, answer.json?.code], `${method} ${path}`).toEqual([
        400,
        'invalid_request',
      ])
    }
    for (const path of [
      '/api/agent-sessions?agentId=%00',
      '/api/agent-sessions?projectId=%00',
      '/api/projects?cursor=%00',
      '/api/snapshot?streams=project:%00',
      '/api/events?streams=conversation:web:%00',
      `/api/projects/${id}/tasks?workSessionId=%00`,
      `/api/projects/${id}/chat/start?agentId=%00`,
    ]) {
      const answer = await server.ask(path, { method: path.includes('start') ? 'POST' : 'GET' })
      expect([answer.status, answer.json?.code], path).toEqual([400, 'invalid_request'])
    }
    expect(await server.store.positions(['home', `project:${id}`])).toEqual(before)
  })

  test('[MC3] NUL in an argument of a tool is an error that names it', async () => {
    const server = await openTestServer({ testStore: await open() })
    const owner = await connectMcp(server.url, server.ownerToken)
    const nul = 'a\u0000b'
    const calls: [string, Record<string, unknown>][] = [
      ['authenticate', { agent_id: nul, project_id: 'p', passkey: 'x' }],
      ['authenticate', { agent_id: 'a', project_id: nul, passkey: 'x' }],
      ['get_agent_action', { agent_id: nul, project_id: nul }],
      ['report_process_exit', { agent_id: nul, project_id: nul, remaining_processes: 0 }],
      ['respond_chat', { session_token: 'x', content: nul }],
      ['send_message', { session_token: 'x', to_agent_id: nul, content: 'x' }],
      ['update_task', { session_token: 'x', task_id: nul }],
      ['request_approval', { session_token: 'x', checkpoint_type: nul }],
      ['set_summary', { session_token: 'x', summary: nul, through_seq: 1 }],
    ]
    for (const [tool, args] of calls)
      expect(await owner.call(tool, args), tool).toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/NUL|control/),
      })
  })
})

test('[HT2] a NUL that slips through every door is a refusal on PostgreSQL too, never a failure', async () => {
  const store = await openPostgres({ url: await newPostgresStoreUrl(), clock: manualClock() })
  for (const attempt of [
    () => store.query(getProject, { projectId: 'a\u0000b' }),
    () => store.run(createProject, { name: 'a\u0000b', by: 'owner' }),
  ])
    await expect(attempt()).rejects.toMatchObject({ name: 'Refusal', code: 'invalid_request' })
  await expect(store.run(createProject, { name: 'next', by: 'owner' })).resolves.toMatchObject({
    name: 'next',
  })
})
