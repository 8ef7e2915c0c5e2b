/** Reads the sessions of pi: a file of records each, of which every one names the one before it. */
import { basename, join } from 'node:path'
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
import { eachOf, jsonlBelow } from './files.ts'
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
import { RecordTree, turnsOf } from './record-tree.ts'

const newestFormat = 3

const messageOf = (record: Fields): Fields => fieldsOf(record['message'])

const promptOf = (record: Fields): string | undefined =>
  record['type'] === 'message' && valueAt(record, 'message', 'role') === 'user'
    ? textsOf(messageOf(record)['content'])
    : undefined

const lastOf = <Value>(
  values: readonly Value[],
  fits: (value: Value) => boolean,
): Value | undefined => values.findLast(fits)

async function look(root: string, file: string): Promise<Listed> {
  try {
    const hasPrompt = (head: readonly Fields[]): boolean =>
      head.some((record) => promptOf(record) !== undefined)
    const { head, tail, bytes, changedAt } = await endsOf(file, hasPrompt)
    if (bytes === 0) return leftOut(skipped(file, 'empty'))
    const [header] = head
    const id = textAt(header, 'id')
    if (header?.['type'] !== 'session' || id === null) return leftOut(skipped(file, 'no_header'))
    const format = header['version']
    if (typeof format === 'number' && format > newestFormat)
      return leftOut(skipped(file, 'newer_format', format))
    const prompt = head.map(promptOf).find((text) => text !== undefined)
    if (prompt === undefined) return leftOut(skipped(file, 'no_prompt'))
    const all = [...head, ...tail]
    const named = lastOf(all, (record) => record['type'] === 'session_info')
    const answer = lastOf(all, (record) => textAt(record, 'message', 'model') !== null)
    return listed({
      agent: 'pi',
      id,
      title: titleOf(textAt(named, 'name') ?? prompt),
      folder: textAt(header, 'cwd'),
      branch: null,
      model: textAt(answer, 'message', 'model'),
      version: null,
      madeBy: null,
      forkOf: idInName(textAt(header, 'parentSession')),
      archived: false,
      updatedAt: firstTime(all.at(-1)?.['timestamp'], changedAt),
      bytes,
      mark: markOf(bytes, changedAt),
      files: [file],
      root,
    })
  } catch (error) {
    return leftOut(unreadable(file, error))
  }
}

/** `<time>_<id>.jsonl` */
const idInName = (path: string | null): string | null =>
  path === null ? null : (/_([\w-]+)\.jsonl$/.exec(basename(path))?.[1] ?? null)

function apply(record: Fields, turns: TurnCollector): PastTurn | undefined {
  const at = timeOf(record['timestamp'])
  const id = textAt(record, 'id') ?? ''
  if (record['type'] === 'compaction') turns.compaction(id, textAt(record, 'summary'))
  if (record['type'] !== 'message') return undefined
  const message = messageOf(record)
  const content = message['content']
  if (message['role'] === 'user')
    return turns.begin({
      id,
      text: textsOf(content),
      at: firstTime(at),
      media: picturesIn(content),
    })
  turns.at(at)
  if (message['role'] === 'toolResult')
    turns.result({
      id: textAt(message, 'toolCallId') ?? '',
      output: textsOf(content),
      isError: message['isError'] === true,
    })
  if (message['role'] === 'assistant') applyAnswer(message, turns)
  return undefined
}

function applyAnswer(message: Fields, turns: TurnCollector): void {
  turns.model(textAt(message, 'model'))
  for (const part of fieldsIn(message['content'])) {
    if (part['type'] === 'thinking') turns.thought(wordsOf(part['thinking']) ?? '')
    if (part['type'] === 'text') turns.text(wordsOf(part['text']) ?? '')
    if (part['type'] === 'toolCall')
      turns.call({
        id: textAt(part, 'id') ?? '',
        name: textAt(part, 'name') ?? '',
        input: part['arguments'],
      })
  }
  if (message['stopReason'] === 'aborted') turns.ended('cancelled')
  if (message['stopReason'] === 'error') turns.ended('failed', textAt(message, 'errorMessage'))
}

const picturesIn = (content: unknown): PastMedia[] =>
  fieldsIn(content)
    .filter((part) => part['type'] === 'image')
    .map((part) => mediaOf(textAt(part, 'mimeType'), textAt(part, 'data')))

/** First the tree of the records, then those of the conversation. */
async function* read({ files: [file = ''] }: PastSession): AsyncGenerator<PastRecord> {
  const unread = new Unread(file)
  const tree = new RecordTree()
  for await (const line of linesOf(file, unread)) {
    const record = recordOf(line, unread)
    const id = textAt(record, 'id')
    if (record && id !== null && record['type'] !== 'session')
      tree.add({ id, parent: textAt(record, 'parentId'), line: line.number })
  }
  yield* unread.records()
  if (tree.isFull) return yield leftOut(skipped(file, 'too_many_records', maxRecords))
  yield* turnsOf(file, tree, apply)
}

export const piSessions: PastSessions = {
  agent: 'pi',
  roots: ({ env, home }) => [
    join(env['PI_CODING_AGENT_DIR'] || join(home, '.pi/agent'), 'sessions'),
  ],
  list: (root) => eachOf(jsonlBelow(root, 1), (file) => look(root, file)),
  read,
}
