/** Finds the sessions of several agents that fit what was asked for, the newest first. */
import { sep } from 'node:path'
import { epochMs, type Instant } from '../domain/instant.ts'
import type { PastAgent, PastSession, Skipped, Surroundings } from './port.ts'
import { readerOf } from './readers.ts'

export interface Wanted {
  readonly agents: readonly PastAgent[]
  /** By their ids; empty: any. */
  readonly ids: readonly string[]
  /** Those that ran in this folder or below. */
  readonly folder?: string | undefined
  /** Those that changed after it. */
  readonly since?: Instant | undefined
}

export interface FoundSessions {
  readonly found: readonly PastSession[]
  readonly skipped: readonly Skipped[]
}

export async function findSessions(
  { agents, ids, folder, since }: Wanted,
  around: Surroundings,
): Promise<FoundSessions> {
  const found: PastSession[] = []
  const skipped: Skipped[] = []
  const fits = (past: PastSession): boolean =>
    (ids.length === 0 || ids.includes(past.id)) &&
    (folder === undefined || (past.folder !== null && isIn(past.folder, folder))) &&
    (since === undefined || past.updatedAt >= since)
  for (const agent of agents) {
    const reader = readerOf(agent)
    for (const root of reader.roots(around))
      for await (const each of reader.list(root))
        if (each.kind === 'skipped') skipped.push(each.skipped)
        else if (fits(each.past)) found.push(each.past)
  }
  return { found: found.toSorted(byDate), skipped }
}

const isIn = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

const byDate = (a: PastSession, b: PastSession): number =>
  epochMs(b.updatedAt) - epochMs(a.updatedAt)
