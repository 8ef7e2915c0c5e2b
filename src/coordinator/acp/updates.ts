/**
 * Converts ACP updates to our own types. Unknown ones are ignored, because later agents send more
 * (AC1).
 */
import { type Fields, fieldsOf } from '../../platform/json.ts'
import type { Clock } from '../../platform/time/clock.ts'
import {
  type AgentMode,
  type AgentOption,
  type AgentUpdate,
  maxMediaChars,
  maxShownText,
  maxTextPiece,
} from '../../protocol/turns/agent-update.ts'
import { costText } from '../../protocol/turns/cost.ts'
import { batchMs, maxCompactions, maxWaitingUpdates } from './limits.ts'
import type { ToolCalls } from './tool-calls.ts'
import { lineOf, listOf, numberOf, oneOf, textOf } from './wire.ts'

/** `null`: known but not shown. */
export type ReadUpdate =
  | { readonly inTurn: boolean; readonly update: AgentUpdate }
  | null
  | undefined

export function readUpdate(
  params: unknown,
  calls: ToolCalls,
  compactions: Compactions,
): ReadUpdate {
  const sent = fieldsOf(fieldsOf(params)['update'])
  switch (sent['sessionUpdate']) {
    case 'agent_message_chunk': {
      const media = mediaOf(fieldsOf(sent['content']))
      return inTurn(media ?? { kind: 'text', text: chunkText(sent['content']) })
    }
    case 'agent_thought_chunk':
      return inTurn({ kind: 'thought', text: chunkText(sent['content']) })
    case 'tool_call':
    case 'tool_call_update': {
      const call = calls.apply(sent)
      return call && inTurn({ kind: 'tool', call })
    }
    case 'plan':
      return inTurn({ kind: 'plan', entries: listOf(sent['entries']).map(entryOf) })
    case 'current_mode_update': {
      const modeId = lineOf(sent['currentModeId'])
      return modeId === undefined ? undefined : anyTime({ kind: 'mode', modeId })
    }
    case 'config_option_update':
      return anyTime({ kind: 'options', options: optionsOf(sent['configOptions']) })
    case 'available_commands_update':
      return anyTime({
        kind: 'commands',
        commands: listOf(sent['availableCommands']).map(commandOf),
      })
    case 'usage_update':
      return anyTime({
        kind: 'usage',
        used: numberOf(sent['used']) ?? 0,
        size: numberOf(sent['size']) ?? 0,
        cost: costOf(fieldsOf(sent['cost'])),
      })
    case 'plan_update':
      return inTurn({ kind: 'plan', entries: planOf(fieldsOf(sent['plan'])) })
    case 'plan_removed':
      return inTurn({ kind: 'plan', entries: [] })
    case 'session_info_update':
      // Left out: unchanged.
      return sent['title'] === undefined
        ? null
        : anyTime({ kind: 'title', title: lineOf(sent['title']) || null })
    case 'notice':
      return anyTime({
        kind: 'notice',
        severity: oneOf(['info', 'warning', 'error'] as const, sent['severity']) ?? 'info',
        title: lineOf(sent['title']) ?? '',
        description: textOf(sent['description'])?.slice(0, maxShownText) || null,
      })
    case 'compaction_update':
    case 'compaction_summary_chunk':
      return inTurn(compactions.apply(sent))
    // An echo of the prompt.
    case 'user_message_chunk':
      return null
    default:
      return undefined
  }
}

/** What a conversation that is loaded consists of. */
export const replayedKinds: ReadonlySet<unknown> = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
])

const inTurn = (update: AgentUpdate): ReadUpdate => ({ inTurn: true, update })
const anyTime = (update: AgentUpdate): ReadUpdate => ({ inTurn: false, update })

function chunkText(content: unknown): string {
  const block = fieldsOf(content)
  if (block['type'] === 'text') return textOf(block['text']) ?? ''
  const name =
    lineOf(block['name']) ?? lineOf(block['uri']) ?? lineOf(fieldsOf(block['resource'])['uri'])
  return `[${name ?? lineOf(block['mimeType']) ?? lineOf(block['type']) ?? 'something'}]`
}

const contentTypes: ReadonlySet<unknown> = new Set([
  'text',
  'image',
  'audio',
  'resource_link',
  'resource',
])
const callContentTypes: ReadonlySet<unknown> = new Set(['content', 'diff', 'terminal'])

/** The kind of content in an update that people are shown only the name of. */
export function unknownContentIn(sent: Fields): string[] {
  const isCall =
    sent['sessionUpdate'] === 'tool_call' || sent['sessionUpdate'] === 'tool_call_update'
  const { content } = sent
  const parts = isCall ? listOf(content) : [fieldsOf(content)]
  const outer = isCall ? parts.filter(({ type }) => !callContentTypes.has(type)) : []
  const blocks = isCall
    ? parts.filter(({ type }) => type === 'content').map((part) => fieldsOf(part['content']))
    : parts
  const found = [
    ...outer,
    ...blocks.filter(({ type }) => type !== undefined && !contentTypes.has(type)),
  ]
  return found.map(({ type }) => lineOf(type) ?? '')
}

function mediaOf({ type, mimeType, data }: Fields): AgentUpdate | undefined {
  const media = oneOf(['image', 'audio'] as const, type)
  if (!media) return undefined
  const dataText = textOf(data)
  const fits =
    dataText !== undefined &&
    dataText.length <= maxMediaChars &&
    /^[A-Za-z0-9+/]+={0,2}$/.test(dataText) &&
    dataText.length % 4 === 0
  return { kind: 'media', media, mimeType: lineOf(mimeType) ?? media, data: fits ? dataText : null }
}

/** Later forms of plans: entries, a text with a line for each step, or a file. */
function planOf(plan: Fields): ReturnType<typeof entryOf>[] {
  if (plan['type'] === 'items') return listOf(plan['entries']).map(entryOf)
  const lines = (textOf(plan['content']) ?? textOf(plan['uri']) ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return listOf(
    lines.map((content) => ({
      content,
      status: /^\s*[-*] \[x\]/i.test(content) ? 'completed' : 'pending',
    })),
  ).map(entryOf)
}

type Compaction = Extract<AgentUpdate, { kind: 'compaction' }>

/** The current state of the compactions of a turn: later updates change what they name. */
export class Compactions {
  readonly #known = new Map<string, Compaction>()

  apply(sent: Fields): Compaction {
    const compactionId = lineOf(sent['compactionId']) ?? ''
    const empty: Compaction = {
      kind: 'compaction',
      compactionId,
      status: 'in_progress',
      summary: null,
      error: null,
    }
    const before = this.#known.get(compactionId) ?? empty
    const isChunk = sent['sessionUpdate'] === 'compaction_summary_chunk'
    const given = Array.isArray(sent['summary'])
      ? listOf(sent['summary']).map(chunkText).join('')
      : null
    const whole = 'summary' in sent ? given : before.summary
    const summary = isChunk ? (before.summary ?? '') + chunkText(sent['content']) : whole
    const error = 'error' in sent ? (textOf(sent['error']) ?? null) : before.error
    const next = {
      ...before,
      status: lineOf(sent['status']) ?? before.status,
      summary: summary?.slice(0, maxShownText) || null,
      error: error?.slice(0, maxShownText) ?? null,
    }
    if (this.#known.size < maxCompactions) this.#known.set(compactionId, next)
    return next
  }

  clear(): void {
    this.#known.clear()
  }
}

const entryOf = (entry: Fields) => ({
  content: lineOf(entry['content']) ?? '',
  priority: oneOf(['high', 'medium', 'low'] as const, entry['priority']) ?? 'medium',
  status: oneOf(['pending', 'in_progress', 'completed'] as const, entry['status']) ?? 'pending',
})

const commandOf = (command: Fields) => ({
  name: lineOf(command['name']) ?? '',
  description: lineOf(command['description']) ?? '',
  hint: lineOf(fieldsOf(command['input'])['hint']) ?? null,
})

function costOf(cost: Fields): string | null {
  const amount = numberOf(cost['amount'])
  return amount === undefined
    ? null
    : costText({ amount, currency: lineOf(cost['currency']) ?? '' })
}

export function modesOf(opened: Fields): { modes: AgentMode[]; modeId: string | null } {
  const modeFields = fieldsOf(opened['modes'])
  const modes = listOf(modeFields['availableModes']).flatMap((mode) => {
    const id = lineOf(mode['id'])
    return id === undefined
      ? []
      : [{ id, name: lineOf(mode['name']) ?? id, description: lineOf(mode['description']) ?? null }]
  })
  return { modes, modeId: lineOf(modeFields['currentModeId']) ?? null }
}

export function optionsOf(configOptions: unknown): AgentOption[] {
  return listOf(configOptions).flatMap((option) => {
    const id = lineOf(option['id'])
    const value =
      typeof option['currentValue'] === 'boolean'
        ? option['currentValue']
        : lineOf(option['currentValue'])
    if (id === undefined || value === undefined) return []
    const values = listOf(option['options']).flatMap(valuesOf)
    return [
      {
        id,
        name: lineOf(option['name']) ?? id,
        category: lineOf(option['category']) ?? null,
        value,
        values,
      },
    ]
  })
}

/** Not an id that an agent would use for an option. */
export const modelOption = 'holdfast/model'

/** Turns an agent's separate list of models into an option. */
export function modelsOf(opened: Fields): AgentOption[] {
  const models = fieldsOf(opened['models'])
  const value = lineOf(models['currentModelId'])
  const values = listOf(models['availableModels']).flatMap((model) => {
    const id = lineOf(model['modelId'])
    return id === undefined ? [] : [{ id, name: lineOf(model['name']) ?? id }]
  })
  return value === undefined || values.length === 0
    ? []
    : [{ id: modelOption, name: 'Model', category: 'model', value, values }]
}

/** A value or a group of values. */
function valuesOf(option: Fields): { id: string; name: string }[] {
  if (Array.isArray(option['options'])) return listOf(option['options']).flatMap(valuesOf)
  const id = lineOf(option['value'])
  return id === undefined ? [] : [{ id, name: lineOf(option['name']) ?? id }]
}

/** Puts an empty line between two messages of a turn, which agents tell apart by an id alone. */
export class MessageBreaks {
  readonly #last = new Map<string, { readonly id: string; readonly endsLine: boolean }>()

  apply(kind: 'text' | 'thought', text: string, messageId: unknown): string {
    const last = this.#last.get(kind)
    const id = lineOf(messageId) || last?.id
    if (id === undefined) return text
    const isNext = last !== undefined && last.id !== id && text !== ''
    const broken = isNext ? `${last.endsLine ? '\n' : '\n\n'}${text}` : text
    if (text !== '') this.#last.set(kind, { id, endsLine: text.endsWith('\n') })
    return broken
  }

  clear(): void {
    this.#last.clear()
  }
}

/**
 * Joins an agent's many small updates into few. The first leaves at once, then a batch every 50 ms
 * or when one is full. Keeps the order, and holds at most one piece of text and a few updates.
 */
export class UpdateBatcher {
  readonly #clock: Clock
  readonly #out: (update: AgentUpdate) => void
  #waiting: AgentUpdate[] = []
  #chars = 0
  /** Set during the interval after a batch. */
  #stopWaiting: (() => void) | undefined

  constructor(clock: Clock, out: (update: AgentUpdate) => void) {
    this.#clock = clock
    this.#out = out
  }

  add(update: AgentUpdate): void {
    if (update.kind === 'text' || update.kind === 'thought') return this.#addText(update)
    this.#join(update)
    this.#emitWhenDue()
  }

  flush(): void {
    this.#stopWaiting?.()
    this.#stopWaiting = undefined
    this.#emit()
  }

  #addText(update: Extract<AgentUpdate, { kind: 'text' | 'thought' }>): void {
    for (let rest = update.text; rest !== ''; ) {
      const last = this.#waiting.at(-1)
      const continues = last?.kind === update.kind && last.strand === update.strand
      const before = continues ? last.text : ''
      const room = Math.max(1, maxTextPiece - before.length)
      const part = rest.slice(0, cutIndex(rest, room))
      rest = rest.slice(part.length)
      if (before !== '') this.#waiting.pop()
      this.#waiting.push({ ...update, text: before + part })
      this.#chars += part.length
      this.#emitWhenDue()
    }
  }

  /** Replaces the previous pending update if it is about the same thing. */
  #join(update: AgentUpdate): void {
    const last = this.#waiting.at(-1)
    const same =
      last?.kind === update.kind && !separateKinds.has(update.kind) && idOf(last) === idOf(update)
    if (same) this.#waiting.pop()
    this.#waiting.push(update)
  }

  #emitWhenDue(): void {
    const full = this.#chars >= maxTextPiece || this.#waiting.length >= maxWaitingUpdates
    if (this.#stopWaiting && !full) return
    this.flush()
    this.#stopWaiting = this.#clock.after(batchMs, () => {
      this.#stopWaiting = undefined
      if (this.#waiting.length > 0) this.#emitWhenDue()
    })
  }

  #emit(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#chars = 0
    for (const update of waiting) this.#out(update)
  }
}

/** Updates that replace nothing. */
const separateKinds: ReadonlySet<AgentUpdate['kind']> = new Set(['output', 'notice', 'media'])

function idOf(update: AgentUpdate): string | undefined {
  if (update.kind === 'tool') return update.call.toolCallId
  if (update.kind === 'strand') return update.strand.id
  if (update.kind === 'plan') return update.strand
  return update.kind === 'compaction' ? update.compactionId : undefined
}

/** Never cuts inside a surrogate pair; takes one unit more instead. */
function cutIndex(text: string, room: number): number {
  const unit = text.charCodeAt(room - 1)
  return unit >= 0xd800 && unit < 0xdc00 ? room + 1 : room
}
