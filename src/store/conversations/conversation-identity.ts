/**
 * Tells what a conversation is: from its row, or from its key while it has not begun. Nobody else
 * reads a key.
 */
import {
  type ConversationIdentity,
  channelOf,
  identityFromKey,
  webKey,
} from '../../domain/conversations/key.ts'
import type { Post } from '../agent-sessions/agent-sessions.ts'
import { columns, fields } from '../fields.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

type ConversationRow = Tables['conversations']

const identityColumns = [
  'kind',
  'project_id',
  'agent_id',
  'other_agent_id',
  'user_session_id',
  'role',
  'work_session_id',
] as const
export type IdentityColumns = Pick<ConversationRow, (typeof identityColumns)[number]>

export const identityIn = (row: IdentityColumns): ConversationIdentity =>
  fields(row, ...identityColumns)

/** The columns of a conversation that begins under this key. */
export const identityToBegin = (key: string): IdentityColumns =>
  columns(identityFromKey(key), ...identityColumns)

export async function identityOf(reader: Reader, key: string): Promise<ConversationIdentity> {
  const row = await reader.row('conversations', { key })
  return row ? identityIn(row) : identityFromKey(key)
}

/** What a conversation is, and which processes serve it. */
export interface PlacedConversation extends ConversationIdentity {
  readonly lane: string
}

/** The same for several, with their lanes, in one read. */
export async function identitiesOf(
  reader: Reader,
  keys: readonly string[],
): Promise<PlacedConversation[]> {
  const rows = await reader.query((db) =>
    db
      .selectFrom('conversations')
      .select(['key', 'lane', ...identityColumns])
      .where('key', 'in', keys),
  )
  const found = new Map(rows.map((row) => [row.key, { ...identityIn(row), lane: row.lane }]))
  return keys.map((each) => found.get(each) ?? { ...identityFromKey(each), lane: '' })
}

/** An agent in a role of a user session. */
export interface RolePlace {
  readonly userSessionId: string
  readonly role: string
}

/** The role that a conversation is of; undefined for others. */
export const rolePlaceOf = ({
  userSessionId,
  role,
}: Pick<ConversationIdentity, 'userSessionId' | 'role'>): RolePlace | undefined =>
  userSessionId !== null && role !== null ? { userSessionId, role } : undefined

/** The agents of a conversation: two, of one between agents. */
export const agentsOf = ({
  agentId,
  otherAgentId,
}: Pick<ConversationIdentity, 'agentId' | 'otherAgentId'>): string[] =>
  [agentId, otherAgentId].filter((id) => id !== null)

/** The other agent of a conversation between agents. Undefined for any other conversation. */
export const otherAgent = (
  { kind, ...identity }: ConversationIdentity,
  agentId: string,
): string | undefined => {
  const agentIds = kind === 'agent' ? agentsOf(identity) : []
  return agentIds.includes(agentId) ? agentIds.find((id) => id !== agentId) : undefined
}

const selectLane = statement<{ key: string; agentId: string }>()((db, p) =>
  db
    .selectFrom('conversations')
    .leftJoin('agents', (join) => join.on('agents.id', '=', p.agentId))
    .select(['conversations.lane', 'agents.command'])
    .where('conversations.key', '=', p.key),
)

/**
 * The processes of an agent that run what a conversation asks it, by the conversation that began
 * it all. One that none of our coordinators starts does everything in one place.
 */
export async function laneOf(reader: Reader, key: string, agentId: string): Promise<string> {
  const found = await reader.first(selectLane, { key, agentId })
  return found?.command == null ? '' : found.lane
}

/**
 * The conversation that people have with an agent: its thread, or the chat of its common processes.
 */
export async function chatOfPost(reader: Reader, post: Post): Promise<string> {
  const { lane, agentId, projectId } = post
  const thread = lane === '' ? undefined : await reader.row('conversations', { key: lane })
  // In the lane of another agent's thread, this one answers what that asks.
  return thread?.agent_id === agentId ? thread.key : webKey(projectId, agentId)
}

/** The name of the channel it is listed under, also of another program's. */
export const channelOfConversation = ({ key }: Pick<ConversationRow, 'key'>): string =>
  channelOf(key)

/** The first column that says something else than the key, where a rule reads that key. */
export function differsFromKey(row: ConversationRow): string | undefined {
  const named = identityToBegin(row.key)
  // A thread's key says nothing; one of another program may have the same form.
  if (named.kind === 'other' || named.kind === 'session') return undefined
  // A thread with an id of its own is told by its row alone.
  if (named.kind === 'channel' && row.kind === 'channel-thread') return undefined
  return identityColumns.find((name) => named[name] !== null && named[name] !== row[name])
}
