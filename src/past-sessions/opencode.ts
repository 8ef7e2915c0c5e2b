/**
 * Reads the sessions of opencode, which are rows of its database. Only the tables of conversations
 * are read, never those with accounts and keys.
 */
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type Fields, fieldsOf, parsedJson } from '../platform/json.ts'
import { mediaOf, TurnCollector } from './collect-turns.ts'
import { firstTime, jsonOf, textAt, timeOf, titleOf, valueAt, wordsOf } from './fields.ts'
import { copyTries, maxLineBytes } from './limits.ts'
import { unreadable } from './lines.ts'
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
import { BusyError, rowsIn } from './sqlite-copy.ts'

const neededColumns: Readonly<Record<string, readonly string[]>> = {
  ['session']: ['id', 'parent_id', 'title', 'directory', 'version', 'time_created', 'time_updated'],
  message: ['id', 'session_id', 'time_created', 'data'],
  part: ['id', 'message_id', 'session_id', 'data'],
}

const unnamed = /^New session - \d{4}-/

function missingColumns(database: DatabaseSync): string {
  return Object.entries(neededColumns)
    .flatMap(([table, needed]) => {
      const there = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all()
      const names = new Set(there.map((row) => row['name']))
      return needed.filter((name) => !names.has(name)).map((name) => `${table}.${name}`)
    })
    .join(', ')
}

/** A longer row is not read. */
const bounded = `CASE WHEN length(data) <= ${maxLineBytes} THEN data END AS data`

/** A field of a row's JSON; null where it is none. */
const fieldOf = (path: string, data = 'data'): string =>
  `CASE WHEN json_valid(${data}) THEN json_extract(${data}, '$.${path}') END`

function* listedIn(file: string, database: DatabaseSync): Generator<Listed> {
  const missing = missingColumns(database)
  if (missing !== '') return yield leftOut(skipped(file, 'other_columns', missing))
  const hasArchived = database
    .prepare(`SELECT 1 FROM pragma_table_info('session') WHERE name = 'time_archived'`)
    .get()
  const rows = database.prepare(
    `SELECT s.id, s.title, s.directory, s.version, s.time_updated,
      ${hasArchived ? 's.time_archived' : 'NULL AS time_archived'},
      (SELECT ${fieldOf('modelID', 'm.data')} FROM message m WHERE m.session_id = s.id
        AND ${fieldOf('role', 'm.data')} = 'assistant' ORDER BY m.time_created DESC LIMIT 1)
        AS model,
      (SELECT sum(length(p.data)) FROM part p WHERE p.session_id = s.id) AS bytes
      FROM session s WHERE s.parent_id IS NULL ORDER BY s.time_updated DESC`,
  )
  for (const row of rows.iterate()) {
    const id = textAt(row, 'id') ?? ''
    const title = textAt(row, 'title') ?? ''
    const prompt = firstPrompt(database, id)
    if (prompt === undefined) {
      yield leftOut(skipped(`${file}#${id}`, 'no_prompt'))
      continue
    }
    yield listed({
      agent: 'opencode',
      id,
      title: titleOf(unnamed.test(title) ? prompt : title),
      folder: textAt(row, 'directory'),
      branch: null,
      model: textAt(row, 'model'),
      version: textAt(row, 'version'),
      madeBy: null,
      forkOf: null,
      archived: row['time_archived'] !== null,
      updatedAt: firstTime(row['time_updated']),
      bytes: Number(row['bytes'] ?? 0),
      mark: markOf(Number(row['bytes'] ?? 0), Number(row['time_updated'])),
      files: [file],
      root: file,
    })
  }
}

function firstPrompt(database: DatabaseSync, id: string): string | undefined {
  const rows = database.prepare(
    `SELECT ${bounded} FROM part WHERE session_id = ? AND message_id IN (SELECT id FROM message
      WHERE session_id = ? AND ${fieldOf('role')} = 'user') ORDER BY message_id, id`,
  )
  for (const row of rows.iterate(id, id)) {
    const part = fieldsOf(parsedJson(textAt(row, 'data') ?? ''))
    if (isTyped(part)) return textAt(part, 'text') ?? ''
  }
  return undefined
}

const isTyped = (part: Fields): boolean => part['type'] === 'text' && part['synthetic'] !== true

async function* list(file: string): AsyncGenerator<Listed> {
  if (!existsSync(file)) return
  yield* guarded(file, (database) => listedIn(file, database))
}

/** Says why a database cannot be read. */
async function* guarded<Row>(
  file: string,
  use: (database: DatabaseSync) => Iterable<Row>,
): AsyncGenerator<Row | { kind: 'skipped'; skipped: ReturnType<typeof skipped> }> {
  try {
    yield* rowsIn(file, use)
  } catch (error) {
    yield leftOut(
      error instanceof BusyError ? skipped(file, 'busy', copyTries) : unreadable(file, error),
    )
  }
}

async function* read({ id, root }: PastSession): AsyncGenerator<PastRecord> {
  yield* guarded(root, (database) => recordsIn(root, id, database))
}

function* recordsIn(file: string, id: string, database: DatabaseSync): Generator<PastRecord> {
  const turns = new TurnCollector()
  const messages = database.prepare(
    `SELECT id, ${bounded} FROM message WHERE session_id = ? ORDER BY time_created, id`,
  )
  let damaged = 0
  for (const row of messages.iterate(id)) {
    const message = parsedJson(textAt(row, 'data') ?? '')
    if (typeof message !== 'object' || message === null) {
      damaged++
      continue
    }
    const parts = partsOf(database, textAt(row, 'id') ?? '')
    const turn = apply(textAt(row, 'id') ?? '', fieldsOf(message), parts, turns, database)
    if (turn) yield { kind: 'turn', turn }
  }
  if (damaged > 0) yield leftOut(skipped(`${file}#${id}`, 'damaged_lines', damaged))
  const last = turns.finish()
  if (last) yield { kind: 'turn', turn: last }
}

function* partsOf(database: DatabaseSync, messageId: string): Generator<Fields> {
  const rows = database.prepare(`SELECT ${bounded} FROM part WHERE message_id = ? ORDER BY id`)
  for (const row of rows.iterate(messageId)) yield fieldsOf(parsedJson(textAt(row, 'data') ?? ''))
}

function apply(
  id: string,
  message: Fields,
  parts: Iterable<Fields>,
  turns: TurnCollector,
  database: DatabaseSync,
): PastTurn | undefined {
  const at = timeOf(valueAt(message, 'time', 'created'))
  if (message['role'] === 'user') return applyPrompt(id, at, [...parts], turns)
  turns.at(at)
  turns.model(textAt(message, 'modelID'))
  if (message['summary'] === true) {
    const texts = [...parts].filter((part) => part['type'] === 'text')
    turns.compaction(id, texts.map((part) => textAt(part, 'text') ?? '').join('\n'))
    return undefined
  }
  const end = turns.end
  for (const part of parts) applyPart(part, turns, database)
  const completed = timeOf(valueAt(message, 'time', 'completed'))
  turns.at(completed)
  const failure = fieldsOf(message['error'])
  if (failure['name'] === 'MessageAbortedError') turns.ended('cancelled')
  else if (failure['name'] !== undefined)
    turns.ended('failed', textAt(failure, 'data', 'message') ?? textAt(failure, 'name'))
  // What is said in a message that was never completed may be half of it.
  else if (completed === null) turns.ended(end === 'answered' ? end : 'unknown')
  return undefined
}

function applyPrompt(
  id: string,
  at: string | null,
  parts: readonly Fields[],
  turns: TurnCollector,
): PastTurn | undefined {
  const typed = parts.filter(isTyped)
  if (typed.length === 0) return undefined
  return turns.begin({
    id,
    text: typed.map((part) => textAt(part, 'text') ?? '').join('\n'),
    at: firstTime(at),
    media: parts.filter((part) => part['type'] === 'file').map(fileOf),
  })
}

function fileOf(part: Fields): PastMedia {
  const found = /^data:([^;,]+);base64,(.*)$/s.exec(textAt(part, 'url') ?? '')
  const name = textAt(part, 'filename')
  return mediaOf(textAt(part, 'mime'), found?.[2] ?? null, name && basename(name))
}

function applyPart(part: Fields, turns: TurnCollector, database?: DatabaseSync): void {
  if (part['type'] === 'reasoning') turns.thought(textAt(part, 'text') ?? '')
  if (part['type'] === 'text' && part['synthetic'] !== true) turns.text(textAt(part, 'text') ?? '')
  if (part['type'] === 'tool') applyCall(part, turns, null, database)
}

const refused = /^The user rejected permission/

function applyCall(
  part: Fields,
  turns: TurnCollector,
  parentId: string | null,
  database?: DatabaseSync,
): void {
  const state = fieldsOf(part['state'])
  const id = textAt(part, 'callID') ?? ''
  turns.call({ id, name: textAt(part, 'tool') ?? '', input: state['input'], parentId })
  const child = textAt(state, 'metadata', 'sessionId')
  if (child !== null && database)
    for (const call of callsOf(child, database)) applyCall(call, turns, id)
  const failure = wordsOf(state['error'])
  if (failure !== null) {
    const isDenied = refused.test(failure)
    turns.result({ id, output: failure, isError: true, isDenied })
    // A refusal stops the turn.
    if (isDenied && parentId === null) turns.ended('cancelled')
  } else if (state['status'] === 'completed')
    turns.result({ id, output: wordsOf(state['output']) ?? jsonOf(state['output']) ?? '' })
}

/** What a sub-agent ran. */
function* callsOf(id: string, database: DatabaseSync): Generator<Fields> {
  const rows = database.prepare(
    `SELECT ${bounded} FROM part WHERE session_id = ? AND ${fieldOf('type')} = 'tool'
      ORDER BY message_id, id`,
  )
  for (const row of rows.iterate(id)) yield fieldsOf(parsedJson(textAt(row, 'data') ?? ''))
}

export const opencodeSessions: PastSessions = {
  agent: 'opencode',
  roots: ({ env, home }) => [
    env['OPENCODE_DB'] ||
      join(env['XDG_DATA_HOME'] || join(home, '.local/share'), 'opencode', 'opencode.db'),
  ],
  list,
  read,
}
