/** Reads the sessions of Copilot: a folder each, with a file of events in their order. */
import { basename, dirname, join } from 'node:path'
import { readPlainFile } from '../platform/files/plain-file.ts'
import { type Fields, fieldsOf, parsedJson } from '../platform/json.ts'
import { mediaOf, TurnCollector } from './collect-turns.ts'
import { fieldsIn, firstTime, textAt, timeOf, titleOf, wordsOf } from './fields.ts'
import { eachOf, filesBelow } from './files.ts'
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

const newestFormat = 1

const dataOf = (record: Fields): Fields => fieldsOf(record['data'])

const isPrompt = (record: Fields): boolean =>
  record['type'] === 'user.message' && record['agentId'] === undefined

/** `key: value` at the beginning of lines; values in quotes are unquoted. */
function scalarsIn(yaml: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [, key = '', value = ''] of yaml.matchAll(/^(\w+):[ \t]*(.*?)[ \t]*\r?$/gm))
    values.set(key, unquoted(value))
  return values
}

function unquoted(value: string): string {
  if (/^'.*'$/s.test(value)) return value.slice(1, -1).replaceAll("''", "'")
  if (/^".*"$/s.test(value)) return wordsOf(parsedJson(value)) ?? value.slice(1, -1)
  return value
}

async function look(root: string, file: string): Promise<Listed> {
  try {
    const hasPrompt = (head: readonly Fields[]): boolean => head.some(isPrompt)
    const { head, tail, bytes, changedAt } = await endsOf(file, hasPrompt)
    if (bytes === 0) return leftOut(skipped(file, 'empty'))
    const [start] = head
    if (start?.['type'] !== 'session.start') return leftOut(skipped(file, 'no_header'))
    const format = dataOf(start)['version']
    if (typeof format === 'number' && format > newestFormat)
      return leftOut(skipped(file, 'newer_format', format))
    const prompt = head.find(isPrompt)
    if (!prompt) return leftOut(skipped(file, 'no_prompt'))
    const folder = dirname(file)
    const about = await readPlainFile(join(folder, 'workspace.yaml')).then(scalarsIn, () => null)
    const all = [...head, ...tail]
    const answer = all.findLast((record) => textAt(record, 'data', 'model') !== null)
    const timed = all.findLast((record) => timeOf(record['timestamp']) !== null)
    return listed({
      agent: 'copilot',
      id: basename(folder),
      title: titleOf(about?.get('name') || (textAt(prompt, 'data', 'content') ?? '')),
      folder: about?.get('cwd') ?? textAt(start, 'data', 'context', 'cwd'),
      branch: about?.get('branch') ?? textAt(start, 'data', 'context', 'branch'),
      model: textAt(answer, 'data', 'model'),
      version: textAt(start, 'data', 'copilotVersion'),
      madeBy: about?.get('client_name') ?? null,
      forkOf: null,
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

class CopilotTurns {
  readonly turns = new TurnCollector()
  /** Pictures by their digest; a prompt names them. */
  readonly #assets = new Map<string, PastMedia>()

  apply(record: Fields): PastTurn | undefined {
    const { turns } = this
    const data = dataOf(record)
    if (isPrompt(record)) return this.#prompt(record, data)
    const type = textAt(record, 'type') ?? ''
    if (type === 'session.binary_asset') this.#keepAsset(data)
    if (!/^(?:assistant|tool|abort|session\.(?:error|compaction_complete))/.test(type))
      return undefined
    // Events of a sub-agent come with the call that began it.
    const parentId = record['agentId'] === undefined ? null : textAt(data, 'parentToolCallId')
    if (record['agentId'] === undefined) turns.at(timeOf(record['timestamp']))
    if (type === 'tool.execution_start')
      turns.call({
        id: textAt(data, 'toolCallId') ?? '',
        name: textAt(data, 'toolName') ?? '',
        input: data['arguments'],
        parentId,
      })
    if (type === 'tool.execution_complete') this.#result(data)
    if (record['agentId'] === undefined) this.#own(type, data, textAt(record, 'id') ?? '')
    return undefined
  }

  #own(type: string, data: Fields, id: string): void {
    const { turns } = this
    if (type === 'assistant.message') this.#answer(data)
    if (type === 'assistant.turn_end' && turns.end === 'unknown' && this.#isOver) {
      turns.ended('answered')
    }
    if (type === 'assistant.turn_start') this.#isOver = false
    if (type === 'abort') turns.ended('cancelled')
    if (type === 'session.error') turns.ended('failed', textAt(data, 'message'))
    if (type === 'session.compaction_complete' && data['success'] !== false)
      turns.compaction(id, textAt(data, 'summaryContent') ?? textAt(data, 'summary'))
  }

  #isOver = false

  #prompt(record: Fields, data: Fields): PastTurn | undefined {
    const media = fieldsIn(data['attachments']).map((file) => {
      const asset = this.#assets.get(textAt(file, 'assetId') ?? '')
      const name = textAt(file, 'displayName')
      return asset ? { ...asset, name } : mediaOf(textAt(file, 'mimeType'), null, name)
    })
    return this.turns.begin({
      id: textAt(record, 'id') ?? '',
      text: textAt(data, 'content') ?? '',
      at: firstTime(record['timestamp']),
      media,
    })
  }

  #answer(data: Fields): void {
    const { turns } = this
    turns.model(textAt(data, 'model'))
    turns.thought(textAt(data, 'reasoningText') ?? '')
    turns.text(textAt(data, 'content') ?? '')
    for (const request of fieldsIn(data['toolRequests']))
      turns.call({
        id: textAt(request, 'toolCallId') ?? '',
        name: textAt(request, 'name') ?? '',
        input: request['arguments'],
      })
    this.#isOver = fieldsIn(data['toolRequests']).length === 0
  }

  #result(data: Fields): void {
    const code = textAt(data, 'error', 'code') ?? ''
    this.turns.result({
      id: textAt(data, 'toolCallId') ?? '',
      output: textAt(data, 'result', 'content') ?? textAt(data, 'error', 'message') ?? '',
      isError: data['success'] === false,
      isDenied: code === 'denied' || code === 'rejected',
    })
  }

  #keepAsset(data: Fields): void {
    const id = textAt(data, 'assetId')
    // Those of the newest prompts count; a session may have hundreds.
    if (this.#assets.size >= 20) this.#assets.delete(this.#assets.keys().next().value ?? '')
    if (id !== null) this.#assets.set(id, mediaOf(textAt(data, 'mimeType'), textAt(data, 'data')))
  }
}

async function* read({ files: [file = ''] }: PastSession): AsyncGenerator<PastRecord> {
  const unread = new Unread(file)
  const events = new CopilotTurns()
  for await (const line of linesOf(file, unread)) {
    // Repeats what the model was sent.
    if (/^\{"type":"(?:system\.message|model\.)/.test(line.bytes.toString('latin1', 0, 60)))
      continue
    const record = recordOf(line, unread)
    const turn = record && events.apply(record)
    if (turn) yield { kind: 'turn', turn }
  }
  yield* unread.records()
  const last = events.turns.finish()
  if (last) yield { kind: 'turn', turn: last }
}

async function* filesOf(root: string): AsyncGenerator<string> {
  for await (const file of filesBelow(root, 1)) if (basename(file) === 'events.jsonl') yield file
}

export const copilotSessions: PastSessions = {
  agent: 'copilot',
  roots: ({ env, home }) => [join(env['COPILOT_HOME'] || join(home, '.copilot'), 'session-state')],
  list: (root) => eachOf(filesOf(root), (file) => look(root, file)),
  read,
}
