/**
 * Sessions in agents' own files on a machine (IM9): its coordinator reads them, the store takes
 * them in. A request takes in a session after the other; who stops asking has stopped the import,
 * and asking again goes on.
 */
import type { Caller } from '../../domain/access/caller.ts'
import {
  maxListedSessions,
  type PastListAnswer,
  type PastTurnsAnswer,
  type SkippedFile,
} from '../../protocol/conversations/past-requests.ts'
import type {
  PastAgent,
  PastSessionsPage,
  TakenSessions,
} from '../../protocol/conversations/past-session.ts'
import { App } from '../../services/app.ts'
import { findImported, findPastRoute } from '../../services/conversations/imported-session.ts'
import { takePastPiece } from '../../services/flows/imports/take-past-piece.ts'
import type { Store } from '../../store/store.ts'
import type { CoordinatorRequests } from '../processes/coordinator-requests.ts'

/** Ten thousand files on a disk that was not read lately. */
const listWithinMs = 60_000
/** One piece of a session of which all is read first. */
const pieceWithinMs = 120_000
/** Pieces of one session: its turns, and each may be a piece. */
const maxPieces = 25_000

type TakenOne = Omit<TakenSessions['items'][number], 'id'>

interface Machine {
  readonly coordinatorId: string
}

export class PastSessionsOfMachines {
  readonly #app: App
  readonly #requests: CoordinatorRequests

  constructor(store: Store, requests: CoordinatorRequests) {
    this.#app = new App(store)
    this.#requests = requests
  }

  async list(
    who: Caller,
    { coordinatorId }: Machine,
    { agent, q, cursor }: { agent?: PastAgent | undefined; q: string; cursor?: string | undefined },
  ): Promise<PastSessionsPage> {
    const from = Number(cursor ?? 0)
    const ask = { kind: 'past-list', agent: agent ?? null, q, from } as const
    const { items, total, skipped } = await this.#requests.ask<PastListAnswer>({
      ...this.#about(who, coordinatorId),
      ask,
      withinMs: listWithinMs,
    })
    const named = items.map(({ agent: of, id, mark }) => ({ agent: of, id, mark }))
    const states = await this.#app.read(findImported, { by: who.id, items: named }, who)
    const next = from + maxListedSessions
    return {
      items: items.flatMap((item, index) => {
        const { state, key } = states[index] ?? { state: 'new' as const, key: null }
        const { agent: of, id, title, folder, updatedAt, bytes } = item
        return state === 'began_here'
          ? []
          : [{ agent: of, id, title, folder, updatedAt, bytes, state, key }]
      }),
      total,
      skipped: [...skipped],
      nextCursor: next < total ? String(next) : null,
    }
  }

  async take(
    who: Caller,
    { coordinatorId }: Machine,
    { agent, ids }: { readonly agent: PastAgent; readonly ids: readonly string[] },
  ): Promise<TakenSessions> {
    const items: TakenSessions['items'] = []
    const skipped: SkippedFile[] = []
    for (const id of ids)
      items.push({ id, ...(await this.#takeOne(who, coordinatorId, { agent, id }, skipped)) })
    return { items, skipped }
  }

  async #takeOne(
    who: Caller,
    coordinatorId: string,
    { agent, id }: { readonly agent: PastAgent; readonly id: string },
    skipped: SkippedFile[],
  ): Promise<TakenOne> {
    const sum: TakenOne = { key: null, outcome: 'taken', added: 0 }
    let piece = 0
    for (let requests = 0; requests < maxPieces; requests++) {
      const ask = { kind: 'past-turns', agent, id, piece } as const
      const came = await this.#requests.ask<PastTurnsAnswer>({
        ...this.#about(who, coordinatorId),
        ask,
        withinMs: pieceWithinMs,
      })
      skipped.push(...came.skipped)
      const { source, turns, mark } = came
      // A file without a turn begins nothing.
      if (sum.key === null && turns.length === 0) return { ...sum, outcome: 'empty' }
      const route = await this.#app.read(findPastRoute, { agent, folder: source.folder }, who)
      const taking = { source, turns: [...turns], mark, named: true, by: who.id, route }
      const taken = await this.#app.run(takePastPiece, taking, who)
      if (taken.outcome !== 'taken') return { ...sum, outcome: taken.outcome }
      sum.key = taken.key
      sum.added += taken.added
      if (mark !== null) return sum
      piece = came.piece + 1
    }
    return sum
  }

  #about(who: Caller, coordinatorId: string) {
    return { coordinatorId, projectId: '', worktreeId: null, by: who.id }
  }
}
