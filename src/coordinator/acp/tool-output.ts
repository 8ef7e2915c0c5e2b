/**
 * Reads what a tool call ran and what came of it, whichever fields the agent uses (AC6). Holds the
 * whole output of a call within a limit; of more, the beginning and the end.
 */
import { type Fields, fieldsOf, parsedJson } from '../../platform/json.ts'
import { maxShownOutput } from '../../protocol/turns/agent-update.ts'
import { jsonOf, lineOf, textOf, wholeOf } from './wire.ts'

// Where agents put what a tool call ran, where, and what came of it. ACP has one field for output
// (`content`), and agents use others beside it or instead. The fields are tried for every agent, so
// one not seen before may use any of them. Each was recorded with a real agent; the exchanges are
// in test/coordinator/acp/exchanges. Data only.

/** A path into an update: fields separated by dots, `*` for each item of a list. */
type Path = string

interface OutputField {
  readonly at: Path
  /**
   * `piece`: what came since the last update. `whole`: all there is so far. The longest `whole` of
   * an update counts.
   */
  readonly has: 'piece' | 'whole'
  /** Takes the text out of its wrapping: the first group. */
  readonly unwrap?: RegExp
}

const outputFields: readonly OutputField[] = [
  // codex-acp
  { at: '_meta.terminal_output_delta.data', has: 'piece' },
  // pi-acp
  { at: '_meta.terminal_output.data', has: 'piece' },
  // Gemini CLI, Copilot and opencode; claude-agent-acp puts it into a Markdown fence.
  { at: 'content.*.content.text', has: 'whole', unwrap: /^```\w*\n([\s\S]*?)\n?```$/ },
  // claude-agent-acp: commands, and results of MCP tools
  { at: 'rawOutput', has: 'whole' },
  { at: 'rawOutput.*.text', has: 'whole' },
  { at: '_meta.claudeCode.toolResponse.stdout', has: 'whole' },
  // opencode
  { at: 'rawOutput.output', has: 'whole' },
  // Copilot
  { at: 'rawOutput.content', has: 'whole' },
  // pi-acp
  { at: 'rawOutput.content.*.text', has: 'whole' },
  // codex-acp: MCP tools
  { at: 'rawOutput.result.content.*.text', has: 'whole' },
  { at: 'rawOutput.error.message', has: 'whole' },
  // codex-acp before 2.0
  { at: 'rawOutput.aggregated_output', has: 'whole' },
  { at: 'rawOutput.formatted_output', has: 'whole' },
  // What several agents send of a command.
  { at: 'rawOutput.stdout', has: 'whole' },
  { at: 'rawOutput.stderr', has: 'whole' },
]

/** Exit status of a command; the first that is a number. */
const exitCodeFields: readonly Path[] = [
  '_meta.terminal_exit.exit_code',
  'rawOutput.exit_code',
  'rawOutput.exitCode',
  'rawOutput.metadata.exit',
  'rawOutput.contents.*.exitCode',
]

interface ExitWords {
  /** The name in ACP's `agentInfo`. */
  readonly agent: string
  /**
   * Where the agent writes the exit status into the output. It counts more than a field: pi-acp
   * puts 1 there for any failure.
   */
  readonly pattern: RegExp
}

const exitWords: readonly ExitWords[] = [
  { agent: '@agentclientprotocol/claude-agent-acp', pattern: /^Exit code (\d+)(?:\n|$)/ },
  { agent: 'pi-acp', pattern: /\n\nCommand exited with code (\d+)$/ },
]

/** The command line; a text, or the program and its arguments. */
const commandFields: readonly Path[] = ['rawInput.command', 'rawInput.cmd']

const folderFields: readonly Path[] = [
  '_meta.terminal_info.cwd',
  'rawInput.cwd',
  'rawInput.workdir',
  'rawInput.directory',
  'rawOutput.contents.*.cwd',
]

/**
 * The call of which this one is a part: a sub-agent's. The first is claude-agent-acp's; the others
 * are forms that agents use.
 */
const parentFields: readonly Path[] = [
  '_meta.claudeCode.parentToolUseId',
  '_meta.parentToolCallId',
  '_meta.parent_tool_call_id',
  '_meta.parentToolUseId',
]

/** Values at a path: those of every list item where the path has `*`. */
function valuesAt(value: unknown, path: string): unknown[] {
  let found = [value]
  for (const part of path.split('.'))
    found =
      part === '*'
        ? found.filter((each) => Array.isArray(each)).flat()
        : found.map((each) => fieldsOf(each)[part])
  return found.filter((each) => each !== undefined && each !== null)
}

const firstOf = <Value>(
  update: Fields,
  paths: readonly string[],
  read: (value: unknown) => Value | undefined,
) =>
  paths
    .flatMap((path) => valuesAt(update, path))
    .map(read)
    .find((value) => value !== undefined)

const commandText = (value: unknown): string | undefined =>
  Array.isArray(value) ? value.map(String).join(' ') : textOf(value) || undefined

export const commandOf = (update: Fields): string | undefined =>
  firstOf(update, commandFields, commandText)
export const folderOf = (update: Fields): string | undefined =>
  firstOf(update, folderFields, lineOf)
export const parentOf = (update: Fields): string | undefined =>
  firstOf(update, parentFields, lineOf)

export function exitCodeOf(
  update: Fields,
  agent: string | undefined,
  output: string,
): number | undefined {
  const words = exitWords.find((each) => each.agent === agent)?.pattern.exec(output)?.[1]
  return words === undefined ? firstOf(update, exitCodeFields, wholeOf) : Number(words)
}

/**
 * Which field of a call has the output: each replaces what it had itself (ACP), and none what
 * another had.
 */
type Source = 'content' | 'result'

interface WholeOutput {
  readonly text: string
  readonly from: Source
  /** A result in an unknown form, as its JSON: counts only where there is nothing else. */
  readonly isUnread: boolean
}

interface SentOutput {
  readonly piece: string
  readonly whole: WholeOutput | undefined
}

/**
 * The output in an update. `isArguments`: what an agent puts before the output, or in its place
 * while the call runs.
 */
export function outputOf(update: Fields, isArguments: (text: string) => boolean): SentOutput {
  let piece = ''
  let whole: WholeOutput | undefined
  for (const { at, has, unwrap } of outputFields) {
    const from = at.startsWith('content.') ? 'content' : 'result'
    const found = valuesAt(update, at).flatMap((value) => textOf(value) ?? [])
    if (has === 'piece') piece += found.join('')
    else {
      const texts = found.map((each) => unwrap?.exec(each)?.[1] ?? each)
      const first = from === 'content' ? texts.findIndex((each) => !isArguments(each)) : 0
      const text = texts.slice(first).join('\n')
      const isAny = texts.length > 0 && first >= 0
      if (isAny && (whole === undefined || text.length > whole.text.length))
        whole = { text, from, isUnread: false }
    }
  }
  const { rawOutput } = update
  const isUnread =
    whole === undefined && piece === '' && typeof rawOutput === 'object' && rawOutput !== null
  return {
    piece,
    whole: isUnread ? { text: jsonOf(rawOutput) ?? '', from: 'result', isUnread } : whole,
  }
}

/**
 * Whether a text is the call's arguments: the input as JSON, or the command line, also behind a
 * prompt sign.
 */
export function argumentsOf({
  input,
  command,
}: {
  input: string | null
  command?: string
}): (text: string) => boolean {
  const json = input === null || input === '{}' ? undefined : compact(input)
  return (text) => {
    const line = text.trim()
    if (command !== undefined && (line === command || line === `$ ${command}`)) return true
    return (
      line.startsWith('{') &&
      (json === undefined ? commandIn(line) !== undefined : compact(line) === json)
    )
  }
}

const compact = (json: string): string => jsonOf(parsedJson(json)) ?? json
const commandIn = (json: string): string | undefined => commandOf({ rawInput: parsedJson(json) })

/** Characters that must agree before an update counts as continuing the output. */
const overlapChars = 200

/**
 * What an agent sends as the whole replaces what it sent, but continues it where it is a window
 * that moves over the output.
 */
function replaced(before: string, sent: string): string | undefined {
  if (sent.includes(before)) return sent
  if (sent.length >= overlapChars && before.includes(sent)) return before
  const end = before.slice(-overlapChars)
  const at = end.length === overlapChars ? sent.indexOf(end) : -1
  return at < 0 ? undefined : before + sent.slice(at + end.length)
}

/**
 * What two fields tell of one output, which some write with other line ends, colours or spaces:
 * nothing is lost, nothing is twice.
 */
function joined(earlier: string, sent: string): string {
  const [before, after] = [plain(earlier), plain(sent)]
  if (after.includes(before)) return sent
  return before.includes(after) ? earlier : `${earlier}\n${sent}`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const plain = (text: string): string => text.replace(/\u001b\[[0-9;]*[A-Za-z]|\s+/g, '')

/** Size to which small pieces are joined. */
const chunkChars = 4 * 1024

export class ToolOutput {
  #limit: number
  #head = ''
  /** In chunks, so that a flood is not copied for each piece. */
  #tail: string[] = []
  #tailLength = 0
  #skipped = 0
  /** The field it comes from, as last sent. */
  #from: Source | 'pieces' | undefined

  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return this.held + this.#skipped
  }

  get held(): number {
    return this.#head.length + this.#tailLength
  }

  append(piece: string): void {
    if (piece === '') return
    this.#from = 'pieces'
    this.#add(piece)
  }

  #add(text: string): void {
    const space = this.#tailLength > 0 ? 0 : this.#limit / 2 - this.#head.length
    if (space > 0) this.#head += text.slice(0, space)
    const rest = text.slice(Math.max(0, space))
    const last = this.#tail.length - 1
    if (last >= 0 && (this.#tail[last]?.length ?? 0) < chunkChars) this.#tail[last] += rest
    else if (rest !== '') this.#tail.push(rest)
    this.#tailLength += rest.length
    this.#cutTail()
  }

  /**
   * Takes in what an agent sends as the whole of the output. `continues`: it may be a window, or
   * another field beside what is known. `adds`: what replaces all sums it up.
   */
  set(
    { text: sent, from, isUnread }: WholeOutput,
    { continues, adds }: { continues: boolean; adds: boolean },
  ): void {
    if (isUnread && this.length > 0) return
    const before = continues && this.#skipped === 0 ? this.#head + this.#tail.join('') : ''
    const isOther = this.#from !== undefined && this.#from !== from
    const whole = isOther ? joined(before, sent) : replaced(before, sent)
    const text = before === '' ? sent : (whole ?? (adds ? `${before}\n${sent}` : sent))
    this.#head = ''
    this.#tail = []
    this.#tailLength = this.#skipped = 0
    this.#add(text)
    this.#from = from
  }

  whole(): string {
    const tail = this.#tail.join('')
    return this.#skipped === 0 ? this.#head + tail : headAndTail(this.#head, tail, this.#skipped)
  }

  shown(): string {
    if (this.length <= maxShownOutput) return this.#head + this.#tail.join('')
    const half = maxShownOutput / 2 - maxGapMark
    const head = upToLine(this.#head.slice(0, half))
    const tail = fromLine(this.#end(half))
    return headAndTail(head, tail, this.length - head.length - tail.length)
  }

  /** Holds no more than `limit` from now on. Returns how many characters less it holds. */
  shrink(limit: number): number {
    const before = this.held
    this.#limit = limit
    this.#skipped += Math.max(0, this.#head.length - limit / 2)
    this.#head = this.#head.slice(0, limit / 2)
    this.#cutTail()
    return before - this.held
  }

  #end(chars: number): string {
    let end = ''
    for (let at = this.#tail.length - 1; at >= 0 && end.length < chars; at--)
      end = (this.#tail[at] ?? '') + end
    return (end.length < chars ? this.#head + end : end).slice(-chars)
  }

  #cutTail(): void {
    for (let over = this.#tailLength - this.#limit / 2; over > 0; ) {
      const first = this.#tail[0] ?? ''
      const cut = Math.min(over, first.length)
      if (cut === first.length) this.#tail.shift()
      else this.#tail[0] = first.slice(cut)
      this.#skipped += cut
      this.#tailLength -= cut
      over -= cut
    }
  }
}

const maxGapMark = 20

/** The mark says how many characters are left out. */
const headAndTail = (head: string, tail: string, skipped: number): string =>
  `${head}\n[… ${skipped} …]\n${tail}`

// Cut between lines, so that no secret is cut in two and goes unmasked.
const upToLine = (text: string): string => text.slice(0, text.lastIndexOf('\n') + 1 || text.length)
const fromLine = (text: string): string => text.slice(text.indexOf('\n') + 1)

export function* piecesOf(text: string, max: number): Generator<string> {
  for (let rest = text; rest !== ''; ) {
    const piece = rest.length <= max ? rest : upToLine(rest.slice(0, max))
    yield piece
    rest = rest.slice(piece.length)
  }
}
