/**
 * The current state of each tool call of a turn. Agents describe a call in several updates, and the first one may be partial, so
 * updates are merged by id. A permission request only adds to a call: what is decided about never shows less than what the agent
 * said before (AP4).
 */
import {
  maxListed,
  maxShownLine,
  maxShownText,
  type ToolCall,
  toolKinds,
  toolStatuses,
} from '../../protocol/turns/agent-update.ts'
import { addDigests, type CallDigests, fingerprintOf, mergeDigests } from './call-fingerprint.ts'
import { maxToolCalls } from './limits.ts'
import { type Fields, fieldsOf, jsonOf, lineOf, listOf, oneOf, textOf, wholeOf } from './read-fields.ts'

interface Known {
  readonly call: ToolCall
  readonly digests: CallDigests
}

export class ToolCalls {
  readonly #calls = new Map<string, Known>()

  /** Merges an update. Undefined without a tool call id. */
  apply(update: Fields): ToolCall | undefined {
    const toolCallId = lineOf(update['toolCallId'])
    if (!toolCallId) return undefined
    const known = this.#calls.get(toolCallId)
    const call = applyUpdate(known?.call ?? emptyCall(toolCallId), update)
    // Reinserted as the newest; the oldest is dropped first.
    this.#calls.delete(toolCallId)
    this.#calls.set(toolCallId, { call, digests: addDigests(known?.digests ?? {}, update) })
    if (this.#calls.size > maxToolCalls) this.#calls.delete(this.#calls.keys().next().value ?? '')
    return call
  }

  /**
   * Returns the call as shown in a permission request, with its fingerprint (`likeness`), null when it has none. A known call is
   * not changed.
   */
  forPermission(update: Fields): { readonly call: ToolCall; readonly likeness: string | null } | undefined {
    const digests = addDigests({}, update)
    const known = this.#calls.get(lineOf(update['toolCallId']) ?? '')
    if (known) {
      const both = mergeDigests(known.digests, digests)
      const asked = applyUpdate(emptyCall(known.call.toolCallId), update)
      return { call: mergeCalls(known.call, asked, both === undefined), likeness: both ? fingerprintOf(both) : null }
    }
    const call = this.apply(update)
    return call && { call, likeness: fingerprintOf(digests) }
  }

  clear(): void {
    this.#calls.clear()
  }
}

const defaultTitle = 'Tool call'

const emptyCall = (toolCallId: string): ToolCall => ({
  toolCallId,
  title: defaultTitle,
  toolKind: 'other',
  status: 'pending',
  input: null,
  locations: [],
  content: [],
  cut: false,
})

function applyUpdate(known: ToolCall, update: Fields): ToolCall {
  const space = { left: maxShownText, cut: false }
  const { rawInput, content, locations } = update
  return {
    toolCallId: known.toolCallId,
    title: lineOf(update['title']) || known.title,
    toolKind: oneOf(toolKinds, update['kind']) ?? known.toolKind,
    status: oneOf(toolStatuses, update['status']) ?? known.status,
    input: rawInput === undefined || rawInput === null ? known.input : cutToBudget(space, jsonOf(rawInput) ?? ''),
    locations: Array.isArray(locations) ? listOf(locations).flatMap(locationOf) : known.locations,
    content: Array.isArray(content) ? listOf(content).map((each) => contentOf(each, space)) : known.content,
    cut: space.cut || (known.cut && !Array.isArray(content)) || (textOf(update['title'])?.length ?? 0) > maxShownLine,
  }
}

/** Merges a known call with its permission request. If they contradict each other, both inputs are shown. */
function mergeCalls(known: ToolCall, asked: ToolCall, contradict: boolean): ToolCall {
  const isNew = asked.title !== defaultTitle && !known.title.includes(asked.title)
  const title = isNew && known.title !== defaultTitle ? `${known.title} · ${asked.title}` : isNew ? asked.title : known.title
  const [first, second] = [inputOf(known), inputOf(asked)]
  const other = contradict && first !== null && second !== null && first !== second
  const more = other ? [{ type: 'text', text: second } as const, ...asked.content] : asked.content
  const locations = unique([...known.locations, ...asked.locations])
  const content = unique([...known.content, ...more])
  const overfull = title.length > maxShownLine || locations.length > maxListed || content.length > maxListed
  return {
    toolCallId: known.toolCallId,
    title: title.slice(0, maxShownLine),
    toolKind: kindOf(known.toolKind, asked.toolKind),
    status: known.status,
    input: first ?? second,
    locations: locations.slice(0, maxListed),
    content: content.slice(0, maxListed),
    cut: known.cut || asked.cut || overfull,
  }
}

/** Contradicting kinds become `other`, which no rule or policy matches. */
function kindOf(known: ToolCall['toolKind'], asked: ToolCall['toolKind']): ToolCall['toolKind'] {
  if (known === 'other' || asked === 'other') return known === 'other' ? asked : known
  return known === asked ? known : 'other'
}

const inputOf = ({ input }: ToolCall): string | null => (input === '{}' || input === '[]' || input === '""' ? null : input)

const unique = <Item>(items: readonly Item[]): Item[] => [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]

function locationOf(location: Fields): ToolCall['locations'] {
  const path = lineOf(location['path'])
  return path === undefined ? [] : [{ path, line: wholeOf(location['line']) ?? null }]
}

/** Remaining characters for the texts of a call, which may contain whole files. */
interface TextBudget {
  left: number
  cut: boolean
}

function cutToBudget(space: TextBudget, text: string): string {
  const kept = text.slice(0, space.left)
  if (kept.length < text.length) space.cut = true
  space.left -= kept.length
  return kept
}

function contentOf(content: Fields, space: TextBudget): ToolCall['content'][number] {
  if (content['type'] === 'diff') {
    const oldText = textOf(content['oldText'])
    return {
      type: 'diff',
      path: lineOf(content['path']) ?? '',
      oldText: oldText === undefined ? null : cutToBudget(space, oldText),
      newText: cutToBudget(space, textOf(content['newText']) ?? ''),
    }
  }
  const block = fieldsOf(content['content'])
  const text = content['type'] === 'content' && block['type'] === 'text' ? textOf(block['text']) : undefined
  if (text !== undefined) return { type: 'text', text: cutToBudget(space, text) }
  return { type: 'other', name: lineOf(block['type']) ?? lineOf(content['type']) ?? 'other' }
}
