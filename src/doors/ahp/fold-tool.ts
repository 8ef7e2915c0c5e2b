/** How each action changes a tool call of a chat. Part of fold-chat.ts. Pure. */
import type { ChatAction, ToolCallState, ToolOption } from './chat-state.ts'

export function foldTool(call: ToolCallState, action: ChatAction): ToolCallState {
  switch (action.type) {
    case 'chat/toolCallDelta': {
      if (call.status !== 'streaming') return call
      const { content, _meta } = action
      return {
        ...call,
        ...(_meta !== undefined && { _meta }),
        ...(content !== undefined && { partialInput: `${call['partialInput'] ?? ''}${content}` }),
        invocationMessage: action['invocationMessage'] ?? call['invocationMessage'],
      }
    }
    case 'chat/toolCallReady':
      return ready(call, action)
    case 'chat/toolCallConfirmed':
      return confirmed(call, action)
    case 'chat/toolCallComplete':
      return complete(call, action)
    case 'chat/toolCallResultConfirmed':
      return resultConfirmed(call, action)
    case 'chat/toolCallContentChanged': {
      if (call.status !== 'running') return call
      const { content, _meta } = action
      return { ...call, ...(_meta !== undefined && { _meta }), content }
    }
    case 'chat/toolCallAuthRequired': {
      const kind = (call['contributor'] as { kind?: string } | undefined)?.kind
      if (call.status !== 'running' || kind !== 'mcp') return call
      return { ...withInput(call, action), status: 'auth-required', auth: action['auth'] }
    }
    case 'chat/toolCallAuthResolved':
      return call.status === 'auth-required'
        ? { ...withInput(call, action), status: 'running' }
        : call
    default:
      return call
  }
}

/** What a call has from its start. */
export const headOf = (call: ToolCallState, action: Pick<ChatAction, string>) => ({
  toolCallId: call.toolCallId,
  toolName: call['toolName'],
  displayName: call['displayName'],
  intention: call['intention'],
  contributor: call['contributor'],
  _meta: action['_meta'] ?? call['_meta'],
})

/** With how it was called and allowed, and what it has given so far. */
const withInput = (call: ToolCallState, action: ChatAction) => ({
  ...headOf(call, action),
  invocationMessage: call['invocationMessage'],
  toolInput: call['toolInput'],
  confirmed: call['confirmed'],
  ...present(call, 'selectedOption'),
  ...present(call, 'content'),
})

const present = (call: ToolCallState, name: string): object =>
  call[name] ? { [name]: call[name] } : {}

function ready(call: ToolCallState, action: ChatAction): ToolCallState {
  if (!['streaming', 'running', 'pending-confirmation'].includes(call.status)) return call
  const head = {
    ...headOf(call, action),
    contributor: contributorOf(call['contributor'], action['contributor']),
    intention: action['intention'] ?? call['intention'],
    invocationMessage: action['invocationMessage'],
    toolInput: action['toolInput'] ?? (call.status === 'streaming' ? undefined : call['toolInput']),
  }
  if (action['confirmed']) return { ...head, status: 'running', confirmed: action['confirmed'] }
  const before = call.status === 'pending-confirmation' ? call : undefined
  const options = action['options'] ?? before?.['options']
  return {
    ...head,
    status: 'pending-confirmation',
    confirmationTitle: action['confirmationTitle'] ?? before?.['confirmationTitle'],
    riskAssessment: action['riskAssessment'] ?? before?.['riskAssessment'],
    edits: action['edits'] ?? before?.['edits'],
    editable: action['editable'] ?? before?.['editable'],
    ...(options && { options }),
  }
}

interface Contributor {
  readonly kind: string
  readonly clientId?: string
}

/** Which client carries a call out is said at its start and stays. */
function contributorOf(before: unknown, after: unknown): unknown {
  if (!after) return before
  const [old, given] = [before as Contributor | undefined, after as Contributor]
  if (old?.kind === 'client')
    return given.kind === 'client' && given.clientId === old.clientId ? given : old
  return given.kind === 'client' ? before : given
}

function confirmed(call: ToolCallState, action: ChatAction): ToolCallState {
  if (call.status !== 'pending-confirmation') return call
  const options = call['options'] as readonly ToolOption[] | undefined
  const option = action['selectedOptionId']
    ? options?.find(({ id }) => id === action['selectedOptionId'])
    : undefined
  const chosen = option ? { selectedOption: option } : {}
  const head = {
    ...headOf(call, action),
    invocationMessage: call['invocationMessage'],
    toolInput: call['toolInput'],
  }
  if (!action['approved']) {
    const { reason, reasonMessage, userSuggestion } = action
    return { ...head, status: 'cancelled', reason, reasonMessage, userSuggestion, ...chosen }
  }
  const isEdited = action['editedToolInput'] !== undefined && typeof head.toolInput === 'string'
  const toolInput = isEdited ? action['editedToolInput'] : head.toolInput
  return { ...head, status: 'running', toolInput, confirmed: action['confirmed'], ...chosen }
}

function complete(call: ToolCallState, action: ChatAction): ToolCallState {
  const wasAllowed = call.status === 'running' || call.status === 'auth-required'
  if (!wasAllowed && call.status !== 'pending-confirmation') return call
  const needsAuth = call.status === 'auth-required'
  if (needsAuth && action['result'].success) return call
  const {
    selectedOption: _,
    content: __,
    ...head
  } = withInput(call, action) as Record<string, unknown> & { toolCallId: string }
  const isAsked = action['requiresResultConfirmation'] && !needsAuth
  return {
    ...head,
    toolCallId: call.toolCallId,
    confirmed: wasAllowed ? call['confirmed'] : 'not-needed',
    ...(wasAllowed && present(call, 'selectedOption')),
    ...(needsAuth && present(call, 'content')),
    status: isAsked ? 'pending-result-confirmation' : 'completed',
    ...action['result'],
  }
}

function resultConfirmed(call: ToolCallState, action: ChatAction): ToolCallState {
  if (call.status !== 'pending-result-confirmation') return call
  const { content: _, ...head } = withInput(call, action) as Record<string, unknown>
  if (action['approved']) {
    const { success, pastTenseMessage, content, structuredContent, error } = call
    return {
      ...head,
      toolCallId: call.toolCallId,
      status: 'completed',
      success,
      pastTenseMessage,
      content,
      structuredContent,
      error,
    }
  }
  const { confirmed: __, ...denied } = head
  return { ...denied, toolCallId: call.toolCallId, status: 'cancelled', reason: 'result-denied' }
}
