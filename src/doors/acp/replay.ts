/**
 * What an editor is told of a session's past when it loads it: the newest turns that fit, oldest
 * first. An editor whose load takes too long begins a new session in silence, so there is a bound.
 */
import type { Who } from '../../domain/access/caller.ts'
import { listedTurn, type ThreadTurn } from '../../protocol/threads/thread-turn.ts'
import type { ListedTurn } from '../../protocol/turns/conversation-turn.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { listConversationTurns } from '../../services/turns/queries.ts'

const maxTurns = 200
const maxChars = 2 * 1024 * 1024
const maxMs = 5000
const pageSize = 50

export interface Past {
  /** Oldest first. */
  readonly turns: readonly ThreadTurn[]
  /** There are older ones. */
  readonly isCut: boolean
}

/** Those that ran and were not taken back. What still runs is told as it goes. */
const isPast = ({ state, about, rewound, startedAt }: ListedTurn): boolean =>
  startedAt !== null && state !== 'running' && state !== 'queued' && about !== 'summary' && !rewound

/** `running`: turns that are told as they go, whatever became of them since. */
export async function readPast(
  { app }: ServerDependencies,
  who: Who,
  { key, running }: { readonly key: string; readonly running: ReadonlySet<string> },
): Promise<Past> {
  const turns: ThreadTurn[] = []
  const begunAt = performance.now()
  let chars = 0
  let cursor: string | undefined
  for (;;) {
    const query = { key, items: true, limit: pageSize, ...(cursor !== undefined && { cursor }) }
    const page = await app.read(listConversationTurns, query, who)
    for (const turn of page.items) {
      if (!isPast(turn) || running.has(turn.id)) continue
      chars += JSON.stringify(turn.items).length + JSON.stringify(turn.content).length
      const isFull = turns.length >= maxTurns || (turns.length > 0 && chars > maxChars)
      if (isFull) return { turns: turns.reverse(), isCut: true }
      turns.push(listedTurn(turn, turn.content))
    }
    if (page.nextCursor === null) return { turns: turns.reverse(), isCut: false }
    if (performance.now() - begunAt > maxMs) return { turns: turns.reverse(), isCut: true }
    cursor = page.nextCursor
  }
}
