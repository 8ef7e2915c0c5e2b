/**
 * What readers of agents' own files have in common: where the sessions of an agent are, what is
 * listed of one, and the turns that are read from it. A reader starts no agent and changes nothing.
 */
import type { Instant } from '../domain/instant.ts'
import type { PastAgent, PastTurn } from '../protocol/conversations/past-session.ts'

export {
  type PastAgent,
  type PastEnd,
  type PastMedia,
  type PastTurn,
  pastAgents,
} from '../protocol/conversations/past-session.ts'

/** Why a file, or a part of one, was left out. */
export const skipReasons = {
  empty: 'it is empty',
  unreadable: 'it cannot be read: {detail}',
  no_header: 'its first line does not say what it is',
  no_prompt: 'nobody said anything in it',
  newer_format: 'it was written by a newer version, in the format {detail}',
  other_columns: 'its tables have other columns: {detail}',
  damaged_lines: '{detail} of its lines could not be read and were left out',
  long_lines: '{detail} of its lines are longer than 16 MiB and were left out',
  too_many_records: 'it has more than {detail} records',
  older_turns: 'its {detail} oldest turns were left out',
  missing_parent: 'the session it was forked from is missing: {detail}',
  deleted: 'it was deleted here; --session with its id takes it in again',
  began_here: 'it was begun here',
  refused: 'the server refused it: {detail}',
  busy: 'it was written to while it was copied, {detail} times',
} as const
export type SkipReason = keyof typeof skipReasons

export interface Skipped {
  readonly file: string
  readonly reason: SkipReason
  /** What is filled into the words: a number, a version, the system's error. */
  readonly detail: string
}

export const skipped = (
  file: string,
  reason: SkipReason,
  detail: string | number = '',
): Skipped => ({
  file,
  reason,
  detail: String(detail),
})

export const skipWords = ({ reason, detail }: Pick<Skipped, 'reason' | 'detail'>): string =>
  skipReasons[reason].replace('{detail}', detail)

export interface PastSession {
  readonly agent: PastAgent
  /** The agent's own id. */
  readonly id: string
  readonly title: string
  readonly folder: string | null
  readonly branch: string | null
  readonly model: string | null
  readonly version: string | null
  /** The program it was made with, as the agent calls it. */
  readonly madeBy: string | null
  /** The session this one is a fork of, if the agent says so. */
  readonly forkOf: string | null
  readonly archived: boolean
  readonly updatedAt: Instant
  readonly bytes: number
  /** The same while its files are. */
  readonly mark: string
  /** Everything that is read for it; the first is named where one is named. */
  readonly files: readonly string[]
  /** The folder or database it was found in. */
  readonly root: string
}

/** What a read gives, in the order of the source. */
export type PastRecord =
  | { readonly kind: 'turn'; readonly turn: PastTurn }
  | { readonly kind: 'skipped'; readonly skipped: Skipped }

export type Listed =
  | { readonly kind: 'listed'; readonly past: PastSession }
  | { readonly kind: 'skipped'; readonly skipped: Skipped }

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
}

export interface PastSessions {
  readonly agent: PastAgent
  /** Folders or databases to look in; those that do not exist hold nothing. */
  readonly roots: (around: Surroundings) => readonly string[]
  readonly list: (root: string) => AsyncIterable<Listed>
  readonly read: (past: PastSession) => AsyncIterable<PastRecord>
}

export const listed = (past: PastSession): Listed => ({ kind: 'listed', past })
export const leftOut = (each: Skipped): { kind: 'skipped'; skipped: Skipped } => ({
  kind: 'skipped',
  skipped: each,
})

export const markOf = (bytes: number, changedAt: number): string => `${bytes} ${changedAt}`
