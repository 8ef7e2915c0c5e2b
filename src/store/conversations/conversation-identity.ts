/**
 * Tells what a conversation is: from its row, or from its key while it has not begun. Nobody else
 * reads a key.
 */
import {
  type ConversationIdentity,
  channelOf,
  identityFromKey,
} from '../../domain/conversations/key.ts'
import { columns, fields } from '../fields.ts'
import type { Tables } from '../schema/tables.ts'
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

/** The same for several, in one read. */
export async function identitiesOf(
  reader: Reader,
  keys: readonly string[],
): Promise<ConversationIdentity[]> {
  const [key = ''] = keys
  if (keys.length === 1) return [await identityOf(reader, key)]
  const rows = await reader.query((db) =>
    db
      .selectFrom('conversations')
      .select(['key', ...identityColumns])
      .where('key', 'in', keys),
  )
  const found = new Map(rows.map((row) => [row.key, identityIn(row)]))
  return keys.map((each) => found.get(each) ?? identityFromKey(each))
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

/** The name of the channel it is listed under, also of another program's. */
export const channelOfConversation = ({ key }: Pick<ConversationRow, 'key'>): string =>
  channelOf(key)

/** The first column that says something else than the key, where a rule reads that key. */
export function differsFromKey(row: ConversationRow): string | undefined {
  const named = identityToBegin(row.key)
  if (named.kind === 'other') return undefined
  return identityColumns.find((name) => named[name] !== null && named[name] !== row[name])
}
