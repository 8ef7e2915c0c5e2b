/**
 * The tool calls of one turn, each as it stands now. Agents tell of a call in pieces, and the first piece may be a change (observed
 * with several vendors), so an update is put on top of what is known under its id. A question only adds to it: what a person or a rule
 * decides about is never less than what the agent said of the call before (AP4).
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

  /** The call as it stands with this; undefined when it says not which one it means. */
  apply(update: Fields): ToolCall | undefined {
    const toolCallId = lineOf(update['toolCallId'])
    if (!toolCallId) return undefined
    const known = this.#calls.get(toolCallId)
    const call = applyUpdate(known?.call ?? emptyCall(toolCallId), update)
    // The newest last, so that the oldest is the first to be forgotten.
    this.#calls.delete(toolCallId)
    this.#calls.set(toolCallId, { call, digests: addDigests(known?.digests ?? {}, update) })
    if (this.#calls.size > maxToolCalls) this.#calls.delete(this.#calls.keys().next().value ?? '')
    return call
  }

  /**
   * The call as a question shows it, and its likeness: what the same call is known by when it is asked again, null when it cannot be.
   * A call that is known stays as it is; the question is the first word about any other.
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

/** Both, each thing once. Where they contradict each other the input of the question is shown beside the one that is known. */
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

/** Two kinds that are not the same are none: no rule and no policy is about it. */
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

/** What is left for the texts of one call: an agent may put whole files into it. */
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
