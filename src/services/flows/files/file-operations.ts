/**
 * Asks for rewinds, undoings and forks (FS8, FS9). Each is asked in one commit and completed in
 * another (finish-operation.ts), after its machine has answered; one that was cut off in between is
 * completed later. So the files and the conversation always agree.
 */
import { Refusal } from '../../../domain/errors.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { conversationStream, coordinatorStream } from '../../../domain/stream-name.ts'
import type { CoordinatorRequest } from '../../../protocol/processes/coordinator-requests.ts'
import type {
  FileState,
  ForkAnswer,
  RestoreAnswer,
} from '../../../protocol/worktrees/file-state.ts'
import { selectByClientId, selectLastMessage } from '../../../store/conversations/messages.ts'
import { findCoordinatorRow } from '../../../store/processes/coordinators.ts'
import {
  type Context,
  defineQuery,
  defineUseCase,
  type Reader,
  type Tx,
} from '../../../store/store.ts'
import {
  type FileOperationRow,
  maxOperations,
  selectFilesOf,
  selectMeanwhile,
  selectOpenOperations,
  selectOperationsOf,
  selectRunningAtTop,
  type TurnFilesRow,
} from '../../../store/turns/turn-files.ts'
import { selectRunningIn, type TurnRow } from '../../../store/turns/turns.ts'
import { drawThreadKey } from '../../conversations/add-conversation.ts'
import { existingConversation, streamOfKey } from '../../conversations/conversation-record.ts'
import { shortOf, whyNoWorktree } from '../../conversations/conversation-workplace.ts'
import { lastRewind, type RewindPlan } from '../../conversations/undoable-rewind.ts'
import {
  findCoordinatorAnswer,
  requestFromCoordinator,
} from '../../processes/coordinator-requests.ts'
import { checkAssigned } from '../../projects/project-record.ts'
import { stateFrom } from '../../turns/turn-files.ts'
import type { ForkPlan } from './create-fork.ts'

const openPageSize = 100

/** An operation with the request to its machine. The same request again has the same effect. */
export interface AskedOperation {
  readonly id: string
  readonly key: string
  readonly projectId: string
  readonly coordinatorId: string
  readonly by: string
  readonly request: CoordinatorRequest
}

const askedOperation = (row: FileOperationRow): AskedOperation => ({
  id: row.id,
  key: row.conversation_key,
  projectId: row.project_id,
  coordinatorId: row.coordinator_id,
  by: row.asked_by,
  request: JSON.parse(row.ask).request,
})

type WithState = TurnFilesRow & { readonly top: string }

async function turnWithFiles(
  reader: Reader,
  { key, turnId }: WhichTurn,
): Promise<{ turn: TurnRow; files: WithState }> {
  const turn = await reader.row('turns', { id: turnId })
  if (turn?.conversation_key !== key)
    throw new Refusal('not_found', refusalText('noTurnIn', { id: turnId, key }), { turnId })
  const files = await reader.row('turn_files', { turn_id: turnId })
  if (!files || files.top === null || files.before_state === null) throw noState(turnId)
  return { turn, files: { ...files, top: files.top } }
}

const noState = (turnId: string): Refusal =>
  new Refusal('wrong_state', refusalText('noFileState'), { turnId })

interface WhichTurn {
  readonly key: string
  readonly turnId: string
}

/** Returns where the files of a turn are, for a diff. */
export const findTurnFiles = defineQuery('find-turn-files', {
  scope: 'anybody',
  on: 'conversation',
  run: async (reader, { since, ...which }: WhichTurn & { since?: string | undefined }) => {
    const { files } = await turnWithFiles(reader, which)
    const first =
      since === undefined ? files : (await turnWithFiles(reader, { ...which, turnId: since })).files
    const [before, after] = [stateFrom(first.before_state), stateFrom(files.after_state)]
    if (!before || !after) throw noState(which.turnId)
    const project = await reader.row('projects', { id: files.project_id })
    const folders = [files.top, ...(project?.path ? [project.path] : [])]
    const leftOut = files.left_out === null ? [] : JSON.parse(files.left_out)
    return {
      coordinatorId: files.coordinator_id,
      projectId: files.project_id,
      folders,
      from: before.tree,
      to: after.tree,
      leftOut,
    }
  },
})

type RewindInput = WhichTurn & {
  readonly to: 'before' | 'after'
  readonly confirm?: string | undefined
  readonly by: string
}

export const askRewind = defineUseCase('ask-rewind', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: RewindInput) => [streamOfKey(key)],
  run: async (tx, { to, confirm, by, ...which }, context): Promise<AskedOperation> => {
    const { turn, files } = await turnWithFiles(tx, which)
    const target = stateFrom(to === 'before' ? files.before_state : files.after_state)
    if (!target) throw noState(turn.id)
    await requireQuiet(tx, files)
    const newest = (await tx.all(selectFilesOf, { key: which.key })).findLast(
      (row) => row.top !== null,
    )
    if (newest?.top !== files.top)
      throw new Refusal('wrong_state', refusalText('turnElsewhere', { folder: files.top }))
    const cut = to === 'before' ? files.from_seq : await lastSeqOf(tx, files, turn)
    const plan: RewindPlan = { to, cut, keptAfter: Math.min(files.kept_after, cut) }
    return ask(
      tx,
      { kind: 'rewind', files, plan, target, expected: await knownState(tx, files), confirm, by },
      context,
    )
  },
})

/**
 * The last message of a turn: its answer, or what was said before anything of a later turn (CV13).
 */
async function lastSeqOf(
  reader: Reader,
  files: TurnFilesRow,
  { agent_id: senderId, started_at: since }: TurnRow,
): Promise<number> {
  const { turn_id, conversation_key: key, from_seq: after } = files
  const answerOf = async (clientId: string) => {
    const answer = await reader.first(selectByClientId, { senderId, clientId })
    return answer?.conversation_key === key ? answer.seq : undefined
  }
  const own = await answerOf(turn_id)
  const later =
    own && since && (await reader.first(selectMeanwhile, { key, after, before: own, since }))
  if (own !== undefined) return later ? later.seq - 1 : own
  const all = await reader.all(selectFilesOf, { key })
  const at = all.findIndex((each) => each.turn_id === turn_id)
  for (const later of all.slice(at + 1)) {
    if (later.from_seq > after) return later.from_seq
    // Another attempt at the same message.
    const answered = await answerOf(later.turn_id)
    if (answered !== undefined) return answered - 1
  }
  return (await reader.first(selectLastMessage, { key }))?.seq ?? 0
}

/** Files change only while nothing runs there, and one operation at a time. */
async function requireQuiet(
  reader: Reader,
  { conversation_key: key, coordinator_id: coordinatorId, top }: WithState,
): Promise<void> {
  const running = [
    ...(await reader.all(selectRunningIn, { key })),
    ...(await reader.all(selectRunningAtTop, { coordinatorId, top })),
  ]
  if (running.length > 0) throw new Refusal('wrong_state', refusalText('turnRunsThere'))
  const open = (await reader.all(selectOpenOperations, { limit: openPageSize })).some(
    (row) => row.kind !== 'fork' && row.top === top,
  )
  if (open) throw new Refusal('busy', refusalText('filesMoving'))
}

/**
 * The state of the workplace that the conversation knows: after its last turn, or after a rewind
 * since.
 */
async function knownState(
  reader: Reader,
  { conversation_key: key, top }: WithState,
): Promise<FileState | null> {
  const turns = (await reader.all(selectFilesOf, { key })).filter(
    (row) => row.top === top && row.before_state !== null,
  )
  const newest = turns.at(-1)
  const moved = (await reader.all(selectOperationsOf, { key, limit: maxOperations })).find(
    (row) => row.kind !== 'fork' && row.state === 'done' && row.top === top,
  )
  const state = stateFrom(newest?.after_state ?? newest?.before_state ?? null)
  if (!moved || (newest && newest.created_at > (moved.ended_at ?? ''))) return state
  return { ...JSON.parse(moved.result ?? '{}').after, head: state?.head ?? '' }
}

interface NewOperation {
  readonly kind: 'rewind' | 'undo'
  readonly files: WithState
  readonly plan: RewindPlan
  readonly target: FileState
  readonly expected: FileState | null
  readonly confirm?: string | undefined
  readonly by: string
}

export async function ask(
  tx: Tx,
  { kind, files, plan, target, expected, confirm, by }: NewOperation,
  { now, random }: Context,
) {
  const id = random.uuid()
  const { conversation_key: key, top: folder } = files
  const request: CoordinatorRequest = {
    kind: 'files-restore',
    folder,
    id,
    key,
    target,
    expected,
    confirmed: confirm ?? null,
  }
  return insert(tx, files, { id, kind, asked_by: by, asked_at: now }, { request, plan })
}

async function insert(
  tx: Tx,
  { conversation_key, turn_id, project_id, coordinator_id, top }: WithState,
  about: Pick<FileOperationRow, 'id' | 'kind' | 'asked_by' | 'asked_at'>,
  request: object,
): Promise<AskedOperation> {
  const where = { conversation_key, turn_id, project_id, coordinator_id, top }
  const ask = JSON.stringify(request)
  const row: FileOperationRow = {
    ...about,
    ...where,
    state: 'asked',
    ask,
    result: null,
    ended_at: null,
  }
  await tx.insert('file_operations', row)
  return askedOperation(row)
}

/** Undoes the last rewind, unless something was said since. */
export const askUndo = defineUseCase('ask-undo', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: { key: string; confirm?: string | undefined; by: string }) => [
    streamOfKey(key),
  ],
  run: async (tx, { key, confirm, by }, context): Promise<AskedOperation> => {
    await existingConversation(tx, key)
    const last = await lastRewind(tx, key)
    const files = last && (await tx.row('turn_files', { turn_id: last.turn_id }))
    if (!last || !files) throw new Refusal('wrong_state', refusalText('nothingToUndo'))
    const where = { ...files, top: last.top }
    await requireQuiet(tx, where)
    const { before, after } = JSON.parse(last.result ?? '{}')
    const head = stateFrom(files.before_state)?.head ?? ''
    const plan: RewindPlan = { ...JSON.parse(last.ask).plan, undoes: last.id }
    const states = { target: { ...before, head }, expected: { ...after, head } }
    return ask(tx, { kind: 'undo', files: where, plan, ...states, confirm, by }, context)
  },
})

type ForkInput = WhichTurn & { readonly agentId?: string | undefined; readonly by: string }

export const askFork = defineUseCase('ask-fork', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: ForkInput) => [streamOfKey(key)],
  run: async (tx, { agentId: wanted, by, ...which }, { now, random }): Promise<AskedOperation> => {
    const { turn, files } = await turnWithFiles(tx, which)
    const agentId = wanted ?? turn.agent_id
    const { project_id: projectId } = turn
    await checkAssigned(tx, { projectId, agentId })
    const why = await whyNoWorktree(tx, { projectId, agentId, inThread: true })
    if (why) throw new Refusal('wrong_state', why)
    const project = await tx.row('projects', { id: projectId })
    const state = stateFrom(files.after_state ?? files.before_state)
    if (!state || !project?.path) throw noState(turn.id)
    const id = random.uuid()
    const fork = drawThreadKey({ random })
    const cut = files.after_state === null ? files.from_seq : await lastSeqOf(tx, files, turn)
    const folders = [files.top, project.path]
    const role = shortOf({ key: fork, lane: fork })
    const place = { projectId, projectFolder: project.path, role, key: fork }
    const request: CoordinatorRequest = { kind: 'files-fork', folders, ...place, state }
    const plan: ForkPlan = {
      forkKey: fork,
      isThread: true,
      agentId,
      cut,
      keptAfter: Math.min(files.kept_after, cut),
    }
    return insert(tx, files, { id, kind: 'fork', asked_by: by, asked_at: now }, { request, plan })
  },
})

/** Returns operations that were not completed, oldest first. */
export const findOpenOperations = defineQuery('find-open-operations', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: Record<never, never>): Promise<AskedOperation[]> =>
    (await reader.all(selectOpenOperations, { limit: openPageSize })).map(askedOperation),
})

/**
 * Asks the machine for an operation, once at a time: a second request would be run when the
 * operation is over, and rewind again. Returns the request to wait for, or the answer to an
 * operation that is over.
 */
export const askMachine = defineUseCase('ask-machine', {
  scope: 'server',
  on: 'nobody',
  streams: ({ key, coordinatorId }: AskedOperation & { readonly withinMs: number }) => [
    conversationStream(key),
    coordinatorStream(coordinatorId),
  ],
  run: async (
    tx,
    { id, coordinatorId, projectId, request: ask, by, withinMs },
    context,
  ): Promise<{ id: string } | { answer: RestoreAnswer | ForkAnswer }> => {
    const row = await tx.row('file_operations', { id })
    if (!row) throw new Refusal('not_found')
    const result = JSON.parse(row.result ?? '{}')
    const { questionId } = result
    if (row.state !== 'asked') {
      if (row.result === null) throw new Refusal('coordinator_away')
      return questionId === undefined ? { answer: result } : { id: questionId }
    }
    const sent =
      questionId === undefined ? undefined : await tx.row('questions', { id: questionId })
    if (sent && sent.answered_at === null && sent.deadline > context.now) {
      if ((await findCoordinatorRow(tx, coordinatorId))?.state === 'connected')
        return { id: questionId }
      throw new Refusal('no_answer', undefined, { coordinatorId })
    }
    if (sent && (await findCoordinatorAnswer.run(tx, sent, context))?.ok) return { id: questionId }
    const request = { coordinatorId, ask, projectId, worktreeId: null, withinMs, by }
    const sentNow = await requestFromCoordinator.run(tx, request, context)
    await tx.update('file_operations', {
      ...row,
      result: JSON.stringify({ questionId: sentNow.id }),
    })
    return sentNow
  },
})
