/**
 * What an agent did in a turn, as parts of a response: text, thoughts, tool calls with what they
 * ask, questions. Plans, sub-agents and compactions have no part that fits. Pure.
 */
import type { ThreadTurn } from '../../protocol/threads/thread-turn.ts'
import type { Item, TurnPermission, TurnQuestion } from '../../protocol/threads/turn-items.ts'
import type { ToolCall } from '../../protocol/turns/agent-update.ts'
import type { Question } from '../../protocol/turns/question.ts'
import type { ToolOption } from './chat-state.ts'
import { questionsOf } from './question-form.ts'

export interface ToolView {
  readonly kind: 'tool'
  readonly id: string
  readonly toolName: string
  readonly displayName: string
  readonly title: string
  readonly input: string | null
  readonly phase: 'running' | 'asking' | 'denied' | 'done'
  readonly confirmed: 'not-needed' | 'user-action'
  readonly options: readonly ToolOption[]
  /** The number of the request that asks, or asked last. */
  readonly approvalId: number | null
  readonly success: boolean
  readonly content: readonly object[]
}

export interface QuestionView {
  readonly kind: 'question'
  readonly id: string
  readonly questionId: number
  readonly schema: Question['schema']
  readonly request: object
  /** null: nobody has answered. */
  readonly response: 'accept' | 'decline' | 'cancel' | null
}

export type PartView =
  | { readonly kind: 'markdown' | 'reasoning'; readonly id: string; readonly text: string }
  | ToolView
  | QuestionView

export function partsOf(turn: ThreadTurn): PartView[] {
  const tools = toolsIn(turn.items)
  const parts: PartView[] = []
  for (const [index, item] of turn.items.entries()) {
    const part = partOf(item, `${index}`, tools)
    if (part && !parts.some(({ id }) => id === part.id)) parts.push(part)
  }
  return parts
}

interface Tool {
  call: ToolCall
  permission?: TurnPermission | undefined
}

/** A call and what it asks for come one by one, in either order. */
function toolsIn(items: readonly Item[]): Map<string, Tool> {
  const tools = new Map<string, Tool>()
  for (const item of items) {
    if (item.kind === 'tool')
      tools.set(item.call.toolCallId, { ...tools.get(item.call.toolCallId), call: item.call })
    if (item.kind !== 'permission') continue
    const { permission } = item
    const id = permission.call.toolCallId
    tools.set(id, { call: tools.get(id)?.call ?? permission.call, permission })
  }
  return tools
}

/** What did not change has the view it had. */
const views = new WeakMap<Item, PartView>()

function partOf(item: Item, id: string, tools: Map<string, Tool>): PartView | undefined {
  if (item.kind === 'tool') return toolPart(item.call.toolCallId, tools)
  if (item.kind === 'permission') return toolPart(item.permission.call.toolCallId, tools)
  const before = views.get(item)
  if (before && before.id === idOf(item, id)) return before
  const part = newPart(item, id)
  if (part) views.set(item, part)
  return part
}

const idOf = (item: Item, id: string): string =>
  item.kind === 'question' ? questionId(item.question) : id

const questionId = ({ questionId: number }: TurnQuestion): string => `question.${number}`

function newPart(item: Item, id: string): PartView | undefined {
  switch (item.kind) {
    case 'text':
      return item.strand === undefined ? { kind: 'markdown', id, text: item.text } : undefined
    case 'thought':
      return item.strand === undefined ? { kind: 'reasoning', id, text: item.text } : undefined
    case 'notice':
      return { kind: 'markdown', id, text: `> ${item.title}\n\n${item.description ?? ''}` }
    case 'media':
      return { kind: 'markdown', id, text: `[${item.mimeType}]` }
    case 'question':
      return questionPart(item.question)
    default:
      return undefined
  }
}

const displayNames: Readonly<Record<ToolCall['toolKind'], string>> = {
  read: 'Read',
  edit: 'Edit',
  delete: 'Delete',
  move: 'Move',
  search: 'Search',
  execute: 'Run command',
  think: 'Think',
  fetch: 'Fetch',
  switch_mode: 'Switch mode',
  other: 'Tool',
}

function toolPart(toolCallId: string, tools: Map<string, Tool>): ToolView | undefined {
  const tool = tools.get(toolCallId)
  if (!tool) return undefined
  const { call, permission } = tool
  const before = calls.get(call)
  if (before && before.permission === permission) return before.view
  const view = newToolPart(tool)
  calls.set(call, { permission, view })
  return view
}

const calls = new WeakMap<ToolCall, { permission: TurnPermission | undefined; view: ToolView }>()

function newToolPart(tool: Tool): ToolView {
  const { call, permission } = tool
  return {
    kind: 'tool',
    id: `tool.${call.toolCallId}`,
    toolName: call.toolKind,
    displayName: displayNames[call.toolKind],
    title: call.title || permission?.title || displayNames[call.toolKind],
    input: call.command ?? call.input,
    phase: phaseOf(tool),
    confirmed: permission?.outcome === 'allowed' ? 'user-action' : 'not-needed',
    options: permission?.options.map(optionOf) ?? [],
    approvalId: permission?.approvalId ?? null,
    success: call.status !== 'failed',
    content: contentOf(call),
  }
}

function phaseOf({ call, permission }: Tool): ToolView['phase'] {
  if (permission?.outcome === null) return 'asking'
  if (permission && permission.outcome !== 'allowed') return 'denied'
  return call.status === 'completed' || call.status === 'failed' ? 'done' : 'running'
}

const optionOf = ({ optionId, name, kind }: TurnPermission['options'][number]): ToolOption => ({
  id: optionId,
  label: name,
  kind: kind.startsWith('reject') ? 'deny' : 'approve',
})

/** Diffs are shown whole with the changes of the session; here, which file. */
function contentOf(call: ToolCall): object[] {
  const shown = call.content.map((each) => {
    if (each.type === 'text') return { type: 'text', text: each.text }
    return { type: 'text', text: each.type === 'diff' ? each.path : `[${each.name}]` }
  })
  const text = call.output && shown.length === 0 ? [{ type: 'text', text: call.output }] : []
  return [...shown, ...text]
}

function questionPart(question: TurnQuestion): QuestionView {
  const { questionId: number, message, schema, url, outcome } = question
  return {
    kind: 'question',
    id: questionId(question),
    questionId: number,
    schema,
    request: {
      message,
      ...(url !== null && { url }),
      ...(schema && { questions: questionsOf(schema) }),
    },
    response: responseOf(outcome),
  }
}

function responseOf(outcome: TurnQuestion['outcome']): QuestionView['response'] {
  if (outcome === null) return null
  if (outcome === 'allowed') return 'accept'
  return outcome === 'denied' ? 'decline' : 'cancel'
}
