/**
 * What the deep check finds on either engine, each made by hand; and that it finds nothing where
 * nothing is wrong.
 */
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../src/store/deep-check/deep-check.ts'
import { engines, newPlace } from '../support/either-store.ts'
import { usePostgres } from '../support/postgres.ts'
import { fill, type Made } from './busy-store.ts'

usePostgres()

type Case = readonly [
  name: string,
  damage: (made: Made) => string[],
  finding: (made: Made) => Partial<Finding>,
]

const landingOf = (projectId?: string): string =>
  `insert into landings (id, conversation_key, project_id, coordinator_id, worktree_id, top, how,
      state, plan, asked_by, asked_at)
    values ('made-up', 'web:made.up', '${projectId}', 'c', 'w', '/', 'merge',
      'done', '{}', 'owner', 'x')`

const cases: readonly Case[] = [
  [
    'an event that is missing',
    () => [`delete from events where stream = 'home' and seq = 5`],
    () => ({
      check: 'streams',
      where: expect.stringMatching(/^home 6 /),
      what: 'stands where 5 must be',
    }),
  ],
  [
    'a head that is too high',
    () => [`update streams set head = head + 1 where name = 'home'`],
    () => ({ check: 'streams', where: 'home', what: expect.stringContaining('says its head is') }),
  ],
  [
    'events of a stream that has no row',
    ({ projectIds }) => [`delete from streams where name = 'project:${projectIds[0]}'`],
    ({ projectIds }) => ({
      check: 'streams',
      where: `project:${projectIds[0]}`,
      what: expect.stringContaining('no row'),
    }),
  ],
  [
    'a stream that has lost all its events',
    ({ projectIds }) => [`delete from events where stream = 'project:${projectIds[0]}'`],
    ({ projectIds }) => ({
      check: 'streams',
      where: `project:${projectIds[0]}`,
      what: expect.stringContaining('no events'),
    }),
  ],
  [
    'a body that is torn',
    () => [`update events set data = '{"pro' where stream = 'home' and seq = 2`],
    () => ({ check: 'streams', what: 'has a body that is no JSON' }),
  ],
  [
    'a copy that stands for nothing',
    ({ projectIds }) => [
      `update events set ref_seq = 9999 where stream = 'project:${projectIds[0]}' and seq = 1`,
    ],
    () => ({ check: 'copies', what: 'stands for home 9999, which is not there' }),
  ],
  [
    'a project that the events do not know',
    ({ projectIds }) => [
      `insert into projects (id, name, path, settings, created_at, updated_at)
        select 'proj_made_up', name, path, settings, created_at, updated_at from projects where id = '${projectIds[1]}'`,
    ],
    () => ({
      check: 'state',
      where: 'projects proj_made_up',
      what: 'is there; the events say it is not',
    }),
  ],
  [
    'a project that is lost',
    ({ projectIds }) => [`delete from projects where id = '${projectIds[1]}'`],
    ({ projectIds }) => ({
      check: 'state',
      where: `projects ${projectIds[1]}`,
      what: expect.stringContaining('is not there'),
    }),
  ],
  [
    'a change that was written and not told',
    ({ projectIds }) => [`update projects set name = 'other' where id = '${projectIds[0]}'`],
    ({ projectIds }) => ({
      check: 'state',
      where: `projects ${projectIds[0]}`,
      what: expect.stringContaining('another name'),
    }),
  ],
  [
    'a setting that is not what was chosen',
    ({ projectIds }) => [
      `update projects set settings = '{"chat.soft_timeout_minutes":8}' where id = '${projectIds[0]}'`,
    ],
    () => ({
      check: 'state',
      what: expect.stringContaining('another setting chat.soft_timeout_minutes'),
    }),
  ],
  [
    'an agent that is not what it was',
    ({ agentIds }) => [`update agents set hold_seconds = 1 where id = '${agentIds[1]}'`],
    () => ({
      check: 'state',
      where: 'agents builder',
      what: expect.stringContaining('another holdSeconds'),
    }),
  ],
  [
    'an assignment that is lost',
    ({ agentIds }) => [`delete from assignments where agent_id = '${agentIds[0]}'`],
    ({ projectIds }) => ({
      check: 'state',
      where: `assignments ${projectIds[0]} scout`,
      what: expect.stringContaining('is not there'),
    }),
  ],
  [
    'an assignment that was taken back',
    ({ projectIds }) => [
      `insert into assignments (project_id, agent_id, created_at) values ('${projectIds[1]}', 'scout', 'x')`,
    ],
    ({ projectIds }) => ({
      check: 'state',
      where: `assignments ${projectIds[1]} scout`,
      what: 'is there; the events say it is not',
    }),
  ],
  [
    'a person who is lost',
    ({ personId }) => [`delete from people where id = '${personId}'`],
    ({ personId }) => ({
      check: 'state',
      where: `people ${personId}`,
      what: expect.stringContaining('is not there'),
    }),
  ],
  [
    'a token that nobody made',
    ({ tokenId }) => [`update credentials set id = 'made-up' where id = '${tokenId}'`],
    () => ({
      check: 'state',
      where: 'credentials made-up',
      what: 'is there; the events say it is not',
    }),
  ],
  [
    'a conversation that is another agent’s than its key says',
    ({ chatKey }) => [`update conversations set agent_id = 'builder' where key = '${chatKey}'`],
    ({ chatKey }) => ({
      check: 'state',
      where: `conversations ${chatKey}`,
      what: 'has another agent_id than its key says',
    }),
  ],
  [
    'a session of another agent than the last that it had',
    ({ threadKey }) => [`update conversations set agent_id = 'scout' where key = '${threadKey}'`],
    ({ threadKey }) => ({
      check: 'state',
      where: `conversations ${threadKey}`,
      what: 'is of agent scout; the last it had is builder',
    }),
  ],
  [
    'a session whose agents are torn',
    ({ threadKey }) => [`update conversations set agents = '[{' where key = '${threadKey}'`],
    ({ threadKey }) => ({
      check: 'state',
      where: `conversations ${threadKey}`,
      what: 'has had agents that cannot be read',
    }),
  ],
  [
    'a session in the lane of another',
    ({ threadKey }) => [
      `update conversations set lane = 'session:gone' where key = '${threadKey}'`,
    ],
    ({ threadKey }) => ({
      check: 'state',
      where: `conversations ${threadKey}`,
      what: 'has the lane of session:gone',
    }),
  ],
  [
    'a session that does not know what it goes on from',
    ({ chatKey }) => [
      `update conversations set continued_from = null where continued_from = '${chatKey}'`,
    ],
    ({ chatKey }) => ({
      check: 'state',
      where: `conversations ${chatKey}`,
      what: expect.stringContaining('which goes on from nothing'),
    }),
  ],
  [
    'a turn that is paused for no known reason',
    () => [`update turns set paused = 'tired'`],
    () => ({
      check: 'state',
      where: expect.stringMatching(/^turns /),
      what: 'is paused for a reason that nobody knows: tired',
    }),
  ],
  [
    'a day of a session that is gone',
    () => [
      `insert into thread_days (day, conversation_key, removed)
        values ('2026-01-02', 'session:gone', 0)`,
    ],
    () => ({
      check: 'state',
      where: 'thread_days 2026-01-02 session:gone',
      what: 'belongs to no row of conversations',
    }),
  ],
  [
    'a landing of no conversation',
    ({ projectIds }) => [landingOf(projectIds[0])],
    () => ({
      check: 'state',
      where: 'landings web:made.up',
      what: expect.stringContaining('no row'),
    }),
  ],
  [
    'a landing that no event tells of',
    ({ projectIds }) => [landingOf(projectIds[0])],
    () => ({ check: 'state', where: 'landings made-up', what: 'is done; the events say nothing' }),
  ],
  [
    'a token for a host of a project that is gone',
    () => [
      `insert into host_tokens (host, person_id, project_id, kind, api, sealed, set_by, set_at)
        values ('github.com', '', 'proj_gone', 'github', 'x', '{}', 'owner', 'x')`,
    ],
    () => ({ check: 'state', where: 'host_tokens proj_gone' }),
  ],
  [
    'a receipt that cannot be read',
    () => [`update receipts set answer = '', sealed = 0`],
    () => ({ check: 'receipts', what: 'has an answer that is no JSON' }),
  ],
  [
    'a sealed receipt that was cut off',
    () => [`update receipts set answer = 'abc'`],
    () => ({ check: 'receipts', what: 'is sealed, but not as we seal' }),
  ],
]

describe.for([...engines])('the deep check on %s', (engine) => {
  test('[RE10] the check finds nothing in a whole store and each fault of another', async () => {
    const place = await newPlace(engine)
    const store = await place.open()
    const made = await fill(store)
    await store.close()
    expect(await place.check()).toEqual([])
    for (const [name, damage, finding] of cases) {
      expect(await place.checkAfter(...damage(made)), name).toContainEqual(
        expect.objectContaining(finding(made)),
      )
    }
    expect(await place.check()).toEqual([])
  })

  test('[RE10] tells the first hundred of a kind, and that there are more', async () => {
    const place = await newPlace(engine)
    await (await place.open()).close()
    const many = Array.from({ length: 150 }, (_, index) => `('stray${index}', 1, 'x', 'x', '{}')`)
    const findings = await place.checkAfter(
      `insert into events (stream, seq, type, at, data) values ${many.join(', ')}`,
    )
    expect(findings).toHaveLength(101)
    expect(findings.at(-1)).toMatchObject({
      check: 'streams',
      what: expect.stringContaining('and more'),
    })
  })
})
