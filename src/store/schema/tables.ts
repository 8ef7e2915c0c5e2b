/**
 * The tables as TypeScript types: those of the log here, the others in a file for each area. Times
 * are RFC 3339 text, JSON is text, booleans are 1 and 0: the same on both engines, and readable
 * with any SQL client.
 */

import type { Instant } from '../../domain/instant.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { accessTables } from './access.ts'
import { agentSessionTables } from './agent-sessions.ts'
import { agentTables } from './agents.ts'
import { approvalTables } from './approvals.ts'
import { channelTables } from './channels.ts'
import { column, fixed, key, type RowOf } from './column.ts'
import { consoleTables } from './consoles.ts'
import { conversationTables, searchTables } from './conversations.ts'
import { processTables } from './processes.ts'
import { projectTables } from './projects.ts'
import { reviewTables } from './review.ts'
import { turnTables } from './turns.ts'
import { workTables } from './work.ts'
import { worktreeTables } from './worktrees.ts'

type MetaKey =
  | 'store_id'
  | 'incarnation'
  | 'schema_version'
  | 'created_at'
  | 'backed_up_at'
  | 'agent_sessions_swept_at'
  | 'cutover'
  /** SE12: the id of the key that agents' keys are sealed with. */
  | 'sealing_key'
  /**
   * SE12: `kept` where an earlier build left plain values, `sealed` until their text is erased from
   * the files.
   */
  | 'plain_values'

export const tables = {
  meta: {
    key: key<MetaKey>(),
    value: column<string>(),
  },

  streams: {
    name: key<StreamName>(),
    /** The number of the newest event. */
    head: column<number>(),
    /** Events up to this number were trimmed. */
    floor: column<number>(),
  },

  events: {
    stream: key<StreamName>(),
    seq: key<number>(),
    type: fixed<string>(),
    at: fixed<Instant>(),
    data: fixed<string | null>(null),
    ref_stream: fixed<StreamName | null>(null),
    ref_seq: fixed<number | null>(null),
  },

  receipts: {
    credential_id: key<string>(),
    operation: key<string>(),
    key: key<string>(),
    content_hash: fixed<string>(),
    answer: fixed<string>(),
    sealed: fixed<number>(),
    created_at: fixed<Instant>(),
  },

  ...accessTables,
  ...agentSessionTables,
  ...agentTables,
  ...approvalTables,
  ...channelTables,
  ...consoleTables,
  ...conversationTables,
  ...processTables,
  ...projectTables,
  ...reviewTables,
  ...turnTables,
  ...workTables,
  ...worktreeTables,
  ...searchTables,
}

export type Tables = { [Name in keyof typeof tables]: RowOf<(typeof tables)[Name]> }
