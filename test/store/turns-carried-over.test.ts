/**
 * RE10, CH12: rows such as the last build with two kinds of turns wrote, of both in each state, and
 * what becomes of each.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { consoleKey } from '../../src/domain/conversations/key.ts'
import { databaseOf, insert } from '../support/earlier-database.ts'
import { engines } from '../support/either-store.ts'
import { usePostgres } from '../support/postgres.ts'

usePostgres()

const at = '2026-03-01T09:00:00.000Z'
const later = '2026-03-01T09:05:00.000Z'
const role = 'a.b/c%d\\e'
const key = consoleKey('us', role)
const pair = { agent_id: 'coder', project_id: 'p' }
const content = JSON.stringify([{ type: 'text', text: 'do' }])

describe.each(engines)('%s', (engine) => {
  let db: Awaited<ReturnType<typeof databaseOf>>
  const add = (table: string, row: Record<string, unknown>) => insert(db, table, row)
  const rows = async (sql: string) =>
    (await db.run(sql)).map((row) => {
      const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
      return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)]))
    })
  beforeEach(async () => {
    db = await databaseOf(engine, 21)
  })

  test('[RE10] [CH12] prompts in roles are carried over in each state, with context', async () => {
    const agent = {
      user_session_id: 'us',
      ...pair,
      offers: '{}',
      created_at: at,
      last_active_at: at,
      work_session_id: 'w',
    }
    const lives = {
      ...agent,
      id: 'lives',
      role,
      state: 'ACTIVE',
      launch_id: 'l',
      acp_session_id: 'acp',
      opened_at: later,
    }
    await add('role_agents', lives)
    await add('role_agents', {
      ...agent,
      id: 'starts',
      role: 'starts',
      state: 'SPAWNING',
      launch_id: 'l2',
    })
    await add('role_agents', {
      ...agent,
      id: 'gone',
      role,
      state: 'TERMINATED',
      launch_id: 'l0',
      acp_session_id: 'old',
    })
    const asked = {
      user_session_id: 'us',
      role_agent_id: 'lives',
      role,
      launch_id: 'l',
      content,
      asked_by: 'ann',
      created_at: at,
    }
    const over = { started_seq: 3, started_at: at, ended_at: later }
    const before = [
      {
        id: 't-running',
        state: 'running',
        asked_seq: 2,
        started_seq: 9,
        started_at: at,
        cancel_ordered_at: later,
      },
      { id: 't-queued', state: 'queued', asked_seq: 10 },
      {
        ...over,
        id: 't-answered',
        state: 'answered',
        answer: 'done',
        cut: 1,
        stop_reason: 'end_turn',
        ended_seq: 4,
      },
      {
        ...over,
        id: 't-cancelled',
        state: 'cancelled',
        stop_reason: 'cancelled',
        ended_seq: 5,
        cancel_request_id: 'r',
      },
      { ...over, id: 't-failed', state: 'failed', error: 'no', ended_seq: 6 },
      {
        ...over,
        id: 't-unknown',
        state: 'unknown',
        ended_seq: 7,
        role_agent_id: 'gone',
        launch_id: 'l0',
      },
    ]
    for (const row of before) await add('turns', { ...asked, ...row })
    await db.migrate()
    const empty = {
      answer: '',
      cut: 0,
      stop_reason: null,
      error: null,
      asked_seq: 0,
      started_seq: null,
      ended_seq: null,
    }
    const unset = {
      started_at: null,
      ended_at: null,
      cancel_ordered_at: null,
      cancel_request_id: null,
      context_id: null,
    }
    const added = {
      ...pair,
      conversation_key: key,
      origin_key: '',
      about: 'prompt',
      work_session_id: 'w',
      through_seq: null,
    }
    const fresh = {
      primer: null,
      usage: null,
      retry_of: null,
      not_before: null,
      agent_session_id: null,
      task_id: null,
      cancel_by: null,
      notice: null,
    }
    const expected = before
      .map((row) => ({
        ...empty,
        ...unset,
        ...added,
        ...fresh,
        ...asked,
        ...row,
        begins_beside: 0,
        paused: null,
        lane: '',
      }))
      .map((row) => (row.id === 't-running' ? { ...row, context_id: 'ctx-lives' } : row))
    const found = (await rows('select * from turns')).map((row) =>
      numbers(row, 'cut', 'asked_seq', 'started_seq', 'ended_seq', 'begins_beside'),
    )
    expect(found.sort(byId)).toEqual(expected.sort(byId))
    expect(
      await rows(
        'select id, conversation_key, state, launch_id, acp_session_id, opened_at, how, limited_until from contexts',
      ),
    ).toEqual([
      {
        id: 'ctx-lives',
        conversation_key: key,
        state: 'open',
        launch_id: 'l',
        acp_session_id: 'acp',
        opened_at: later,
        how: 'new',
        limited_until: null,
      },
    ])
    expect(await rows('select id, asleep_at from role_agents order by id')).toEqual(
      ['gone', 'lives', 'starts'].map((id) => ({ id, asleep_at: null })),
    )
  })

  test('[RE10] [CH12] turns of chats and tasks are carried over in each state', async () => {
    await add('agent_sessions', {
      id: 's',
      ...pair,
      state: 'active',
      launch_id: 'l',
      work_session_id: 'w',
    })
    const turn = {
      ...pair,
      launch_id: 'l',
      agent_session_id: 's',
      about: 'chat',
      conversation_key: 'web:p.coder',
      content,
      created_at: at,
    }
    const task = { ...turn, about: 'task', conversation_key: null, task_id: 'task_1' }
    for (const row of [
      { ...turn, id: 'c-running', state: 'running', cancel_ordered_at: later },
      { ...turn, id: 'c-answered', state: 'answered', ended_at: later },
      { ...turn, id: 'c-failed', state: 'failed', error: 'no', ended_at: later },
      { ...turn, id: 'c-cancelled', state: 'cancelled', ended_at: later },
      { ...turn, id: 'c-unknown', state: 'unknown', ended_at: later },
      {
        ...turn,
        id: 'c-summary',
        about: 'summary',
        through_seq: 7,
        state: 'answered',
        ended_at: later,
      },
      { ...task, id: 'c-task', state: 'running' },
      {
        ...task,
        id: 'c-task-forgotten',
        state: 'answered',
        agent_session_id: 'trimmed',
        ended_at: later,
      },
    ])
      await add('chat_turns', row)
    // By their numbers, not by their order as text.
    for (const [n, said] of [
      [10, 'three'],
      [2, 'one '],
      [9, 'two '],
    ] as const)
      await add('turn_pieces', { turn_id: 'c-running', n, said })
    await add('turn_pieces', { turn_id: 'c-task', n: 1, said: 'half' })
    await db.migrate()
    const columns =
      'id, conversation_key, about, state, stop_reason, error, answer, task_id, work_session_id'
    const found = await rows(`select ${columns} from turns order by id`)
    const chat = {
      conversation_key: 'web:p.coder',
      about: 'chat',
      stop_reason: null,
      error: null,
      answer: '',
      task_id: null,
      work_session_id: 'w',
    }
    const work = { ...chat, conversation_key: 'work:w.coder', about: 'task', task_id: 'task_1' }
    expect(found).toEqual([
      { ...chat, id: 'c-answered', state: 'answered', stop_reason: 'end_turn' },
      { ...chat, id: 'c-cancelled', state: 'cancelled' },
      { ...chat, id: 'c-failed', state: 'failed', stop_reason: 'error', error: 'no' },
      { ...chat, id: 'c-running', state: 'running', answer: 'one two three' },
      { ...chat, id: 'c-summary', about: 'summary', state: 'answered', stop_reason: 'end_turn' },
      { ...work, id: 'c-task', state: 'running', answer: 'half' },
      {
        ...work,
        id: 'c-task-forgotten',
        state: 'answered',
        stop_reason: 'end_turn',
        conversation_key: 'work:trimmed.coder',
        work_session_id: null,
      },
      { ...chat, id: 'c-unknown', state: 'unknown' },
    ])
    const still = {
      launch_id: 'l',
      agent_session_id: 's',
      created_at: at,
      started_at: at,
      content,
      context_id: null,
    }
    expect(
      await rows(
        "select launch_id, agent_session_id, created_at, started_at, content, context_id, ended_at, cancel_ordered_at from turns where id in ('c-running', 'c-failed') order by id",
      ),
    ).toEqual([
      { ...still, ended_at: later, cancel_ordered_at: null },
      { ...still, ended_at: null, cancel_ordered_at: later },
    ])
  })

  test('[RE10] [CH12] each unread message is in one turn: running, handed or waiting', async () => {
    for (const [id, state, agent_id] of [
      ['acp', 'active', 'coder'],
      ['pulls', 'terminating', 'puller'],
      ['over', 'ended', 'coder'],
    ])
      await add('agent_sessions', {
        id,
        ...pair,
        agent_id,
        state,
        launch_id: `l-${id}`,
        token_hash: id,
      })
    const web = 'web:p.coder'
    await add('chat_turns', {
      ...pair,
      id: 'c',
      launch_id: 'l-acp',
      agent_session_id: 'acp',
      about: 'chat',
      conversation_key: web,
      content,
      state: 'running',
      created_at: at,
    })
    const agentOf = (where: string): string => (where === web ? 'coder' : 'puller')
    const unread = (conversation_key: string, seq: number, delivered_to: string | null) =>
      add('unread_messages', {
        ...pair,
        agent_id: agentOf(conversation_key),
        conversation_key,
        seq,
        priority_rank: 1,
        chars: seq,
        created_at: seq % 2 ? at : later,
        delivered_to,
      })
    await unread(web, 1, 'acp')
    await unread(web, 2, null)
    await unread(web, 3, 'over')
    await unread('telegram:7', 4, 'pulls')
    await unread('telegram:7', 5, 'pulls')
    await unread('telegram:7', 6, null)
    await db.migrate()
    const messages = await rows(
      'select conversation_key, seq, chars, turn_id from unread_messages order by seq',
    )
    const waits = (where: string) => `queued-${agentOf(where)}-p-${where}`
    expect(messages.map((row) => numbers(row, 'seq', 'chars'))).toEqual(
      [
        [web, 1, 'c'],
        [web, 2, waits(web)],
        [web, 3, waits(web)],
        ['telegram:7', 4, 'handed-pulls-telegram:7'],
        ['telegram:7', 5, 'handed-pulls-telegram:7'],
        ['telegram:7', 6, waits('telegram:7')],
      ].map(([conversation_key, seq, turn_id]) => ({ conversation_key, seq, chars: seq, turn_id })),
    )
    const turns = await rows(
      'select id, state, launch_id, agent_session_id, created_at, started_at from turns order by id',
    )
    const queued = { state: 'queued', launch_id: null, agent_session_id: null, started_at: null }
    const running = { state: 'running', created_at: at, started_at: at }
    expect(turns).toEqual([
      { id: 'c', ...running, launch_id: 'l-acp', agent_session_id: 'acp' },
      {
        id: 'handed-pulls-telegram:7',
        ...running,
        launch_id: 'l-pulls',
        agent_session_id: 'pulls',
      },
      { id: waits(web), ...queued, created_at: at },
      { id: waits('telegram:7'), ...queued, created_at: later },
    ])
  })

  test('[RE10] a living process of a chat is given no other turn; the rest is kept', async () => {
    const launch = { ...pair, coordinator_id: 'k', ready_at: at, role_agent_id: null }
    for (const [id, more] of Object.entries({
      chats: { state: 'running' },
      starts: { state: 'starting', ready_at: null },
      inRole: { state: 'running', role_agent_id: 'ra' },
      over: { state: 'ended' },
    }))
      await add('launches', { ...launch, id, ...more })
    await add('coordinators', { id: 'k' })
    await add('conversations', {
      key: 'web:p.coder',
      summary: 'so far',
      flags: '{"a":1}',
      created_at: at,
      updated_at: later,
    })
    await add('messages', {
      conversation_key: 'web:p.coder',
      seq: 1,
      id: 'm',
      content: 'hello',
      created_at: at,
    })
    await add('human_approvals', {
      id: 5,
      project_id: 'p',
      status: 'pending',
      submitted_at: at,
    })
    await add('worktrees', {
      id: 'wt',
      project_id: 'p',
      user_session_id: 'us',
      role,
      created_at: at,
    })
    await db.migrate()
    const limits = await rows('select id, context_limit, agent_name from launches order by id')
    expect(limits.map((row) => numbers(row, 'context_limit'))).toEqual([
      { id: 'chats', context_limit: 0, agent_name: null },
      { id: 'inRole', context_limit: null, agent_name: null },
      { id: 'over', context_limit: null, agent_name: null },
      { id: 'starts', context_limit: null, agent_name: null },
    ])
    const [coordinator] = await rows('select contexts from coordinators')
    expect(Number(coordinator?.['contexts'])).toBe(0)
    const kept = {
      key: 'web:p.coder',
      summary: 'so far',
      flags: '{"a":1}',
      title: null,
      account_id: null,
      workplace: null,
    }
    const conversations = await rows(
      'select key, summary, flags, generation, title, account_id, workplace from conversations',
    )
    expect(conversations.map((row) => numbers(row, 'generation'))).toEqual([
      { ...kept, generation: 0 },
    ])
    expect(await rows('select id, content, origin_key, sender_name from messages')).toEqual([
      { id: 'm', content: 'hello', origin_key: null, sender_name: null },
    ])
    expect(await rows('select status, conversation_key from human_approvals')).toEqual([
      { status: 'pending', conversation_key: null },
    ])
    expect(await rows('select id, role, conversation_key from worktrees')).toEqual([
      { id: 'wt', role, conversation_key: null },
    ])
  })
})

const byId = (one: Record<string, unknown>, other: Record<string, unknown>): number =>
  String(one['id']) < String(other['id']) ? -1 : 1

/** PostgreSQL's counters are told as text. */
const numbers = (row: Record<string, unknown>, ...names: readonly string[]) => ({
  ...row,
  ...Object.fromEntries(names.map((name) => [name, row[name] === null ? null : Number(row[name])])),
})
