/**
 * The tool calls of one turn, each as it stands now. Agents tell of a call in pieces, and the first piece may be a change (observed
 * with several vendors), so whatever comes is put on top of what is known under its id.
 */
import { maxShownText, type ToolCall, toolKinds, toolStatuses } from '../../protocol/agent-update.ts'
import { likenessOf, type Prints, printed } from './likeness.ts'
import { maxToolCalls } from './limits.ts'
import { type Fields, fieldsOf, jsonOf, lineOf, listOf, oneOf, textOf, wholeOf } from './shown.ts'

export class ToolCalls {
  readonly #calls = new Map<string, { readonly call: ToolCall; readonly prints: Prints }>()

  /** The call as it stands with this; undefined when it says not which one it means. */
  put(update: Fields): ToolCall | undefined {
    const toolCallId = lineOf(update['toolCallId'])
    if (toolCallId === undefined || toolCallId === '') return undefined
    const known = this.#calls.get(toolCallId)
    const call = changed(known?.call ?? blank(toolCallId), update)
    // The newest last, so that the oldest is the first to be forgotten.
    this.#calls.delete(toolCallId)
    this.#calls.set(toolCallId, { call, prints: printed(known?.prints ?? {}, update) })
    if (this.#calls.size > maxToolCalls) this.#calls.delete(this.#calls.keys().next().value ?? '')
    return call
  }

  /** What the same call is known by when it is asked again; null: it cannot be. */
  likenessOf(toolCallId: string): string | null {
    return likenessOf(this.#calls.get(toolCallId)?.prints ?? {})
  }

  clear(): void {
    this.#calls.clear()
  }
}

const blank = (toolCallId: string): ToolCall => ({
  toolCallId,
  title: 'Tool call',
  toolKind: 'other',
  status: 'pending',
  input: null,
  locations: [],
  content: [],
  cut: false,
})

function changed(known: ToolCall, update: Fields): ToolCall {
  const space = { left: maxShownText, cut: false }
  const { rawInput, content, locations } = update
  return {
    toolCallId: known.toolCallId,
    title: lineOf(update['title']) || known.title,
    toolKind: oneOf(toolKinds, update['kind']) ?? known.toolKind,
    status: oneOf(toolStatuses, update['status']) ?? known.status,
    input: rawInput === undefined || rawInput === null ? known.input : within(space, jsonOf(rawInput) ?? ''),
    locations: Array.isArray(locations) ? listOf(locations).flatMap(locationOf) : known.locations,
    content: Array.isArray(content) ? listOf(content).map((each) => contentOf(each, space)) : known.content,
    cut: space.cut || (known.cut && !Array.isArray(content)),
  }
}

function locationOf(location: Fields): ToolCall['locations'] {
  const path = lineOf(location['path'])
  return path === undefined ? [] : [{ path, line: wholeOf(location['line']) ?? null }]
}

/** What is left for the texts of one call: an agent may put whole files into it. */
interface Space {
  left: number
  cut: boolean
}

function within(space: Space, text: string): string {
  const kept = text.slice(0, space.left)
  if (kept.length < text.length) space.cut = true
  space.left -= kept.length
  return kept
}

function contentOf(content: Fields, space: Space): ToolCall['content'][number] {
  if (content['type'] === 'diff') {
    const oldText = textOf(content['oldText'])
    return {
      type: 'diff',
      path: lineOf(content['path']) ?? '',
      oldText: oldText === undefined ? null : within(space, oldText),
      newText: within(space, textOf(content['newText']) ?? ''),
    }
  }
  const block = fieldsOf(content['content'])
  const text = content['type'] === 'content' && block['type'] === 'text' ? textOf(block['text']) : undefined
  if (text !== undefined) return { type: 'text', text: within(space, text) }
  return { type: 'other', name: lineOf(block['type']) ?? lineOf(content['type']) ?? 'other' }
}
