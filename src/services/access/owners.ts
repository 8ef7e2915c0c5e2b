/**
 * Finds whose something is (SE28). A console is its person's, and so are its conversation, forks of
 * it, its processes, worktrees and what it asks for. Every way to read asks here: lists, single
 * reads, events, snapshots, search, notes and tools.
 */
import type { InputOn, Subject } from '../../domain/access/rights.ts'
import { isVisible, type Owner, type Viewer } from '../../domain/access/visibility.ts'
import { parseStream, type StreamName } from '../../domain/stream-name.ts'
import { identityOf } from '../../store/conversations/conversation-identity.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import type { Reader } from '../../store/store.ts'

/** Something that may be one person's, by what its rows and events name. */
export type Belonging =
  | { readonly of: 'conversation'; readonly key: string }
  | { readonly of: 'user-session'; readonly id: string }
  | { readonly of: 'role-agent'; readonly id: string }
  | { readonly of: 'worktree'; readonly id: string }
  | { readonly of: 'approval'; readonly id: number }
  | { readonly of: 'person'; readonly id: string }

export async function ownerOf(reader: Reader, thing: Belonging): Promise<Owner> {
  switch (thing.of) {
    case 'conversation':
      return ownerOfConversation(reader, thing.key)
    case 'user-session':
      return (await reader.row('user_sessions', { id: thing.id }))?.account_id
    case 'role-agent': {
      const row = await reader.row('role_agents', { id: thing.id })
      return row && ownerOf(reader, { of: 'user-session', id: row.user_session_id })
    }
    case 'person':
      return thing.id
    case 'worktree': {
      const row = await reader.row('worktrees', { id: thing.id })
      return row && (row.account_id || null)
    }
    case 'approval': {
      const row = await reader.row('human_approvals', { id: thing.id })
      return row && ownerOfApproval(reader, row)
    }
  }
}

/**
 * Where a conversation's row names nobody. A console that came back from files without its person
 * is nobody's.
 */
export const ownerInRow = ({
  kind,
  account_id,
}: Pick<ConversationRow, 'kind' | 'account_id'>): Owner =>
  account_id ?? (kind === 'console' ? undefined : null)

/** One that has not begun is its console's, or its project's; others are not there. */
async function ownerOfConversation(reader: Reader, key: string): Promise<Owner> {
  const row = await reader.row('conversations', { key })
  const owner = row && ownerInRow(row)
  if (owner !== undefined) return owner
  const { kind, userSessionId: id, projectId, workSessionId } = await identityOf(reader, key)
  if (kind === 'console')
    return id === null ? undefined : ownerOf(reader, { of: 'user-session', id })
  const isThere =
    (projectId !== null && (await reader.row('projects', { id: projectId }))) ||
    (workSessionId !== null && (await reader.row('sessions', { id: workSessionId })))
  return isThere ? null : undefined
}

interface AskedApproval {
  readonly user_session_id: string | null
  readonly turn_id: string | null
  readonly conversation_key: string | null
}

/**
 * What a turn asks belongs to its console or conversation; what is asked about work, to the
 * project.
 */
export async function ownerOfApproval(reader: Reader, row: AskedApproval): Promise<Owner> {
  if (row.user_session_id !== null)
    return ownerOf(reader, { of: 'user-session', id: row.user_session_id })
  const turn = row.turn_id === null ? undefined : await reader.row('turns', { id: row.turn_id })
  const key = row.turn_id === null ? row.conversation_key : turn?.conversation_key
  if (key === null || key === undefined) return key
  return ownerOf(reader, { of: 'conversation', key })
}

export const ownerOfLaunch = async (
  reader: Reader,
  launch: { readonly roleAgentId: string | null },
): Promise<Owner> =>
  launch.roleAgentId === null ? null : ownerOf(reader, { of: 'role-agent', id: launch.roleAgentId })

/**
 * What is looked at before something is done: what the input names, where that may be one person's.
 */
export function belongingOn(on: Subject, input: unknown): Belonging | null {
  switch (on) {
    case 'conversation':
      return { of: on, key: (input as InputOn<typeof on>).key }
    case 'user-session':
      return { of: on, id: (input as InputOn<typeof on>).userSessionId }
    case 'worktree':
      return { of: on, id: (input as InputOn<typeof on>).worktreeId }
    case 'approval':
      return { of: on, id: (input as InputOn<typeof on>).approvalId }
    default:
      return null
  }
}

/** What the whole of a stream belongs to; null where each event is looked at. */
export function belongingOfStream(name: StreamName): Belonging | null {
  const stream = parseStream(name)
  if (stream?.kind === 'conversation' || stream?.kind === 'turns')
    return { of: 'conversation', key: stream.id }
  return stream?.kind === 'user-session' ? { of: 'user-session', id: stream.id } : null
}

/**
 * Whether a conversation may be asked about. One that is not there is for its service to refuse, or
 * to begin.
 */
export async function mayAskAbout(reader: Reader, viewer: Viewer, key: string): Promise<boolean> {
  const owner = await ownerOf(reader, { of: 'conversation', key })
  return (
    isVisible(viewer, owner) ||
    (owner === undefined && (await identityOf(reader, key)).kind !== 'console')
  )
}
