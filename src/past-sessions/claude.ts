/**
 * Reads the sessions of Claude Code: a file of records each, of which every one names the one
 * before it, and the files of sub-agents beside it.
 */
import { basename, dirname, join } from 'node:path'
import { readJsonFile } from '../platform/files/plain-file.ts'
import { type Fields, fieldsOf } from '../platform/json.ts'
import { mediaOf, type TurnCollector } from './collect-turns.ts'
import {
  fieldsIn,
  firstTime,
  textAt,
  textsOf,
  timeOf,
  titleOf,
  valueAt,
  wordsOf,
} from './fields.ts'
import { eachOf, filesBelow, jsonlBelow } from './files.ts'
import { maxRecords } from './limits.ts'
import { endsOf, type Line, linesOf, recordOf, Unread, unreadable } from './lines.ts'
import {
  type Listed,
  leftOut,
  listed,
  markOf,
  type PastMedia,
  type PastRecord,
  type PastSession,
  type PastSessions,
  type PastTurn,
  skipped,
} from './port.ts'
import { RecordTree, turnsOf } from './record-tree.ts'

/** Texts in the person's name that the person did not write. */
const ofThePrograms = new RegExp(
  String.raw`^\s*<(?:local-command-|bash-|task-notification|system-reminder|user-memory-input|` +
    'command-(?:message|args|contents))',
)
const command = /^\s*<command-name>\s*(\/?[^<]*?)\s*<\/command-name>/
const commandArguments = /<command-args>([\s\S]*?)<\/command-args>/
const interrupted = '[Request interrupted by user'

const contentOf = (record: Fields): unknown => valueAt(record, 'message', 'content')

const resultsIn = (record: Fields): readonly Fields[] =>
  fieldsIn(contentOf(record)).filter((part) => part['type'] === 'tool_result')

/** What the person wrote, if they did. */
function promptOf(record: Fields): string | undefined {
  if (record['type'] !== 'user' || record['isMeta'] === true || record['isSidechain'] === true)
    return undefined
  if (record['isCompactSummary'] === true || resultsIn(record).length > 0) return undefined
  const text = textsOf(contentOf(record))
  if (text.startsWith(interrupted) || ofThePrograms.test(text) || command.test(text))
    return undefined
  return text
}

const lastText = (records: readonly Fields[], name: string): string | null =>
  textAt(
    records.findLast((record) => textAt(record, name) !== null),
    name,
  )

async function look(root: string, file: string): Promise<Listed> {
  try {
    const hasPrompt = (head: readonly Fields[]): boolean =>
      head.some((record) => promptOf(record) !== undefined)
    const { head, tail, bytes, changedAt } = await endsOf(file, hasPrompt)
    if (bytes === 0) return leftOut(skipped(file, 'empty'))
    const all = head === tail ? head : [...head, ...tail]
    if (all.length === 0) return leftOut(skipped(file, 'no_header'))
    const prompt = head.map(promptOf).find((text) => text !== undefined)
    if (prompt === undefined) return leftOut(skipped(file, 'no_prompt'))
    const id = basename(file, '.jsonl')
    const asker = all.find((record) => textAt(record, 'requestSessionId') !== null)
    const origin = textAt(asker, 'requestSessionId')
    const answer = all.findLast((record) => isModel(textAt(record, 'message', 'model')))
    const timed = all.findLast((record) => timeOf(record['timestamp']) !== null)
    return listed({
      agent: 'claude',
      id,
      title: titleOf(lastText(all, 'customTitle') ?? lastText(all, 'aiTitle') ?? prompt),
      folder: textAt(
        all.find((record) => textAt(record, 'cwd') !== null),
        'cwd',
      ),
      branch: lastText(all, 'gitBranch'),
      model: textAt(answer, 'message', 'model'),
      version: lastText(all, 'version'),
      madeBy: textAt(
        all.find((record) => textAt(record, 'entrypoint') !== null),
        'entrypoint',
      ),
      forkOf: origin === id ? null : origin,
      archived: false,
      updatedAt: firstTime(timed?.['timestamp'], changedAt),
      bytes,
      mark: markOf(bytes, changedAt),
      files: [file],
      root,
    })
  } catch (error) {
    return leftOut(unreadable(file, error))
  }
}

const isModel = (name: string | null): boolean => name !== null && name !== '<synthetic>'

/** Records of requests repeat the whole system prompt; told by their beginning. */
const ballast = /^\{"type":"(?:api-request|queue-operation|file-history-snapshot|atis-latch)/

const isBallast = ({ bytes }: Line): boolean => ballast.test(bytes.toString('latin1', 0, 200))

async function* read({ files: [file = ''] }: PastSession): AsyncGenerator<PastRecord> {
  const unread = new Unread(file)
  const tree = new RecordTree()
  for await (const line of linesOf(file, unread)) {
    if (isBallast(line)) continue
    const record = recordOf(line, unread)
    const id = textAt(record, 'uuid')
    if (!record || id === null || record['isSidechain'] === true) continue
    const parent = textAt(record, 'parentUuid') ?? textAt(record, 'logicalParentUuid')
    tree.add(
      { id, parent, line: line.number },
      { mayBeLast: record['type'] !== 'attachment', isResult: resultsIn(record).length > 0 },
    )
  }
  yield* unread.records()
  if (tree.isFull) return yield leftOut(skipped(file, 'too_many_records', maxRecords))
  const children = await childrenOf(file)
  const reader = new ClaudeReader(children)
  yield* turnsOf(file, tree, (record, turns) => reader.apply(record, turns))
}

/** Files of sub-agents, by the call that began each. */
async function childrenOf(file: string): Promise<ReadonlyMap<string, string>> {
  const children = new Map<string, string>()
  const folder = join(dirname(file), basename(file, '.jsonl'), 'subagents')
  for await (const path of filesBelow(folder, 0)) {
    if (!path.endsWith('.meta.json')) continue
    const callId = textAt(await readJsonFile(path), 'toolUseId')
    if (callId !== null) children.set(callId, path.replace(/\.meta\.json$/, '.jsonl'))
  }
  return children
}

/** What a sub-agent ran, as parts of the call that began it. */
async function addCallsOf(file: string, parentId: string, turns: TurnCollector): Promise<void> {
  const unread = new Unread(file)
  for await (const line of linesOf(file, unread)) {
    const record = isBallast(line) ? undefined : recordOf(line, unread)
    if (!record) continue
    if (record['type'] === 'assistant')
      applyParts(
        fieldsIn(contentOf(record)).filter((part) => part['type'] === 'tool_use'),
        turns,
        parentId,
      )
    for (const part of resultsIn(record)) applyResult(record, part, turns)
  }
}

class ClaudeReader {
  readonly #children: ReadonlyMap<string, string>
  /** A command that the person typed, until something comes of it. */
  readonly #typed = new WeakMap<TurnCollector, { readonly text: string; readonly record: Fields }>()

  constructor(children: ReadonlyMap<string, string>) {
    this.#children = children
  }

  async apply(record: Fields, turns: TurnCollector): Promise<PastTurn | undefined> {
    const at = timeOf(record['timestamp'])
    if (record['type'] === 'assistant') return this.#applyAnswer(record, turns)
    if (record['type'] !== 'user') return undefined
    const prompt = promptOf(record)
    if (prompt !== undefined) {
      this.#typed.delete(turns)
      return turns.begin({
        id: textAt(record, 'uuid') ?? '',
        text: prompt,
        at: firstTime(at),
        media: picturesIn(contentOf(record)),
      })
    }
    turns.at(at)
    if (record['isCompactSummary'] === true)
      turns.compaction(textAt(record, 'uuid') ?? '', textsOf(contentOf(record)))
    const text = textsOf(contentOf(record))
    if (text.startsWith(interrupted)) turns.ended('cancelled')
    const typed = command.exec(text)?.[1]
    if (typed !== undefined && record['isMeta'] !== true) {
      const given = commandArguments.exec(text)?.[1]?.trim() ?? ''
      this.#typed.set(turns, { text: `${typed} ${given}`.trim(), record })
    }
    for (const part of resultsIn(record)) {
      const callId = textAt(part, 'tool_use_id') ?? ''
      const child = this.#children.get(callId)
      // One that cannot be read leaves the call that began it.
      if (child !== undefined) await addCallsOf(child, callId, turns).catch(() => {})
      applyResult(record, part, turns)
    }
    return undefined
  }

  #applyAnswer(record: Fields, turns: TurnCollector): PastTurn | undefined {
    const at = timeOf(record['timestamp'])
    const model = textAt(record, 'message', 'model')
    const typed = this.#typed.get(turns)
    this.#typed.delete(turns)
    const before =
      typed && isModel(model)
        ? turns.begin({
            id: textAt(typed.record, 'uuid') ?? '',
            text: typed.text,
            at: firstTime(typed.record['timestamp'], at),
          })
        : undefined
    turns.at(at)
    if (isModel(model)) turns.model(model)
    const end = turns.end
    applyParts(fieldsIn(contentOf(record)), turns)
    if (record['isAbortedMidStream'] === true) turns.ended('cancelled')
    // Said by the program, not by the model.
    else if (!isModel(model) && end !== undefined) turns.ended(end)
    if (record['isApiErrorMessage'] === true) turns.ended('failed', textsOf(contentOf(record)))
    return before
  }
}

function applyParts(parts: readonly Fields[], turns: TurnCollector, parentId?: string): void {
  for (const part of parts) {
    if (part['type'] === 'thinking') turns.thought(wordsOf(part['thinking']) ?? '')
    if (part['type'] === 'text') turns.text(wordsOf(part['text']) ?? '')
    if (part['type'] === 'tool_use')
      turns.call({
        id: textAt(part, 'id') ?? '',
        name: textAt(part, 'name') ?? '',
        input: part['input'],
        parentId: parentId ?? null,
      })
  }
}

function applyResult(record: Fields, part: Fields, turns: TurnCollector): void {
  for (const picture of picturesIn(part['content'])) turns.media(picture)
  turns.result({
    id: textAt(part, 'tool_use_id') ?? '',
    output: textsOf(part['content']),
    isError: part['is_error'] === true,
    isDenied: textAt(record, 'toolDenialKind') !== null,
  })
}

const picturesIn = (content: unknown): PastMedia[] =>
  fieldsIn(content)
    .filter((part) => part['type'] === 'image')
    .map(({ source }) => {
      const { media_type: type, data } = fieldsOf(source)
      return mediaOf(wordsOf(type), wordsOf(data))
    })

async function* filesOf(root: string): AsyncGenerator<string> {
  for await (const file of jsonlBelow(root, 1)) if (!basename(file).startsWith('agent-')) yield file
}

export const claudeSessions: PastSessions = {
  agent: 'claude',
  roots: ({ env, home }) => [join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'projects')],
  list: (root) => eachOf(filesOf(root), (file) => look(root, file)),
  read,
}
