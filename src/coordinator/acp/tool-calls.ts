/** Keeps the tool calls of a turn in their current state, with what came of each (AC6). */
import { type Fields, fieldsOf, parsedJson } from '../../platform/json.ts'
import { hasQuirk } from '../../protocol/agents/known-agents.ts'
import {
  type AgentUpdate,
  maxListed,
  maxOutputText,
  maxShownLine,
  maxShownOutput,
  maxShownText,
  type ToolCall,
  toolKinds,
  toolStatuses,
} from '../../protocol/turns/agent-update.ts'
import { maxKeptOutput, maxToolCalls, maxTurnOutput } from './limits.ts'
import { addDigests, type CallDigests, fingerprintOf, mergeDigests } from './permissions.ts'
import {
  argumentsOf,
  commandOf,
  exitCodeOf,
  folderOf,
  outputOf,
  parentOf,
  piecesOf,
  ToolOutput,
} from './tool-output.ts'
import { jsonOf, lineOf, listOf, oneOf, textOf, wholeOf } from './wire.ts'

interface Known {
  readonly call: ToolCall
  readonly digests: CallDigests
  readonly output: ToolOutput
  /** When it began, or was last allowed. */
  beganAt: number
  sentLength: number
}

interface ToolCallsOptions {
  readonly agent?: string
  readonly now?: () => number
}

/**
 * The current state of each tool call of a turn. Agents describe a call in several updates, and the
 * first one may be partial, so updates are merged by id. A permission request only adds to a call:
 * what is decided about never shows less than what the agent said before (AP4).
 */
export class ToolCalls {
  readonly #calls = new Map<string, Known>()
  readonly #agent: string | undefined
  readonly #now: () => number
  #held = 0

  constructor({ agent, now = () => 0 }: ToolCallsOptions = {}) {
    this.#agent = agent
    this.#now = now
  }

  has(toolCallId: string): boolean {
    return this.#calls.has(toolCallId)
  }

  /** Merges an update. Undefined without a tool call id. */
  apply(update: Fields, isQuestion = false): ToolCall | undefined {
    const toolCallId = lineOf(update['toolCallId'])
    if (!toolCallId) return undefined
    const before = this.#calls.get(toolCallId)
    const output = before?.output ?? new ToolOutput(maxKeptOutput)
    const beganAt = before?.beganAt ?? this.#now()
    const merged = applyUpdate(before?.call ?? emptyCall(toolCallId), update)
    const call = isQuestion ? merged : this.#withResult(merged, update, output, beganAt)
    // Reinserted as the newest; the oldest is dropped first.
    this.#calls.delete(toolCallId)
    const digests = addDigests(before?.digests ?? {}, update)
    this.#calls.set(toolCallId, {
      call,
      digests,
      output,
      beganAt,
      sentLength: before?.sentLength ?? 0,
    })
    if (this.#calls.size > maxToolCalls) this.#drop(this.#calls.keys().next().value ?? '')
    return call
  }

  #withResult(call: ToolCall, update: Fields, output: ToolOutput, beganAt: number): ToolCall {
    const before = output.held
    const { piece, whole } = outputOf(update, argumentsOf(call))
    output.append(piece)
    // What comes with the call itself, or with its input before it runs, describes the call.
    const isUpdate = update['sessionUpdate'] === 'tool_call_update'
    const isResult =
      isOver(call) || (isUpdate && (call.status === 'in_progress' || !('rawInput' in update)))
    const adds = hasQuirk(this.#agent ?? '', 'sums_up_output')
    if (whole !== undefined && isResult)
      output.set(whole, { continues: call.toolKind === 'execute', adds })
    this.#held += output.held - before
    if (this.#held > maxTurnOutput) this.#held -= output.shrink(maxShownOutput)
    const exitCode = exitCodeOf(update, this.#agent, output.shown()) ?? call.exitCode
    return {
      ...call,
      ...(output.length > 0 && { output: output.shown(), outputLength: output.length }),
      ...(exitCode !== undefined && { exitCode }),
      ...(isOver(call) && {
        durationMs: call.durationMs ?? Math.max(0, Math.round(this.#now() - beganAt)),
      }),
    }
  }

  /** The call was allowed: what it takes is counted from now. */
  allowed(toolCallId: string): void {
    const entry = this.#calls.get(toolCallId)
    if (entry) entry.beganAt = this.#now()
  }

  /**
   * The whole output of a call that is over, or of all calls, in pieces. Only output that is longer
   * than what the calls show.
   */
  *wholeOutputs(toolCallId?: string): Generator<AgentUpdate> {
    const entries = toolCallId === undefined ? this.#calls.values() : [this.#calls.get(toolCallId)]
    for (const each of entries) {
      if (!each || (toolCallId !== undefined && !isOver(each.call))) continue
      const { call, output } = each
      if (
        output.length <= maxShownOutput ||
        output.length === each.sentLength ||
        call.toolCallId.length > maxIdChars
      )
        continue
      each.sentLength = output.length
      let part = 0
      for (const text of piecesOf(output.whole(), maxOutputText))
        yield { kind: 'output', toolCallId: call.toolCallId, part: part++, text }
    }
  }

  #drop(toolCallId: string): void {
    this.#held -= this.#calls.get(toolCallId)?.output.held ?? 0
    this.#calls.delete(toolCallId)
  }

  /**
   * Returns the call as shown in a permission request, with its fingerprint, if it has one. A known
   * call is not changed.
   */
  forPermission(
    update: Fields,
  ): { readonly call: ToolCall; readonly likeness: string | null } | undefined {
    const entry = this.#calls.get(lineOf(update['toolCallId']) ?? '')
    if (!entry) {
      const call = this.apply(update, true)
      return call && { call, likeness: fingerprintOf(addDigests({}, update)) }
    }
    // Some tell the folder with the call and the command with the request: each is a part of the
    // input.
    const rawInput = joinedInput(entry.call, update['rawInput'])
    const whole = rawInput ? { ...update, rawInput } : update
    const before = rawInput ? { toolCallId: update['toolCallId'], rawInput } : {}
    const both = mergeDigests(addDigests(entry.digests, before), addDigests({}, whole))
    const requested = applyUpdate(emptyCall(entry.call.toolCallId), whole)
    const call = mergeCalls(applyUpdate(entry.call, before), requested, both === undefined)
    return { call, likeness: both ? fingerprintOf(both) : null }
  }

  clear(): void {
    this.#calls.clear()
    this.#held = 0
  }
}

/** Longer ids are no key in a database. */
const maxIdChars = 200

const isOver = ({ status }: ToolCall): boolean => status === 'completed' || status === 'failed'

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

function applyUpdate(call: ToolCall, update: Fields): ToolCall {
  const space = { left: maxShownText, cut: false }
  const { rawInput, content, locations } = update
  const [command, cwd, parentId] = [commandOf(update), folderOf(update), parentOf(update)]
  return {
    ...call,
    ...(command !== undefined && { command: command.slice(0, maxShownLine) }),
    ...(cwd !== undefined && { cwd }),
    ...(parentId !== undefined && { parentId }),
    title: lineOf(update['title']) || call.title,
    toolKind: oneOf(toolKinds, update['kind']) ?? call.toolKind,
    status: oneOf(toolStatuses, update['status']) ?? call.status,
    input:
      rawInput === undefined || rawInput === null
        ? call.input
        : cutToBudget(space, jsonOf(rawInput) ?? ''),
    locations: Array.isArray(locations) ? listOf(locations).flatMap(locationOf) : call.locations,
    content: Array.isArray(content)
      ? listOf(content).map((each) => contentOf(each, space))
      : call.content,
    cut:
      space.cut ||
      (call.cut && !Array.isArray(content)) ||
      (textOf(update['title'])?.length ?? 0) > maxShownLine,
  }
}

/**
 * The inputs of a call and of its permission request as one, where they do not contradict each
 * other. Undefined when one is empty.
 */
function joinedInput({ input, cut }: ToolCall, requestedInput: unknown): Fields | undefined {
  const [reportedInput, more] = [cut ? {} : parsedInput(input), fieldsOf(requestedInput)]
  const shared = Object.keys(reportedInput).filter((key) => key in more)
  if (isEmptyInput(reportedInput) || isEmptyInput(more)) return undefined
  return shared.every((key) => jsonOf(reportedInput[key]) === jsonOf(more[key]))
    ? { ...reportedInput, ...more }
    : undefined
}

const isEmptyInput = (input: Fields): boolean => Object.keys(input).length === 0

const parsedInput = (input: string | null): Fields => fieldsOf(parsedJson(input ?? '{}'))

/**
 * Merges a known call with its permission request. If they contradict each other, both inputs are
 * shown.
 */
function mergeCalls(reported: ToolCall, requested: ToolCall, contradict: boolean): ToolCall {
  const isNew = requested.title !== defaultTitle && !reported.title.includes(requested.title)
  const before = reported.title === defaultTitle ? '' : `${reported.title} · `
  const title = isNew ? before + requested.title : reported.title
  const [first, second] = [inputOf(reported), inputOf(requested)]
  const other = contradict && first !== null && second !== null && first !== second
  const more = other
    ? [{ type: 'text', text: second } as const, ...requested.content]
    : requested.content
  const locations = unique([...reported.locations, ...requested.locations])
  const content = unique([...reported.content, ...more])
  const overfull =
    title.length > maxShownLine || locations.length > maxListed || content.length > maxListed
  return {
    ...requested,
    ...reported,
    title: title.slice(0, maxShownLine),
    toolKind: kindOf(reported.toolKind, requested.toolKind),
    status: reported.status,
    input: first ?? second,
    locations: locations.slice(0, maxListed),
    content: content.slice(0, maxListed),
    cut: reported.cut || requested.cut || overfull,
  }
}

/** Contradicting kinds become `other`, which no rule or policy matches. */
function kindOf(
  reported: ToolCall['toolKind'],
  requested: ToolCall['toolKind'],
): ToolCall['toolKind'] {
  if (reported === 'other' || requested === 'other')
    return reported === 'other' ? requested : reported
  return reported === requested ? reported : 'other'
}

const inputOf = ({ input }: ToolCall): string | null =>
  input === '{}' || input === '[]' || input === '""' ? null : input

const unique = <Item>(items: readonly Item[]): Item[] => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
]

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
  const shown = text.slice(0, space.left)
  if (shown.length < text.length) space.cut = true
  space.left -= shown.length
  return shown
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
  const text =
    content['type'] === 'content' && block['type'] === 'text' ? textOf(block['text']) : undefined
  if (text !== undefined) return { type: 'text', text: cutToBudget(space, text) }
  return { type: 'other', name: lineOf(block['type']) ?? lineOf(content['type']) ?? 'other' }
}
