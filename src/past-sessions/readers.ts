/** Names every reader of agents' own files. */
import type { PastHead } from '../protocol/conversations/past-session.ts'
import { claudeSessions } from './claude.ts'
import { codexSessions } from './codex.ts'
import { copilotSessions } from './copilot.ts'
import { geminiSessions } from './gemini.ts'
import { leastTurnBytes, maxTurns } from './limits.ts'
import { opencodeSessions } from './opencode.ts'
import { piSessions } from './pi.ts'
import {
  leftOut,
  type PastAgent,
  type PastRecord,
  type PastSession,
  type PastSessions,
  type PastTurn,
  type Skipped,
  skipped,
} from './port.ts'

const readers: Readonly<Record<PastAgent, PastSessions>> = {
  claude: claudeSessions,
  codex: codexSessions,
  opencode: opencodeSessions,
  gemini: geminiSessions,
  pi: piSessions,
  copilot: copilotSessions,
}

export const readerOf = (agent: PastAgent): PastSessions => readers[agent]

/** What is said of it where it is taken in. */
export const headOf = (past: PastSession, machine: string): PastHead => ({
  agent: past.agent,
  id: past.id,
  title: past.title,
  folder: past.folder,
  branch: past.branch,
  version: past.version,
  forkOf: past.forkOf,
  archived: past.archived,
  updatedAt: past.updatedAt,
  machine,
})

/** The turns of one; what was left out goes to `skipped`. */
export async function* turnsOf(past: PastSession, skipped: Skipped[]): AsyncGenerator<PastTurn> {
  for await (const each of readPast(past))
    if (each.kind === 'turn') yield each.turn
    else skipped.push(each.skipped)
}

/** The turns of a session, the newest where there are too many. */
export async function* readPast(past: PastSession): AsyncGenerator<PastRecord> {
  const reader = readerOf(past.agent)
  let older = (await turnsIn(reader, past)) - maxTurns
  if (older > 0) yield leftOut(skipped(past.files[0] ?? '', 'older_turns', older))
  for await (const each of reader.read(past)) {
    if (each.kind === 'turn' && older-- > 0) continue
    yield each
  }
}

async function turnsIn(reader: PastSessions, past: PastSession): Promise<number> {
  // A fork counts what its parents have.
  if (past.forkOf === null && past.bytes < maxTurns * leastTurnBytes) return 0
  let turns = 0
  for await (const each of reader.read(past)) if (each.kind === 'turn') turns++
  return turns
}
