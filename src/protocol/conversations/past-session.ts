/**
 * Sessions that agents keep in files of their own (IM), as they are taken in: what one is, and its
 * turns, in pieces. The command line and the page's machines send the same.
 */
import * as z from 'zod'
import { Time } from '../text.ts'
import { AgentUpdate, maxListed, maxMediaChars, maxShownLine } from '../turns/agent-update.ts'
import { Content } from './message.ts'

export const pastAgents = ['claude', 'codex', 'opencode', 'gemini', 'pi', 'copilot'] as const
export const PastAgent = z.enum(pastAgents)
export type PastAgent = z.output<typeof PastAgent>

export const pastEnds = ['answered', 'cancelled', 'failed', 'unknown'] as const
export type PastEnd = (typeof pastEnds)[number]

/** Updates of one turn, and turns of one piece. */
const maxPastUpdates = 5000
const maxTurnsPerPiece = 100
/** About a megabyte, unless a single turn is longer. */
const charsPerPiece = 500_000
/** The longest turn with every character escaped. */
export const pieceLimit = 32 * 1024 * 1024

const Line = z.string().max(maxShownLine)
const SourceId = z.string().min(1).max(200)

const PastMedia = z.object({
  mimeType: Line,
  data: z.base64().max(maxMediaChars).nullable().describe('null: too large to keep, or gone'),
  name: Line.nullable(),
})
export type PastMedia = z.output<typeof PastMedia>

export const PastTurn = z.object({
  id: SourceId.describe('The same in each read'),
  prompt: Content,
  media: z.array(PastMedia).max(maxListed),
  startedAt: Time,
  endedAt: Time,
  model: Line.nullable(),
  updates: z.array(AgentUpdate).max(maxPastUpdates),
  end: z.enum(pastEnds),
  error: Content.nullable(),
  denied: z.array(Line).max(maxPastUpdates).describe('The tool calls that were refused'),
  takenBack: z.boolean().describe('The person went back to before it'),
})
export type PastTurn = z.output<typeof PastTurn>

/** What one is, without its turns. */
export const PastHead = z.object({
  agent: PastAgent,
  id: SourceId,
  title: Line,
  folder: z.string().max(4096).nullable(),
  branch: Line.nullable(),
  version: Line.nullable(),
  forkOf: SourceId.nullable(),
  archived: z.boolean(),
  updatedAt: Time,
  machine: Line.nullable().describe('Where its files are'),
})
export type PastHead = z.output<typeof PastHead>

export const PastPiece = z.strictObject({
  source: PastHead,
  turns: z.array(PastTurn).max(maxTurnsPerPiece),
  mark: Line.nullable().describe('With the last piece: what says that its files are unchanged'),
  named: z.boolean().default(false).describe('Asked for by its id: also where it was deleted'),
})
export type PastPiece = z.output<typeof PastPiece>

const pieceOutcomes = ['taken', 'deleted', 'began_here'] as const

export const TakenPiece = z.object({
  key: z.string().nullable(),
  outcome: z
    .enum(pieceOutcomes)
    .describe('`deleted`: it was taken in before and deleted; `began_here`: it is none of others'),
  created: z.boolean(),
  added: z.int().describe('Turns that were not there'),
})
export type TakenPiece = z.output<typeof TakenPiece>

/** One that was taken in. */
export const ImportedSession = z.object({
  agent: PastAgent,
  id: z.string(),
  key: z.string(),
  state: z.enum(['taken', 'deleted']),
  mark: z.string().nullable(),
  title: z.string(),
  at: Time,
})
export type ImportedSession = z.output<typeof ImportedSession>

const SkippedFile = z.object({ file: z.string(), reason: z.string(), detail: z.string() })

/** Sessions that lie on a machine, the newest first. */
export const PastSessionsPage = z.object({
  items: z.array(
    PastHead.pick({ agent: true, id: true, title: true, folder: true, updatedAt: true }).extend({
      bytes: z.number(),
      state: z
        .enum(['new', 'taken', 'more', 'deleted'])
        .describe('`more`: its files have changed since it was taken in'),
      key: z.string().nullable(),
    }),
  ),
  total: z.int(),
  skipped: z.array(SkippedFile).describe('Why: a code, and what is filled into its words'),
  nextCursor: z.string().nullable(),
})
export type PastSessionsPage = z.output<typeof PastSessionsPage>

export const TakenSessions = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      key: z.string().nullable(),
      outcome: z.enum([...pieceOutcomes, 'empty']),
      added: z.int(),
    }),
  ),
  skipped: z.array(SkippedFile),
})
export type TakenSessions = z.output<typeof TakenSessions>

/** Puts turns together to pieces; the last of them says so. */
export async function* piecesOfTurns(
  turns: AsyncIterable<PastTurn>,
): AsyncGenerator<{ readonly turns: readonly PastTurn[]; readonly isLast: boolean }> {
  let piece: PastTurn[] = []
  let chars = 0
  for await (const turn of turns) {
    const length = JSON.stringify(turn).length
    if (piece.length > 0 && (chars + length > charsPerPiece || piece.length >= maxTurnsPerPiece)) {
      yield { turns: piece, isLast: false }
      piece = []
      chars = 0
    }
    piece.push(turn)
    chars += length
  }
  yield { turns: piece, isLast: true }
}
