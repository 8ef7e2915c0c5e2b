/**
 * RE10: rows of the builds before sandboxes, secrets, questions and file states, brought up to
 * today's form.
 */
import { expect, test } from 'vitest'
import { databaseOf, insert } from '../support/earlier-database.ts'
import { engines } from '../support/either-store.ts'
import { usePostgres } from '../support/postgres.ts'

usePostgres()

const at = '2026-03-01T09:00:00.000Z'
const message = {
  conversation_key: 'web:p.a',
  role: 'user',
  sender_id: 'owner',
  visible: 1,
  priority: 'normal',
  created_at: at,
}

test.each(engines)(
  '[RE10] migrations 28 to 38 keep what is there and add what is empty: %s',
  async (engine) => {
    const db = await databaseOf(engine, 27)
    await insert(db, 'projects', { id: 'p', name: 'P', settings: '{}', created_at: at })
    await insert(db, 'agents', { id: 'a', name: 'A', command: 'x', created_at: at })
    await insert(db, 'assignments', { agent_id: 'a', project_id: 'p' })
    for (const id of ['owner', 'bo'])
      await insert(db, 'people', { id, name: id, role: 'member', created_at: at })
    await insert(db, 'conversations', {
      key: 'web:p.a',
      summary: 'so far',
      created_at: at,
      updated_at: at,
    })
    for (const seq of [1, 2])
      await insert(db, 'messages', { ...message, seq, id: `m${seq}`, content: `said ${seq}` })
    await insert(db, 'turns', {
      id: 't',
      conversation_key: 'web:p.a',
      agent_id: 'a',
      project_id: 'p',
      state: 'answered',
      created_at: at,
    })
    const context = { agent_id: 'a', project_id: 'p', created_at: at }
    await insert(db, 'contexts', { ...context, id: 'c', state: 'asleep', acp_session_id: 's1' })
    await insert(db, 'contexts', { ...context, id: 'd', state: 'ended', acp_session_id: 's2' })
    const launch = {
      agent_id: 'a',
      project_id: 'p',
      coordinator_id: 'here',
      state: 'ended',
      ordered_at: at,
    }
    await insert(db, 'launches', { ...launch, id: 'l', output: 'said' })
    await db.migrate()
    const only = async (sql: string) => (await db.run(sql)).map((row) => ({ ...row }))
    expect(await only('select name, isolation, report from agents')).toEqual([
      { name: 'A', isolation: '{}', report: null },
    ])
    expect(await only('select agent_id, isolation from assignments')).toEqual([
      { agent_id: 'a', isolation: '{}' },
    ])
    const seen = await only(
      'select person_id, conversation_key, seq from seen_conversations order by person_id',
    )
    expect(seen.map((row) => ({ ...row, seq: Number(row['seq']) }))).toEqual([
      { person_id: 'bo', conversation_key: 'web:p.a', seq: 2 },
      { person_id: 'owner', conversation_key: 'web:p.a', seq: 2 },
    ])
    expect(await only('select summary, titled_by, forked_from from conversations')).toEqual([
      { summary: 'so far', titled_by: null, forked_from: null },
    ])
    expect(await only('select content, rewound_by from messages order by seq')).toEqual([
      { content: 'said 1', rewound_by: null },
      { content: 'said 2', rewound_by: null },
    ])
    expect(await only('select state, notice from turns')).toEqual([
      { state: 'answered', notice: null },
    ])
    const bare = { commands: null, offers: null, fork_of: null }
    expect(
      await only('select id, acp_session_id, commands, offers, fork_of from contexts order by id'),
    ).toEqual([
      { id: 'c', acp_session_id: 's1', ...bare },
      { id: 'd', acp_session_id: null, ...bare },
    ])
    expect(await only('select output, unknown, tools from launches')).toEqual([
      { output: 'said', unknown: null, tools: null },
    ])
    const empty = [
      'turn_files',
      'file_operations',
      'secrets',
      'secret_agents',
      'secret_uses',
      'model_usage',
    ]
    for (const table of empty) expect(await only(`select * from ${table}`), table).toEqual([])
    expect(await only('select question, answer from human_approvals')).toEqual([])
  },
)

test.each(engines)(
  '[RE10] migration 41 names what people put in for others by its role, and nothing else: %s',
  async (engine) => {
    const db = await databaseOf(engine, 40)
    for (const id of ['bo', 'owner'])
      await insert(db, 'people', { id, name: id, role: 'member', created_at: at })
    const rows = [
      ['user', 'bo', null],
      ['assistant', 'bo', 'assistant'],
      ['tool', 'owner', 'tool'],
      ['assistant', 'coder', null],
      ['system', 'system', null],
    ] as const
    for (const [seq, [role, sender_id]] of rows.entries())
      await insert(db, 'messages', {
        ...message,
        seq,
        id: `m${seq}`,
        content: 'said',
        role,
        sender_id,
      })
    await insert(db, 'conversations', {
      key: 'web:p.a',
      summary: 'so far',
      created_at: at,
      updated_at: at,
    })
    await db.migrate()
    const carried = await db.run('select role, sender_id, sender_name from messages order by seq')
    expect(
      carried.map(({ role, sender_id, sender_name }) => [role, sender_id, sender_name]),
    ).toEqual(rows)
    expect(
      (await db.run('select summary, summary_by from conversations')).map((row) => ({ ...row })),
    ).toEqual([{ summary: 'so far', summary_by: null }])
  },
)
