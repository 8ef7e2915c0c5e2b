/**
 * Decides where a conversation works (CX9): in its own worktree, or in the project's folder, where
 * one conversation's turn runs at a time. A question between agents is worked on where the asking
 * conversation works. Pulling agents always use the project's folder.
 */
import { createHash } from 'node:crypto'
import type { Scope } from '../../domain/access/scopes.ts'
import { isServersOwn } from '../../domain/conversations/key.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import type { NoticeText } from '../../domain/notices.ts'
import { isAbsolutePath, isWithin } from '../../domain/projects/folder.ts'
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
import { type ConversationRow, selectInFolder } from '../../store/conversations/conversations.ts'
import { connectedCoordinators } from '../../store/processes/coordinators.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { selectLastState, selectOpenOperations } from '../../store/turns/turn-files.ts'
import {
  isPushed,
  type QueuedChat,
  queuedChats,
  selectAnyIn,
  type TurnRow,
} from '../../store/turns/turns.ts'
import { selectRunningAt } from '../../store/turns/turns-in-folders.ts'
import { selectOfConversation, selectOfRole, setUpOf } from '../../store/worktrees/worktrees.ts'
import { requireManage } from '../access/require-scope.ts'
import { settingsFrom } from '../projects/project-record.ts'
import { invalidField } from '../refusals.ts'

interface Route {
  readonly projectId: string
  readonly agentId: string
  /** In a session an agent that pulls has a process of its own, which has a place (SN10). */
  readonly inThread?: boolean
}

/** A conversation and, between agents, the one that asked. The latter's workplace counts. */
interface ConversationOrigin {
  readonly key: string
  readonly originKey: string
}
const workplaceKeyOf = ({ key, originKey }: ConversationOrigin): string => originKey || key

/** The workplace of a new conversation, from the project's settings. */
export async function defaultWorkplace(
  reader: Reader,
  route: Route,
): Promise<'worktree' | 'checkout'> {
  const project = await reader.row('projects', { id: route.projectId })
  const wanted = project && settingsFrom(project.settings)['chat.workplace']
  return wanted === 'worktree' && !(await whyNoWorktree(reader, route)) ? 'worktree' : 'checkout'
}

export async function whyNoWorktree(
  reader: Reader,
  { projectId, agentId, inThread = false }: Route,
): Promise<NoticeText | undefined> {
  const project = await reader.row('projects', { id: projectId })
  if (!project?.path)
    return refusalText('noFolderForWorktree', { project: project?.name ?? projectId })
  return whyInProject(reader, agentId, inThread)
}

/**
 * Why an agent works in the project's folder: it pulls, and has no process for the session alone.
 */
export async function whyInProject(
  reader: Reader,
  agentId: string,
  inThread: boolean,
): Promise<NoticeText | undefined> {
  const agent = await reader.row('agents', { id: agentId })
  const isPlaced = agent?.protocol !== 'mcp' || (inThread && agent.command !== null)
  return isPlaced ? undefined : refusalText('pullsInFolder', { agent: agentId })
}

type StoredPlace = Pick<ConversationRow, 'workplace' | 'workplace_folder'>

interface ChosenPlace {
  readonly workplace?: WorkspaceChoice | undefined
  readonly by: string
  /** Left out: the server itself chooses. */
  readonly scopes?: readonly Scope[] | undefined
}

/**
 * The place that somebody chooses for a conversation, as columns of its row. A folder outside of
 * the project's own is for who manages, the first time (SN7).
 */
export async function placeFor(
  reader: Reader,
  route: Route,
  { workplace, scopes }: Omit<ChosenPlace, 'by'>,
): Promise<StoredPlace> {
  if (workplace === undefined)
    return { workplace: await defaultWorkplace(reader, route), workplace_folder: null }
  if (typeof workplace === 'string') {
    const why = workplace === 'worktree' && (await whyNoWorktree(reader, route))
    if (why) throw new Refusal('wrong_state', why, { workplace })
    return { workplace, workplace_folder: null }
  }
  const { folder } = workplace
  if (!isAbsolutePath(folder)) throw invalidField('workplace.folder', refusalText('absoluteFolder'))
  const { projectId, agentId, inThread = false } = route
  const why = await whyInProject(reader, agentId, inThread)
  if (why) throw new Refusal('wrong_state', why, { workplace })
  const isKnown =
    (await isInProject(reader, projectId, folder)) ||
    (await reader.first(selectInFolder, { projectId, folder })) !== undefined
  if (!isKnown) requireManage(scopes, 'workplace.folder')
  return { workplace: 'folder', workplace_folder: folder }
}

async function isInProject(reader: Reader, projectId: string, folder: string): Promise<boolean> {
  const path = (await reader.row('projects', { id: projectId }))?.path ?? null
  return path !== null && isWithin(path, folder)
}

const isSamePlace = (row: StoredPlace, workplace: WorkspaceChoice): boolean => {
  if (typeof workplace !== 'string') return row.workplace_folder === workplace.folder
  // Without git both are the project's folder.
  return row.workplace === 'plain' || workplace === (row.workplace ?? 'checkout')
}

/**
 * Chooses a conversation's workplace with its first message. Afterwards it stays: another place is
 * another session, such as a fork (SN7).
 */
export async function chooseWorkplace(
  tx: Tx,
  row: ConversationRow,
  { now, by, ...chosen }: ChosenPlace & { readonly now: Instant },
): Promise<ConversationRow> {
  const { workplace } = chosen
  if (workplace === undefined || isSamePlace(row, workplace)) return row
  const { key, project_id: projectId, agent_id: agentId } = row
  if (projectId === null || agentId === null) return row
  if (await tx.first(selectAnyIn, { key }))
    throw new Refusal('wrong_state', refusalText('placeIsFixed'), { workplace })
  const place = await placeFor(tx, { projectId, agentId, inThread: row.lane !== '' }, chosen)
  const change = { ...place, generation: row.generation + 1, updated_at: now }
  await tx.update('conversations', { key, ...change })
  tx.append(conversationStream(key), { type: 'workplace-chosen', data: { workplace, by } })
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
  const { workplace, workplace_folder: folder, lane } = await placeIn(reader, key)
  const named = { userSessionShort: 'chat', role: shortOf({ key, lane }), orFolder: true }
  if (workplace === 'worktree') {
    const from = await lastStateOf(reader, key)
    return { ...named, path: null, setUp: await setUpOf(reader, projectId), ...from }
  }
  if (folder === null) return null
  // Whether a folder of the project leads out of it is for the machine to see.
  const roots = (await isInProject(reader, projectId, folder)) ? [] : [folder]
  return { ...named, path: folder, roots, setUp: null }
}

/** SL6: a place that was removed is made again with the files that its last turn left. */
async function lastStateOf(reader: Reader, key: string) {
  if (await reader.first(selectOfConversation, { key })) return undefined
  const state = (await reader.first(selectLastState, { key }))?.after_state
  return state ? { from: { key, state: JSON.parse(state) } } : undefined
}

/**
 * The part of the worktree's folder and branch names that identifies the conversation. A project
 * has many sessions, so theirs are longer: no two may meet in one folder.
 */
export const shortOf = ({ key, lane }: Pick<ConversationRow, 'key' | 'lane'>): string =>
  createHash('sha256')
    .update(key)
    .digest('hex')
    .slice(0, lane === '' ? 8 : 16)

const placeIn = async (
  reader: Reader,
  key: string,
): Promise<StoredPlace & Pick<ConversationRow, 'lane'>> =>
  (await reader.row('conversations', { key })) ?? {
    workplace: null,
    workplace_folder: null,
    lane: '',
  }

interface FolderQuery extends ConversationOrigin {
  readonly projectId: string
  readonly isPulled?: boolean
}

interface SharedFolder {
  readonly path: string
  /** Others may work below it, or above. */
  readonly isGiven: boolean
}

const isShared = (one: SharedFolder, other: SharedFolder | null): boolean => {
  if (other === null) return false
  if (!one.isGiven && !other.isGiven) return one.path === other.path
  return isWithin(one.path, other.path) || isWithin(other.path, one.path)
}

const shared = (path: string | null): SharedFolder | null =>
  path === null ? null : { path, isGiven: false }

/** The folder that a turn shares with others. Null if it has its own. */
async function sharedFolder(
  reader: Reader,
  { projectId, key, originKey, isPulled = false }: FolderQuery,
): Promise<SharedFolder | null> {
  const role = originKey === '' ? rolePlaceOf(await identityOf(reader, key)) : undefined
  if (role) {
    const agent = await reader.first(selectInRole, role)
    return shared(agent?.branch === null ? agent.workspace : null)
  }
  const place = await placeIn(reader, workplaceKeyOf({ key, originKey }))
  if (!isPulled && place.workplace === 'worktree')
    return sharedWorktree(reader, projectId, workplaceKeyOf({ key, originKey }))
  if (!isPulled && place.workplace_folder !== null)
    return { path: place.workplace_folder, isGiven: true }
  return shared((await reader.row('projects', { id: projectId }))?.path ?? null)
}

/** A worktree is a conversation's own, unless another session was begun in it (SN21). */
async function sharedWorktree(
  reader: Reader,
  projectId: string,
  key: string,
): Promise<SharedFolder | null> {
  const folder = (await reader.first(selectOfConversation, { key }))?.folder ?? null
  if (folder === null || !(await reader.first(selectInFolder, { projectId, folder }))) return null
  return { path: folder, isGiven: true }
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
  const origin = originOf(turn)
  if (await isMoving(reader, projectId, origin)) return true
  const others = (await reader.all(selectRunningAt, { projectId })).filter(
    (each) => workplaceKeyOf(originOf(each)) !== workplaceKeyOf(origin),
  )
  if (turn.begins_beside === 1 || others.length === 0) return false
  const folder = await sharedFolder(reader, { projectId, ...origin })
  if (folder === null) return false
  for (const each of others)
    if (
      isShared(
        folder,
        await sharedFolder(reader, {
          projectId,
          ...originOf(each),
          isPulled: isPulledInProject(each),
        }),
      )
    )
      return true
  return false
}

/** FS8: whether the files there are being rewound. */
async function isMoving(
  reader: Reader,
  projectId: string,
  origin: ConversationOrigin,
): Promise<boolean> {
  const moving = (await reader.all(selectOpenOperations, { limit: maxMoving })).filter(
    ({ kind, project_id }) => kind !== 'fork' && project_id === projectId,
  )
  if (moving.length === 0) return false
  if (moving.some(({ conversation_key }) => conversation_key === workplaceKeyOf(origin)))
    return true
  const folder = await sharedFolder(reader, { projectId, ...origin })
  for (const { conversation_key: key } of moving)
    if (
      folder !== null &&
      isShared(folder, await sharedFolder(reader, { projectId, key, originKey: '' }))
    )
      return true
  return false
}

/** Operations that are looked at; few are open at a time. */
const maxMoving = 100

/** A turn that is pulled by a common process works in the project's folder. */
const isPulledInProject = (turn: Pick<TurnRow, 'content' | 'lane'>): boolean =>
  !isPushed(turn) && turn.lane === ''

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
    if (!place) return null
    const { kind, folder, branch, id: worktreeId } = place
    return { kind, folder, directory: folder, branch, worktreeId }
  }
  if (row.project_id === null || row.kind === 'agent') return null
  if (row.workplace === 'worktree') {
    const made = await reader.first(selectOfConversation, { key })
    const { folder = null, branch = null, id: worktreeId } = made ?? {}
    const own = worktreeId === undefined ? {} : { worktreeId }
    return { kind: 'worktree', folder, directory: folder, branch, ...own }
  }
  const given = row.workplace_folder
  if (given !== null) return { kind: 'folder', folder: given, directory: given, branch: null }
  const folder = (await reader.row('projects', { id: row.project_id }))?.path ?? null
  const kind = row.workplace === 'plain' || folder === null ? 'plain' : 'checkout'
  return { kind, folder, directory: folder, branch: null }
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
