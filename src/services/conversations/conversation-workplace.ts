/**
 * Decides where a conversation works (CX9): in its own worktree, or in the project's folder, where
 * one conversation's turn runs at a time. A question between agents is worked on where the asking
 * conversation works. Pulling agents always use the project's folder.
 */
import { createHash } from 'node:crypto'
import { isServersOwn } from '../../domain/conversations/key.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import type { NoticeText } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type {
  ConversationWorkspace,
  WorkspaceChoice,
} from '../../protocol/conversations/conversation-workspace.ts'
import type { AcpParticulars } from '../../protocol/turns/link.ts'
import type { Post } from '../../store/agent-sessions/agent-sessions.ts'
import { selectInRole } from '../../store/consoles/user-sessions.ts'
import {
  identityIn,
  identityOf,
  rolePlaceOf,
} from '../../store/conversations/conversation-identity.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import { connectedCoordinators } from '../../store/processes/coordinators.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { selectOpenOperations } from '../../store/turns/turn-files.ts'
import { isPushed, type QueuedChat, queuedChats, type TurnRow } from '../../store/turns/turns.ts'
import { selectRunningAt } from '../../store/turns/turns-in-folders.ts'
import { selectOfConversation, selectOfRole, setUpOf } from '../../store/worktrees/worktrees.ts'
import { settingsFrom } from '../projects/project-record.ts'

interface Route {
  readonly projectId: string
  readonly agentId: string
}

/** A conversation and, between agents, the one that asked. The latter's workplace counts. */
interface ConversationOrigin {
  readonly key: string
  readonly originKey: string
}
const workplaceKeyOf = ({ key, originKey }: ConversationOrigin): string => originKey || key

/** The workplace of a new conversation, from the project's settings. */
export async function defaultWorkplace(reader: Reader, route: Route): Promise<WorkspaceChoice> {
  const project = await reader.row('projects', { id: route.projectId })
  const wanted = project && settingsFrom(project.settings)['chat.workplace']
  return wanted === 'worktree' && !(await whyNoWorktree(reader, route)) ? 'worktree' : 'checkout'
}

export async function whyNoWorktree(
  reader: Reader,
  { projectId, agentId }: Route,
): Promise<NoticeText | undefined> {
  const project = await reader.row('projects', { id: projectId })
  if (!project?.path)
    return refusalText('noFolderForWorktree', { project: project?.name ?? projectId })
  const agent = await reader.row('agents', { id: agentId })
  return agent?.protocol === 'mcp' ? refusalText('pullsInFolder', { agent: agentId }) : undefined
}

/** Changes a conversation's workplace. Its next turn opens a new, primed context there (CX4). */
export async function chooseWorkplace(
  tx: Tx,
  row: ConversationRow,
  {
    workplace,
    by,
    now,
  }: {
    readonly workplace?: WorkspaceChoice | undefined
    readonly by: string
    readonly now: Instant
  },
): Promise<ConversationRow> {
  if (workplace === undefined || workplace === (row.workplace ?? 'checkout')) return row
  const { project_id: projectId, agent_id: agentId } = row
  const why =
    workplace === 'worktree' &&
    projectId &&
    agentId &&
    (await whyNoWorktree(tx, { projectId, agentId }))
  if (why) throw new Refusal('wrong_state', why, { workplace })
  const change = { workplace, generation: row.generation + 1, updated_at: now }
  await tx.update('conversations', { key: row.key, ...change })
  tx.append(conversationStream(row.key), { type: 'workplace-chosen', data: { workplace, by } })
  return { ...row, ...change }
}

/**
 * The worktree that the coordinator makes before opening the context. Null for the project's
 * folder.
 */
export async function workspaceFor(
  reader: Reader,
  { projectId, ...asked }: ConversationOrigin & { readonly projectId: string },
): Promise<AcpParticulars['workspace']> {
  const key = workplaceKeyOf(asked)
  if (!(await hasWorktree(reader, key))) return null
  return {
    userSessionShort: 'chat',
    role: shortOf(key),
    path: null,
    setUp: await setUpOf(reader, projectId),
    orFolder: true,
  }
}

/** The part of the worktree's folder and branch names that identifies the conversation. */
export const shortOf = (key: string): string =>
  createHash('sha256').update(key).digest('hex').slice(0, 8)

const hasWorktree = async (reader: Reader, key: string): Promise<boolean> =>
  (await reader.row('conversations', { key }))?.workplace === 'worktree'

interface FolderQuery extends ConversationOrigin {
  readonly projectId: string
  readonly isPulled?: boolean
}

/** The folder that a turn shares with others. Null if it has its own. */
async function sharedFolder(
  reader: Reader,
  { projectId, key, originKey, isPulled = false }: FolderQuery,
): Promise<string | null> {
  const role = originKey === '' ? rolePlaceOf(await identityOf(reader, key)) : undefined
  if (role) {
    const agent = await reader.first(selectInRole, role)
    return agent?.branch === null ? agent.workspace : null
  }
  if (!isPulled && (await hasWorktree(reader, workplaceKeyOf({ key, originKey })))) return null
  return (await reader.row('projects', { id: projectId }))?.path ?? null
}

/**
 * Whether a turn must wait because another conversation's turn runs in the same folder and nobody
 * allowed both (CX9).
 */
export async function mustWaitForFolder(
  reader: Reader,
  turn: Pick<TurnRow, 'project_id' | 'conversation_key' | 'origin_key' | 'begins_beside'>,
): Promise<boolean> {
  const { project_id: projectId } = turn
  const asked = originOf(turn)
  if (await isMoving(reader, projectId, asked)) return true
  const others = (await reader.all(selectRunningAt, { projectId })).filter(
    (each) => workplaceKeyOf(originOf(each)) !== workplaceKeyOf(asked),
  )
  if (turn.begins_beside === 1 || others.length === 0) return false
  const folder = await sharedFolder(reader, { projectId, ...asked })
  if (folder === null) return false
  for (const each of others)
    if (
      (await sharedFolder(reader, { projectId, ...originOf(each), isPulled: !isPushed(each) })) ===
      folder
    )
      return true
  return false
}

/** FS8: whether the files there are being rewound. */
async function isMoving(
  reader: Reader,
  projectId: string,
  asked: ConversationOrigin,
): Promise<boolean> {
  const moving = (await reader.all(selectOpenOperations, { limit: maxMoving })).filter(
    ({ kind, project_id }) => kind !== 'fork' && project_id === projectId,
  )
  if (moving.length === 0) return false
  if (moving.some(({ conversation_key }) => conversation_key === workplaceKeyOf(asked))) return true
  const folder = await sharedFolder(reader, { projectId, ...asked })
  for (const { conversation_key: key } of moving)
    if (
      folder !== null &&
      (await sharedFolder(reader, { projectId, key, originKey: '' })) === folder
    )
      return true
  return false
}

/** Operations that are looked at; few are open at a time. */
const maxMoving = 100

const originOf = (turn: Pick<TurnRow, 'conversation_key' | 'origin_key'>): ConversationOrigin => ({
  key: turn.conversation_key,
  originKey: turn.origin_key,
})

/** The queued chats of a post that need not wait for a folder. */
export async function startableChats(reader: Reader, post: Post): Promise<QueuedChat[]> {
  const free: QueuedChat[] = []
  for (const chat of await queuedChats(reader, post))
    if (!(await mustWaitForFolder(reader, chat.row))) free.push(chat)
  return free
}

export async function workplaceOf(
  reader: Reader,
  row: ConversationRow,
): Promise<ConversationWorkspace | null> {
  const { key } = row
  const role = rolePlaceOf(identityIn(row))
  if (role) {
    const place = await reader.first(selectOfRole, role)
    return place
      ? { kind: place.kind, folder: place.folder, branch: place.branch, worktreeId: place.id }
      : null
  }
  if (row.project_id === null || row.kind === 'agent') return null
  if (row.workplace === 'worktree') {
    const made = await reader.first(selectOfConversation, { key })
    const { folder = null, branch = null, id: worktreeId } = made ?? {}
    return { kind: 'worktree', folder, branch, ...(worktreeId !== undefined && { worktreeId }) }
  }
  const folder = (await reader.row('projects', { id: row.project_id }))?.path ?? null
  return {
    kind: row.workplace === 'plain' || folder === null ? 'plain' : 'checkout',
    folder,
    branch: null,
  }
}

/**
 * The folder of a conversation's workplace and the machine that has it; undefined while there is
 * none.
 */
export async function workplaceOn(reader: Reader, row: ConversationRow) {
  const { key, project_id: projectId } = row
  const place = await workplaceOf(reader, row)
  if (projectId === null || !place?.folder) return undefined
  const role = rolePlaceOf(identityIn(row))
  const made = role
    ? await reader.first(selectOfRole, role)
    : await reader.first(selectOfConversation, { key })
  const coordinatorId =
    made?.folder === place.folder ? made.coordinator_id : (await connectedCoordinators(reader))[0]
  return coordinatorId === undefined
    ? undefined
    : { folder: place.folder, coordinatorId, projectId }
}

/** The workplace of a conversation being created. The server's own conversations have none. */
export const initialWorkplace = async (
  reader: Reader,
  row: ConversationRow,
): Promise<ConversationRow['workplace']> =>
  row.project_id === null || row.agent_id === null || isServersOwn(row.kind)
    ? null
    : defaultWorkplace(reader, { projectId: row.project_id, agentId: row.agent_id })
