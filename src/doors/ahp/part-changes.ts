/** The actions that take the parts of a turn from one view to the next. Part of chat-changes.ts. */
import type { ChatAction } from './chat-state.ts'
import type { PartView, QuestionView, ToolView } from './part-view.ts'

/** Without the id of their turn. Undefined: no action leads there. */
export function partChanges(
  before: readonly PartView[],
  after: readonly PartView[],
): ChatAction[] | undefined {
  if (after.length < before.length) return undefined
  const actions: ChatAction[] = []
  for (const [index, part] of after.entries()) {
    const old = before[index]
    if (old === part) continue
    const changes = old ? changesOf(old, part) : begun(part)
    if (!changes) return undefined
    actions.push(...changes)
  }
  return actions
}

function begun(part: PartView): ChatAction[] | undefined {
  switch (part.kind) {
    case 'tool':
      return [startOf(part), ...(toolChanges(undefined, part) ?? [])]
    case 'question': {
      const request = { id: part.id, ...part.request }
      return [{ type: 'chat/inputRequested', request }, ...completed(part)]
    }
    default: {
      const { kind, id, text } = part
      return [{ type: 'chat/responsePart', part: { kind, id, content: text } }]
    }
  }
}

function changesOf(old: PartView, part: PartView): ChatAction[] | undefined {
  if (old.kind !== part.kind || old.id !== part.id) return undefined
  if (part.kind === 'tool') return toolChanges(old as ToolView, part)
  if (part.kind === 'question') return questionChanges(old as QuestionView, part)
  const { text } = old as typeof part
  if (!part.text.startsWith(text)) return undefined
  const type = part.kind === 'markdown' ? 'chat/delta' : 'chat/reasoning'
  const content = part.text.slice(text.length)
  return content === '' ? [] : [{ type, partId: part.id, content }]
}

function questionChanges(old: QuestionView, part: QuestionView): ChatAction[] | undefined {
  if (JSON.stringify(old.request) !== JSON.stringify(part.request)) return undefined
  if (old.response === part.response) return []
  return old.response === null ? completed(part) : undefined
}

const completed = ({ id, response }: QuestionView): ChatAction[] =>
  response === null ? [] : [{ type: 'chat/inputCompleted', requestId: id, response }]

const startOf = ({ id: toolCallId, toolName, displayName }: ToolView): ChatAction => ({
  type: 'chat/toolCallStart',
  toolCallId,
  toolName,
  displayName,
})

/**
 * A call goes from running to asking and back, and to its end, which stays. `before` undefined: it
 * was started just now.
 */
function toolChanges(before: ToolView | undefined, after: ToolView): ChatAction[] | undefined {
  if (before && JSON.stringify(before) === JSON.stringify(after)) return []
  const isEnded = before?.phase === 'done' || before?.phase === 'denied'
  const isOther = before && before.toolName !== after.toolName
  const losesInput = before && before.input !== null && after.input === null
  if (isEnded || isOther || losesInput) return undefined
  switch (after.phase) {
    case 'asking':
      return [asks(after)]
    case 'denied':
      return [...(isAsking(before, after) ? [] : [asks(after)]), decided(after, false)]
    case 'running':
      return [...toRunning(before, after), ...contentOf(after)]
    case 'done':
      return [...toRunning(before, after), complete(after)]
  }
}

const isAsking = (before: ToolView | undefined, after: ToolView): before is ToolView =>
  before?.phase === 'asking' && isNamedAlike(before, after)

const isNamedAlike = (one: ToolView, other: ToolView): boolean =>
  one.title === other.title && one.input === other.input

function toRunning(before: ToolView | undefined, after: ToolView): ChatAction[] {
  if (isAsking(before, after) && after.confirmed === 'user-action') return [decided(after, true)]
  const runs = before?.phase === 'running' && before.confirmed === after.confirmed
  return runs && isNamedAlike(before, after) ? [] : [ready(after)]
}

const inputOf = ({ input }: ToolView) => (input === null ? {} : { toolInput: input })

const ready = (call: ToolView): ChatAction => ({
  type: 'chat/toolCallReady',
  toolCallId: call.id,
  invocationMessage: call.title,
  ...inputOf(call),
  confirmed: call.confirmed,
})

const asks = (call: ToolView): ChatAction => ({
  type: 'chat/toolCallReady',
  toolCallId: call.id,
  invocationMessage: call.title,
  ...inputOf(call),
  confirmationTitle: call.title,
  options: call.options,
})

const decided = ({ id: toolCallId }: ToolView, approved: boolean): ChatAction => {
  const decision = { type: 'chat/toolCallConfirmed', toolCallId, approved }
  return approved ? { ...decision, confirmed: 'user-action' } : { ...decision, reason: 'denied' }
}

const contentOf = ({ id: toolCallId, content }: ToolView): ChatAction[] =>
  content.length === 0 ? [] : [{ type: 'chat/toolCallContentChanged', toolCallId, content }]

const complete = ({ id: toolCallId, title, success, content }: ToolView): ChatAction => ({
  type: 'chat/toolCallComplete',
  toolCallId,
  result: {
    success,
    pastTenseMessage: title,
    ...(content.length > 0 && { content }),
    ...(!success && { error: { message: title } }),
  },
})
