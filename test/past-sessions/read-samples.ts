/** Reads the samples of agents' own sessions, which real agents wrote for one person. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { answerText } from '../../src/past-sessions/collect-turns.ts'
import type {
  PastAgent,
  PastSession,
  PastSessions,
  PastTurn,
  Skipped,
} from '../../src/past-sessions/port.ts'
import { readerOf, readPast } from '../../src/past-sessions/readers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export const samples = join(import.meta.dirname, 'samples')

export interface Read {
  readonly past: PastSession
  readonly turns: readonly PastTurn[]
  readonly skipped: readonly Skipped[]
}

export interface ListedAll {
  readonly found: readonly PastSession[]
  readonly skipped: readonly Skipped[]
}

export async function listAll(reader: PastSessions, root: string): Promise<ListedAll> {
  const found: PastSession[] = []
  const skipped: Skipped[] = []
  for await (const each of reader.list(root))
    if (each.kind === 'listed') found.push(each.past)
    else skipped.push(each.skipped)
  return { found, skipped }
}

export async function readOne(past: PastSession): Promise<Read> {
  const turns: PastTurn[] = []
  const skipped: Skipped[] = []
  for await (const each of readPast(past))
    if (each.kind === 'turn') turns.push(each.turn)
    else skipped.push(each.skipped)
  return { past, turns, skipped }
}

export async function readAll(agent: PastAgent, root: string): Promise<Read[]> {
  const { found } = await listAll(readerOf(agent), root)
  return await Promise.all(found.map(readOne))
}

/** The item that fits; a test fails without it. */
export function oneOf<Item>(items: readonly Item[], fits: (item: Item) => boolean): Item {
  const found = items.find(fits)
  if (found === undefined) throw new Error('nothing fits')
  return found
}

export const fileOf = ({ files }: PastSession): string => oneOf(files, () => true)

/** A database of opencode in a folder of its own, at rest or with its log beside it. */
export function opencodeDatabase({ wal = false } = {}): {
  readonly file: string
  readonly writer: DatabaseSync
} {
  const folder = join(temporaryFolder(), 'opencode')
  mkdirSync(folder)
  const file = join(folder, 'opencode.db')
  const writer = new DatabaseSync(file)
  if (wal) writer.exec('PRAGMA journal_mode=wal')
  writer.exec(readFileSync(join(samples, 'opencode/opencode.sql'), 'utf8'))
  return { file, writer }
}

interface ToolSummary {
  readonly name: string
  readonly status: string
  readonly output?: string
}

/** A turn in the words of expected.json. */
export function summaryOf(turn: PastTurn): Readonly<Record<string, unknown>> {
  const tools: ToolSummary[] = turn.updates.flatMap((each) => {
    if (each.kind !== 'tool' || each.call.parentId !== undefined) return []
    const { call } = each
    const status = turn.denied.includes(call.toolCallId) ? 'denied' : call.status
    return [{ name: call.title.split(' ')[0] ?? '', status, output: call.output ?? '' }]
  })
  return {
    prompt: turn.prompt,
    at: turn.startedAt,
    answer: answerText(turn),
    thoughts: turn.updates.filter(({ kind }) => kind === 'thought').length,
    tools,
    end: turn.end,
    compaction: turn.updates.some(({ kind }) => kind === 'compaction'),
    media: turn.media.length,
  }
}
