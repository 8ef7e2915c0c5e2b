/**
 * AG6: a folder of the build before, with agents at their vendor's limit in a role and in a chat,
 * goes on as it was wished there.
 */
import { expect, test } from 'vitest'
import { databaseOf, insert } from '../support/earlier-database.ts'
import { engines } from '../support/either-store.ts'
import { usePostgres } from '../support/postgres.ts'

usePostgres()

const at = '2026-03-01T09:00:00.000Z'
const until = '2026-03-01T12:00:00.000Z'

test.each(engines)(
  '[AG6] limits of the build before are carried over with the messages parked by them: %s',
  async (engine) => {
    const db = await databaseOf(engine, 22)
    const limit = { limited_until: until, goes_on_by: 'ann', goes_on_left: 3 }
    const inRole = {
      user_session_id: 'us',
      project_id: 'p',
      agent_id: 'coder',
      launch_id: 'l',
      offers: '{}',
      created_at: at,
    }
    await insert(db, 'role_agents', {
      ...inRole,
      id: 'ra',
      role: 'a.b',
      state: 'ACTIVE',
      ...limit,
      limited_turn_id: 't1',
    })
    await insert(db, 'role_agents', {
      ...inRole,
      id: 'gone',
      role: 'old',
      state: 'TERMINATED',
      ...limit,
      limited_turn_id: 't0',
    })
    const prompt = {
      user_session_id: 'us',
      project_id: 'p',
      agent_id: 'coder',
      about: 'prompt',
      state: 'failed',
      asked_by: 'ann',
    }
    const content = JSON.stringify([{ type: 'text', text: 'first' }])
    const key = 'console:us.a%2Eb'
    await insert(db, 'turns', {
      ...prompt,
      id: 't1',
      conversation_key: key,
      role: 'a.b',
      role_agent_id: 'ra',
      content,
      created_at: at,
    })
    await insert(db, 'turns', {
      ...prompt,
      id: 't0',
      conversation_key: 'console:us.old',
      role: 'old',
      role_agent_id: 'gone',
      content,
    })
    const chat = { conversation_key: 'telegram:42', project_id: 'p', agent_id: 'coder' }
    const held = JSON.stringify(
      [7, 12].map((seq) => ({ seq, priority_rank: 1, created_at: at, chars: 3 })),
    )
    await insert(db, 'chat_limits', { ...chat, held, limited_until: until, goes_on_left: 0 })
    await insert(db, 'turns', {
      ...chat,
      id: 't2',
      about: 'chat',
      state: 'failed',
      content,
      created_at: at,
      ended_at: at,
    })
    for (const [seq, said] of [
      [2, 'answered before'],
      [7, 'say "one"'],
      [12, 'and two'],
    ] as const)
      await insert(db, 'messages', {
        conversation_key: 'telegram:42',
        seq,
        id: `m${seq}`,
        content: said,
        created_at: at,
      })
    await db.migrate()

    const columns =
      'conversation_key, state, limited_until, limited_turn_id, goes_on_by, goes_on_left'
    const contexts = await db.run(
      `select ${columns} from contexts where limited_until is not null order by conversation_key`,
    )
    expect(contexts.map((row) => ({ ...row, goes_on_left: Number(row['goes_on_left']) }))).toEqual([
      { conversation_key: key, state: 'asleep', limited_turn_id: 't1', ...limit },
      {
        conversation_key: 'telegram:42',
        state: 'asleep',
        limited_until: until,
        limited_turn_id: 't2',
        goes_on_by: null,
        goes_on_left: 0,
      },
    ])
    const parked = await db.run(
      "select conversation_key, role_agent_id, retry_of, not_before, content from turns where state = 'queued' order by conversation_key",
    )
    expect(parked.map((row) => ({ ...row, content: JSON.parse(String(row['content'])) }))).toEqual([
      {
        conversation_key: key,
        role_agent_id: 'ra',
        retry_of: 't1',
        not_before: until,
        content: [{ type: 'text', text: 'first' }],
      },
      {
        conversation_key: 'telegram:42',
        role_agent_id: null,
        retry_of: 't2',
        not_before: until,
        content: [{ type: 'text', text: 'say "one"\n\nand two' }],
      },
    ])
  },
)
