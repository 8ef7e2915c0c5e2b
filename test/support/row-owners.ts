/**
 * Under which stream's lock the rows of each table are decided: one of these streams is enough.
 * Tables that are not here are decided by their keys alone (receipts, tokens, leases), or only
 * added to.
 */
import {
  conversationStream,
  coordinatorStream,
  home,
  noteStream,
  projectStream,
  type StreamName,
  turnsStream,
  userSessionStream,
} from '../../src/domain/stream-name.ts'
import type { Table } from '../../src/store/rows.ts'

/** A row as it was read or written, perhaps without some of its columns. */
export type PartialRow = Readonly<Record<string, unknown>>
type Owner = (row: PartialRow) => readonly StreamName[]

const by =
  (column: string, ...streams: ((id: string) => StreamName)[]): Owner =>
  (row) => {
    const id = row[column]
    return typeof id === 'string' ? streams.map((stream) => stream(id)) : []
  }

const project = by('project_id', projectStream)
const userSession = by('user_session_id', userSessionStream)
const coordinator = by('coordinator_id', coordinatorStream)
const conversation = by('conversation_key', conversationStream, turnsStream)
/** A conversation of an agent in a role is decided with its user session. */
const consoleOf =
  (column: string): Owner =>
  (row) => {
    const [, id] = /^console:([^.]+)\./.exec(String(row[column])) ?? []
    return id ? [userSessionStream(id)] : []
  }
const anyConversation = [conversation, consoleOf('conversation_key')]
const atHome: Owner = () => [home]

const owners: Partial<Record<Table, readonly Owner[]>> = {
  agents: [atHome],
  assignments: [atHome, project],
  projects: [atHome, by('id', projectStream)],
  coordinators: [atHome, by('id', coordinatorStream)],
  launches: [project, coordinator],
  questions: [project, coordinator],
  agent_sessions: [project],
  pending_purposes: [project],
  user_sessions: [by('id', userSessionStream), project],
  role_agents: [userSession],
  worktrees: [project, userSession],
  sessions: [project],
  tasks: [project],
  approaches: [project],
  human_approvals: [project, userSession],
  allowances: [project],
  conversations: [by('key', conversationStream, turnsStream), consoleOf('key')],
  messages: anyConversation,
  unread_messages: anyConversation,
  imported_sessions: [conversation],
  session_names: [conversation],
  chapters: anyConversation,
  thread_days: [...anyConversation, by('day', noteStream)],
  notes: [by('day', noteStream)],
  contexts: anyConversation,
  turns: [...anyConversation, userSession],
  turn_files: anyConversation,
  file_operations: anyConversation,
  comments: anyConversation,
  comment_places: anyConversation,
  landings: anyConversation,
  landing_steps: anyConversation,
}

export const ownedTables = Object.keys(owners) as readonly Table[]

/** The streams of which one must be held; empty when the row does not say. */
export const ownersOf = (table: string, row: PartialRow): readonly StreamName[] =>
  (owners[table as Table] ?? []).flatMap((owner) => owner(row))
