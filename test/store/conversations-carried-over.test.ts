/**
 * RE10: conversations of the builds whose keys said what they are, brought up to columns that say
 * so.
 */
import { expect, test } from 'vitest'
import { type ConversationIdentity, identityFromKey } from '../../src/domain/conversations/key.ts'
import { identityIn } from '../../src/store/conversations/conversation-identity.ts'
import { databaseOf, insert } from '../support/earlier-database.ts'
import { engines } from '../support/either-store.ts'
import { usePostgres } from '../support/postgres.ts'

usePostgres()

const at = '2026-03-01T09:00:00.000Z'

const conversations: Readonly<Record<string, Partial<ConversationIdentity>>> = {
  'web:p.coder': { kind: 'web', projectId: 'p', agentId: 'coder' },
  'web:p.coder.second': { kind: 'web', projectId: 'p', agentId: 'coder' },
  'web:p..coder': { kind: 'other' },
  'web:p': { kind: 'other' },
  'web:.coder': { kind: 'other' },
  'agent:ann~bob': { kind: 'agent', agentId: 'ann', otherAgentId: 'bob' },
  'agent:bob~ann': { kind: 'other' },
  'agent:ann~bob~cy': { kind: 'other' },
  'agent:ann': { kind: 'other' },
  'console:us1.lead': { kind: 'console', userSessionId: 'us1', role: 'lead' },
  'console:us1.a%2Fb%5Cc%2Ed%252F 承': {
    kind: 'console',
    userSessionId: 'us1',
    role: 'a/b\\c.d%2F 承',
  },
  'console:us1': { kind: 'console' },
  'work:ws1.coder': { kind: 'work', workSessionId: 'ws1', agentId: 'coder' },
  'work:ws1': { kind: 'work' },
  'fork:f1': { kind: 'fork' },
  'schedule:s': { kind: 'schedule' },
  'import:i': { kind: 'import' },
  'race:r': { kind: 'race' },
  'telegram:7': { kind: 'channel' },
  'telegrams:7': { kind: 'other' },
  'Web:p.coder': { kind: 'other' },
  'slacks:p.coder': { kind: 'other' },
  'none of ours': { kind: 'other' },
}

const empty = {
  projectId: null,
  agentId: null,
  otherAgentId: null,
  userSessionId: null,
  role: null,
  workSessionId: null,
}

test.each(engines)(
  '[RE10] migration 45 writes what each conversation is beside its key, as the key says it: %s',
  async (engine) => {
    const db = await databaseOf(engine, 44)
    for (const key of Object.keys(conversations))
      await insert(db, 'conversations', { key, created_at: at, updated_at: at })
    await db.migrate()
    const rows = await db.run(
      `select key, kind, project_id, agent_id, other_agent_id, user_session_id, role, work_session_id
        from conversations`,
    )
    const carried = Object.fromEntries(
      rows.map(({ key, ...row }) => [key, identityIn(row as never)]),
    )
    for (const [key, said] of Object.entries(conversations)) {
      expect(carried[key], key).toEqual({ ...empty, ...said })
      expect(identityFromKey(key), key).toEqual({ ...empty, ...said })
    }
  },
)

test.each(engines)(
  '[RE10] migration 45 keeps the project and agent that rows have: %s',
  async (engine) => {
    const db = await databaseOf(engine, 44)
    const begun = { project_id: 'p', agent_id: 'coder', created_at: at, updated_at: at }
    for (const key of ['fork:f', 'work:w.coder', 'console:u.r', 'telegram:7'])
      await insert(db, 'conversations', { key, ...begun })
    await db.migrate()
    const rows = await db.run('select project_id, agent_id from conversations')
    expect(rows.map((row) => ({ ...row }))).toEqual(
      Array(4).fill({ project_id: 'p', agent_id: 'coder' }),
    )
  },
)

test.each(engines)(
  '[RE10] [SE28] migration 45 gives the worktree of a console’s fork to its person alone: %s',
  async (engine) => {
    const db = await databaseOf(engine, 44)
    const times = { created_at: at, updated_at: at }
    await insert(db, 'conversations', { key: 'fork:hers', account_id: 'ada', ...times })
    await insert(db, 'conversations', { key: 'fork:shared', ...times })
    await insert(db, 'conversations', { key: 'web:p.coder', account_id: 'ada', ...times })
    const worktree = { project_id: 'p', account_id: '', created_at: at, last_used_at: at }
    for (const key of ['fork:hers', 'fork:shared', 'fork:gone', 'web:p.coder'])
      await insert(db, 'worktrees', { ...worktree, id: key, top: key, conversation_key: key })
    await insert(db, 'worktrees', {
      ...worktree,
      id: 'role',
      account_id: 'bo',
      user_session_id: 'u',
    })
    await db.migrate()
    const rows = await db.run('select id, account_id from worktrees order by id')
    expect(Object.fromEntries(rows.map(({ id, account_id }) => [id, account_id]))).toEqual({
      'fork:hers': 'ada',
      'fork:shared': '',
      'fork:gone': '',
      'web:p.coder': '',
      role: 'bo',
    })
  },
)
