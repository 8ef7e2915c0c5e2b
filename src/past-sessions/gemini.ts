/**
 * Reads the sessions of Gemini CLI. One may be in several files, and a file tells a message again,
 * poorer and with a later time, when the session is gone on with: the richest record and the first
 * time count.
 */
import { basename, dirname, join } from 'node:path'
import { readPlainFile } from '../platform/files/plain-file.ts'
import { type Fields, fieldsOf, isFields } from '../platform/json.ts'
import { mediaOf, TurnCollector } from './collect-turns.ts'
import {
  fieldsIn,
  firstTime,
  jsonOf,
  listOf,
  textAt,
  textsOf,
  timeOf,
  titleOf,
  wordsOf,
} from './fields.ts'
import { eachOf, filesBelow } from './files.ts'
import { maxRecords } from './limits.ts'
import { endsOf, linesOf, recordOf, Unread, unreadable } from './lines.ts'
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

const isMessage = (record: Fields): boolean =>
  textAt(record, 'id') !== null && textAt(record, 'type') !== null

/** What the person typed, if they did. */
function promptOf(record: Fields): string | undefined {
  if (record['type'] !== 'user') return undefined
  const parts = fieldsIn(record['content'])
  if (parts.length > 0 && parts.every((part) => part['functionResponse'] !== undefined))
    return undefined
  const text = textsOf(record['displayContent'] ?? record['content'])
  return text.trimStart().startsWith('<session_context>') ? undefined : text
}

const messagesIn = (record: Fields): readonly Fields[] =>
  isMessage(record) ? [record] : fieldsIn(fieldsOf(record['$set'])['messages'])

interface Part {
  readonly file: string
  readonly id: string
  readonly kind: string | null
  readonly prompt: string | undefined
  readonly model: string | null
  readonly updatedAt: string
  readonly bytes: number
  readonly mark: string
}

async function look(file: string): Promise<Part | Listed> {
  try {
    const hasPrompt = (head: readonly Fields[]): boolean =>
      head.some((record) => promptOf(record) !== undefined)
    const { head, tail, bytes, changedAt } = await endsOf(file, hasPrompt)
    if (bytes === 0) return leftOut(skipped(file, 'empty'))
    const [header] = head
    const id = textAt(header, 'sessionId')
    if (id === null) return leftOut(skipped(file, 'no_header'))
    const all = [...head, ...tail]
    const messages = all.filter(isMessage)
    const timed = messages.findLast((record) => timeOf(record['timestamp']) !== null)
    return {
      file,
      id,
      kind: textAt(header, 'kind'),
      prompt: messages.map(promptOf).find((text) => text !== undefined),
      model: textAt(
        messages.findLast((record) => textAt(record, 'model') !== null),
        'model',
      ),
      updatedAt: firstTime(timed?.['timestamp'], changedAt),
      bytes,
      mark: markOf(bytes, changedAt),
    }
  } catch (error) {
    return leftOut(unreadable(file, error))
  }
}

/** The files of each session together. */
async function* list(root: string): AsyncGenerator<Listed> {
  const parts = new Map<string, Part[]>()
  for await (const each of eachOf(filesOf(root), look)) {
    if (!('id' in each)) yield each
    else if (each.kind !== 'subagent') parts.set(each.id, [...(parts.get(each.id) ?? []), each])
  }
  for (const [id, found] of parts) yield await together(root, id, found)
}

async function together(root: string, id: string, found: readonly Part[]): Promise<Listed> {
  const parts = found
    .filter(({ prompt }) => prompt !== undefined)
    .toSorted((a, b) => (a.file < b.file ? -1 : 1))
  const last = parts.at(-1)
  if (!last) return leftOut(skipped(found[0]?.file ?? id, 'no_prompt'))
  const slug = dirname(dirname(last.file))
  const folder = await readPlainFile(join(slug, '.project_root')).catch(() => null)
  return listed({
    agent: 'gemini',
    id,
    title: titleOf(parts[0]?.prompt ?? ''),
    folder: folder?.trim() || null,
    branch: null,
    model: parts.findLast(({ model }) => model !== null)?.model ?? null,
    version: null,
    madeBy: last.kind,
    forkOf: null,
    archived: false,
    updatedAt: last.updatedAt,
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    mark: titleOf(parts.map(({ mark }) => mark).join(', ')),
    files: parts.map(({ file }) => file),
    root,
  })
}

/** Where the richest record of a message is, and its first time. */
interface Known {
  readonly file: number
  readonly line: number
  readonly rank: number
  readonly at: string | null
}

/** Finds out which messages there are, in which order, and where the richest of each is. */
class Replay {
  readonly known = new Map<string, Known>()
  order: string[] = []
  #before: readonly string[] = []

  /** Messages of the files before stay as they are. */
  beginFile(): void {
    this.#before = this.order
    this.order = []
  }

  endFile(): void {
    const before = new Set(this.#before)
    this.order = [...this.#before, ...this.order.filter((id) => !before.has(id))]
  }

  apply(record: Fields, file: number, line: number): void {
    const back = textAt(record, '$rewindTo')
    if (back !== null) this.order = this.order.slice(0, this.order.indexOf(back) + 1)
    if (isMessage(record)) {
      const id = this.#note(record, file, line, true)
      if (!this.order.includes(id)) this.order.push(id)
    }
    const messages = fieldsOf(record['$set'])['messages']
    if (Array.isArray(messages))
      this.order = messages.filter(isFields).map((each) => this.#note(each, file, line, false))
  }

  #note(message: Fields, file: number, line: number, isOwn: boolean): string {
    const id = textAt(message, 'id') ?? ''
    const first = this.known.get(id)
    const rank = (isOwn ? 2 : 0) + (listOf(message['toolCalls']).length > 0 ? 1 : 0)
    const at = first?.at ?? timeOf(message['timestamp'])
    if (first && first.rank > rank) this.known.set(id, { ...first, at })
    else this.known.set(id, { file, line, rank, at })
    return id
  }
}

async function* read({ files }: PastSession): AsyncGenerator<PastRecord> {
  const replay = new Replay()
  for (const [index, file] of files.entries()) {
    const unread = new Unread(file)
    replay.beginFile()
    for await (const line of linesOf(file, unread)) {
      const record = recordOf(line, unread)
      if (record) replay.apply(record, index, line.number)
      if (replay.known.size > maxRecords)
        return yield leftOut(skipped(file, 'too_many_records', maxRecords))
    }
    replay.endFile()
    yield* unread.records()
  }
  yield* turnsOf(files, replay)
}

/**
 * Reads the richest records again. They stand nearly in the order of the conversation; one that is
 * early waits for those before it.
 */
async function* turnsOf(files: readonly string[], replay: Replay): AsyncGenerator<PastRecord> {
  const turns = new TurnCollector()
  const place = new Map(replay.order.map((id, index) => [id, index]))
  const waiting = new Map<number, Fields>()
  let next = 0
  for (const [index, file] of files.entries()) {
    const unread = new Unread(file)
    for await (const line of linesOf(file, unread)) {
      const record = recordOf(line, unread)
      for (const message of record ? messagesIn(record) : []) {
        const id = textAt(message, 'id') ?? ''
        const richest = replay.known.get(id)
        const at = place.get(id)
        if (richest?.file !== index || richest.line !== line.number || at === undefined) continue
        waiting.set(at, message)
      }
      for (let each = waiting.get(next); each; each = waiting.get(next)) {
        waiting.delete(next++)
        const turn = apply(each, replay.known.get(textAt(each, 'id') ?? '')?.at ?? null, turns)
        if (turn) yield { kind: 'turn', turn }
      }
    }
  }
  const last = turns.finish()
  if (last) yield { kind: 'turn', turn: last }
}

function apply(message: Fields, at: string | null, turns: TurnCollector): PastTurn | undefined {
  const prompt = promptOf(message)
  if (prompt !== undefined)
    return turns.begin({
      id: textAt(message, 'id') ?? '',
      text: prompt,
      at: firstTime(at),
      media: picturesIn(message['content']),
    })
  if (message['type'] === 'user') return undefined
  turns.at(at)
  turns.model(textAt(message, 'model'))
  for (const { subject, description } of fieldsIn(message['thoughts']))
    turns.thought([wordsOf(subject), wordsOf(description)].filter(Boolean).join(': '))
  const content = message['content']
  const texts = Array.isArray(content)
    ? content.filter((part) => !fieldsOf(part)['thought'])
    : content
  turns.text(textsOf(texts))
  for (const call of fieldsIn(message['toolCalls'])) applyCall(call, turns)
  return undefined
}

function applyCall(call: Fields, turns: TurnCollector): void {
  const id = textAt(call, 'id') ?? ''
  turns.call({ id, name: textAt(call, 'name') ?? '', input: call['args'] })
  const status = textAt(call, 'status')
  if (status === null || !['success', 'error', 'cancelled'].includes(status)) return
  const response = fieldsIn(call['result'])
    .map((part) => fieldsOf(fieldsOf(part['functionResponse'])['response']))
    .map((fields) => textAt(fields, 'output') ?? textAt(fields, 'error') ?? jsonOf(fields) ?? '')
  turns.result({
    id,
    output: response.join('\n'),
    isError: status === 'error',
    isDenied: status === 'cancelled',
  })
}

const picturesIn = (content: unknown): PastMedia[] =>
  fieldsIn(content)
    .map((part) => part['inlineData'])
    .filter(isFields)
    .map((picture) => mediaOf(textAt(picture, 'mimeType'), textAt(picture, 'data')))

/** `<slug>/chats/session-….jsonl`; those of sub-agents are a folder deeper. */
async function* filesOf(root: string): AsyncGenerator<string> {
  for await (const file of filesBelow(root, 2))
    if (basename(dirname(file)) === 'chats' && file.endsWith('.jsonl')) yield file
}

export const geminiSessions: PastSessions = {
  agent: 'gemini',
  // The variable names the home folder; the agent's own folder is taken too.
  roots: ({ env, home }) => {
    const given = env['GEMINI_CLI_HOME']
    return given ? [join(given, 'tmp'), join(given, '.gemini/tmp')] : [join(home, '.gemini/tmp')]
  },
  list,
  read,
}
