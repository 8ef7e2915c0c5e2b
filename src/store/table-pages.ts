/**
 * All rows of a table, page by page in the order of its key, so that memory stays the same however long the table is. For
 * what goes through everything: backup, restore, the deep check. Never on a request's way.
 */
import { type Compilable, type Kysely, sql } from 'kysely'
import type { SearchTables } from './search-tables.ts'
import type { Reader } from './store.ts'
import type { Tables } from './tables.ts'

export const rowsPerPage = 500
/** Of rows that are large, fewer at a time. */
const largeRowsPerPage = 25
const largeRows: ReadonlySet<string> = new Set(['upload_parts', 'question_answers'])

/** Made anew from the others by whoever opens the store: no backup needs them, and each engine has its own. */
type DerivedTable = keyof SearchTables

export type TableName = Exclude<keyof Tables, DerivedTable>

export const pageLengthOf = (table: TableName): number => (largeRows.has(table) ? largeRowsPerPage : rowsPerPage)

/** Every table with its key, those that others refer to first. A new table does not compile until it stands here. */
const tableKeys: Readonly<Record<TableName, readonly string[]>> = {
  meta: ['key'],
  streams: ['name'],
  events: ['stream', 'seq'],
  receipts: ['credential_id', 'operation', 'key'],
  projects: ['id'],
  agents: ['id'],
  assignments: ['project_id', 'agent_id'],
  people: ['id'],
  credentials: ['id'],
  sign_in_codes: ['hash'],
  conversations: ['key'],
  conversation_names: ['name'],
  messages: ['conversation_key', 'seq'],
  chapters: ['conversation_key', 'day'],
  notes: ['day'],
  unread_messages: ['agent_id', 'project_id', 'conversation_key', 'seq'],
  pending_purposes: ['agent_id', 'project_id'],
  open_conversations: ['agent_session_id', 'conversation_key'],
  agent_sessions: ['id'],
  exit_reports: ['reporter_id', 'report_id'],
  coordinator_epochs: ['coordinator_id'],
  ['sessions']: ['id'],
  tasks: ['project_id', 'id'],
  task_dependencies: ['project_id', 'task_id', 'depends_on'],
  human_approvals: ['id'],
  allowances: ['id'],
  coordinators: ['id'],
  launches: ['id'],
  panels: ['project_id', 'agent_id', 'panel_id'],
  user_sessions: ['id'],
  role_agents: ['id'],
  turns: ['id'],
  turn_items: ['turn_id', 'n'],
  contexts: ['id'],
  approaches: ['project_id', 'id'],
  checkpoints: ['session_id', 'number'],
  artifacts: ['session_id', 'name'],
  uploads: ['id'],
  upload_parts: ['upload_id', 'number'],
  leases: ['name'],
  channels: ['channel'],
  channel_chats: ['channel', 'chat_id'],
  pairing_codes: ['channel', 'hash'],
  outgoing: ['channel', 'chat_id', 'n'],
  worktrees: ['id'],
  set_ups: ['project_id'],
  questions: ['id'],
  question_answers: ['question_id', 'part'],
}

export const tableNames = Object.keys(tableKeys) as TableName[]

export async function* pagesOf<Name extends TableName>(reader: Reader, table: Name): AsyncGenerator<Tables[Name][]> {
  const keys = tableKeys[table]
  for (let last: readonly unknown[] | undefined; ; ) {
    const after = last
    const page = await reader.query<Tables[Name]>((db) => pageAfter(db, table, keys, after))
    if (page.length > 0) yield page
    const row = page.at(-1) as Record<string, unknown> | undefined
    if (!row || page.length < pageLengthOf(table)) return
    last = keys.map((key) => row[key])
  }
}

function pageAfter<Row>(
  db: Kysely<Tables>,
  table: TableName,
  keys: readonly string[],
  after: readonly unknown[] | undefined,
): Compilable<Row> {
  const key = sql.join(keys.map((each) => sql.ref(each)))
  const where = after ? sql`where (${key}) > (${sql.join(after)})` : sql``
  const query = sql<Row>`select * from ${sql.table(table)} ${where} order by ${key} limit ${sql.lit(pageLengthOf(table))}`
  return { compile: () => query.compile(db) }
}
