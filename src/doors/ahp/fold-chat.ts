/**
 * How each action changes a chat: the reducer that every client of the Agent Host Protocol 0.9 has.
 * A snapshot is what a client would have that was told everything, so it is made with the same.
 * Pure.
 */
import type {
  ActiveTurn,
  ChatAction,
  ChatState,
  EndedTurn,
  ResponsePart,
  ToolCallState,
} from './chat-state.ts'
import { foldTool, headOf } from './fold-tool.ts'
import { status } from './thread-summary.ts'

const statusOfWork = 31

export function foldChat(state: ChatState, action: ChatAction): ChatState {
  if (action.type.startsWith('chat/tool')) return withStatus(withTool(state, action))
  switch (action.type) {
    case 'chat/turnStarted':
      return begun(state, action)
    case 'chat/responsePart':
      if (action['part'].kind === 'error') return state
      return inTurn(state, action, (turn) => withPart(turn, action['part']))
    case 'chat/delta':
      return withMore(state, action, 'markdown')
    case 'chat/reasoning':
      return withMore(state, action, 'reasoning')
    case 'chat/usage':
      return inTurn(state, action, (turn) => ({ ...turn, usage: action['usage'] }))
    case 'chat/turnComplete':
      return ended(state, action, 'complete')
    case 'chat/turnCancelled':
      return ended(state, action, 'cancelled')
    case 'chat/error':
      return ended(state, action, 'error')
    case 'chat/turnResume':
      return resumed(state, action['turnId'])
    case 'chat/truncated':
      return truncated(state, action['turnId'])
    case 'chat/inputRequested':
    case 'chat/inputAnswerChanged':
    case 'chat/inputCompleted':
      return withInput(state, action)
    default:
      return withWaiting(state, action)
  }
}

const workOf = (state: ChatState): number => {
  const parts = state.activeTurn?.responseParts ?? []
  if (parts.some(isAsking)) return status.inputNeeded
  return state.activeTurn ? status.running : status.idle
}

const asking: ReadonlySet<string> = new Set([
  'pending-confirmation',
  'pending-result-confirmation',
  'auth-required',
])

const isAsking = (part: ResponsePart): boolean =>
  part.kind === 'toolCall'
    ? asking.has(part.toolCall.status)
    : part.kind === 'inputRequest' && part.response === undefined

function withStatus(state: ChatState, work = workOf(state)): ChatState {
  const next = (state.status & ~statusOfWork) | work
  return next === state.status ? state : { ...state, status: next }
}

const unread = (state: ChatState): ChatState => ({ ...state, status: state.status & ~status.read })

function begun(state: ChatState, action: ChatAction): ChatState {
  const { turnId: id, startedAt, message, queuedMessageId } = action
  const activeTurn = { id, startedAt, message, responseParts: [], usage: undefined }
  const next = unread(withStatus({ ...state, activeTurn, modifiedAt: startedAt }))
  if (!queuedMessageId) return next
  const { steeringMessage } = next
  return {
    ...withoutQueued(next, queuedMessageId),
    steeringMessage: steeringMessage?.id === queuedMessageId ? undefined : steeringMessage,
  }
}

function withoutQueued(state: ChatState, id: string): ChatState {
  const left = state.queuedMessages?.filter((each) => each.id !== id) ?? []
  return { ...state, queuedMessages: left.length > 0 ? left : undefined }
}

function inTurn(
  state: ChatState,
  { turnId }: ChatAction,
  change: (turn: ActiveTurn) => ActiveTurn,
): ChatState {
  const turn = state.activeTurn
  return turn && turn.id === turnId ? { ...state, activeTurn: change(turn) } : state
}

const withPart = (turn: ActiveTurn, part: ResponsePart): ActiveTurn => ({
  ...turn,
  responseParts: [...turn.responseParts, part],
})

function withMore(state: ChatState, action: ChatAction, kind: 'markdown' | 'reasoning'): ChatState {
  return inTurn(state, action, (turn) => {
    const at = turn.responseParts.findIndex((part) => idOf(part) === action['partId'])
    const part = turn.responseParts[at]
    if (part?.kind !== kind) return turn
    const grown = { ...part, content: part.content + action['content'] }
    return { ...turn, responseParts: turn.responseParts.with(at, grown) }
  })
}

const idOf = (part: ResponsePart): string | undefined => {
  if (part.kind === 'toolCall') return part.toolCall.toolCallId
  return 'id' in part ? part.id : undefined
}

function withTool(state: ChatState, action: ChatAction): ChatState {
  if (action.type === 'chat/toolCallStart')
    return inTurn(state, action, (turn) =>
      withPart(turn, { kind: 'toolCall', toolCall: startedTool(action) }),
    )
  return inTurn(state, action, (turn) => {
    const responseParts = turn.responseParts.map((part) => {
      if (part.kind !== 'toolCall' || part.toolCall.toolCallId !== action['toolCallId']) return part
      const toolCall = foldTool(part.toolCall, action)
      return toolCall === part.toolCall ? part : { ...part, toolCall }
    })
    return { ...turn, responseParts }
  })
}

const startedTool = (action: ChatAction): ToolCallState => ({
  toolCallId: action['toolCallId'],
  toolName: action['toolName'],
  displayName: action['displayName'],
  intention: action['intention'],
  contributor: action['contributor'],
  _meta: action['_meta'],
  status: 'streaming',
})

/** What has not come to an end is cut off with its turn. */
function ended(state: ChatState, action: ChatAction, how: EndedTurn['state']): ChatState {
  const turn = state.activeTurn
  if (!turn || turn.id !== action['turnId']) return state
  const parts = turn.responseParts.map((part) =>
    part.kind === 'toolCall' ? { ...part, toolCall: cutOff(part.toolCall) } : part,
  )
  const duration = Math.max(0, action['duration'])
  const error = action['part'] ? [action['part']] : []
  const over = { ...turn, duration, responseParts: [...parts, ...error], state: how }
  const modifiedAt = new Date(Date.parse(turn.startedAt) + duration).toISOString()
  const next = { ...state, turns: [...state.turns, over], activeTurn: undefined, modifiedAt }
  return withStatus(next, how === 'error' ? status.error : undefined)
}

function cutOff(call: ToolCallState): ToolCallState {
  if (call.status === 'completed' || call.status === 'cancelled') return call
  const isStreaming = call.status === 'streaming'
  return {
    status: 'cancelled',
    ...headOf(call, {}),
    invocationMessage: call['invocationMessage'] ?? (isStreaming ? '' : undefined),
    toolInput: isStreaming ? undefined : call['toolInput'],
    reason: 'skipped',
  }
}

function resumed(state: ChatState, turnId: string): ChatState {
  const last = state.turns.at(-1)
  const part = last?.responseParts.at(-1)
  const isResumable = part?.kind === 'error' && part.resumable === true
  if (state.activeTurn || !last || last.id !== turnId || !isResumable) return state
  const { id, startedAt, message, responseParts, usage } = last
  const activeTurn = { id, startedAt, message, responseParts, usage }
  return unread(withStatus({ ...state, turns: state.turns.slice(0, -1), activeTurn }))
}

function truncated(state: ChatState, turnId: string | undefined): ChatState {
  const at = state.turns.findIndex(({ id }) => id === turnId)
  if (turnId !== undefined && at < 0) return state
  const { turnsNextCursor, ...rest } = state
  const left = turnId === undefined || turnsNextCursor === undefined ? {} : { turnsNextCursor }
  return withStatus({
    ...rest,
    ...left,
    turns: state.turns.slice(0, at + 1),
    activeTurn: undefined,
  })
}

function withInput(state: ChatState, action: ChatAction): ChatState {
  const turn = state.activeTurn
  if (!turn) return state
  const id = action['requestId'] ?? action['request'].id
  const at = turn.responseParts.findIndex(
    (part) => part.kind === 'inputRequest' && part.response === undefined && part.request.id === id,
  )
  const part = turn.responseParts[at]
  const open = part?.kind === 'inputRequest' ? part : undefined
  const put = (changed: ResponsePart): ChatState => {
    const parts = open ? turn.responseParts.with(at, changed) : [...turn.responseParts, changed]
    return { ...state, activeTurn: { ...turn, responseParts: parts } }
  }
  if (action.type === 'chat/inputRequested') {
    const request = action['request']
    const answers = request.answers ?? open?.request.answers
    return unread(
      withStatus(put({ kind: 'inputRequest', request: open ? { ...request, answers } : request })),
    )
  }
  if (!open) return state
  if (action.type === 'chat/inputCompleted') {
    const answers = { ...open.request.answers, ...action['answers'] }
    const request = { ...open.request, answers: orNone(answers) }
    return withStatus(put({ ...open, request, response: action['response'] }))
  }
  const { [action['questionId'] as string]: _, ...others } = open.request.answers ?? {}
  const given = action['answer'] === undefined ? {} : { [action['questionId']]: action['answer'] }
  return put({ ...open, request: { ...open.request, answers: orNone({ ...others, ...given }) } })
}

const orNone = (answers: Record<string, unknown>): Record<string, unknown> | undefined =>
  Object.keys(answers).length > 0 ? answers : undefined

/** What waits, and what is beside the turns. */
function withWaiting(state: ChatState, action: ChatAction): ChatState {
  const { queuedMessages: queued } = state
  switch (action.type) {
    case 'chat/pendingMessageSet': {
      const waiting = { id: action['id'], message: action['message'] }
      if (action['kind'] === 'steering') return { ...state, steeringMessage: waiting }
      const at = queued?.findIndex(({ id }) => id === waiting.id) ?? -1
      const next = queued && at >= 0 ? queued.with(at, waiting) : [...(queued ?? []), waiting]
      return { ...state, queuedMessages: next }
    }
    case 'chat/pendingMessageRemoved':
      if (action['kind'] !== 'steering') return queued ? withoutQueued(state, action['id']) : state
      return state.steeringMessage?.id === action['id']
        ? { ...state, steeringMessage: undefined }
        : state
    case 'chat/queuedMessagesReordered': {
      if (!queued) return state
      const order = [...new Set<string>(action['order'])]
      const named = order.flatMap((id) => queued.filter((each) => each.id === id))
      const others = queued.filter(({ id }) => !order.includes(id))
      return { ...state, queuedMessages: [...named, ...others] }
    }
    case 'chat/activityChanged':
      return { ...state, activity: action['activity'] }
    case 'chat/draftChanged':
      return { ...state, draft: action['draft'] }
    case 'chat/turnsLoaded': {
      const ids = new Set(state.turns.map(({ id }) => id))
      const older = (action['turns'] as EndedTurn[]).filter(({ id }) => !ids.has(id))
      const { turnsNextCursor } = action
      return { ...state, turns: [...older, ...state.turns], turnsNextCursor }
    }
    case 'chat/workingDirectorySet':
    case 'chat/workingDirectoryRemoved':
      return { ...state, workingDirectories: directoriesAfter(state, action) }
    default:
      return state
  }
}

function directoriesAfter(state: ChatState, { type, directory }: ChatAction): unknown {
  const before = (state['workingDirectories'] as string[] | undefined) ?? []
  if (type === 'chat/workingDirectoryRemoved') {
    const left = before.filter((each) => each !== directory)
    return state['workingDirectories'] === undefined ? undefined : left
  }
  return before.includes(directory) ? before : [...before, directory]
}
