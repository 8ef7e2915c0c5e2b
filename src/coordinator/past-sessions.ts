/**
 * Answers the server's requests about sessions that agents keep in files of their own on this
 * machine (IM9). They are read as its user reads them; nothing is started or changed.
 */
import { homedir, hostname } from 'node:os'
import { findSessions } from '../past-sessions/find-sessions.ts'
import type { PastSession, Skipped } from '../past-sessions/port.ts'
import { headOf, turnsOf } from '../past-sessions/readers.ts'
import { removeCopies } from '../past-sessions/sqlite-copy.ts'
import {
  maxListedSessions,
  maxListedSkipped,
  type PastListAnswer,
  type PastTurnsAnswer,
} from '../protocol/conversations/past-requests.ts'
import {
  type PastAgent,
  type PastTurn,
  pastAgents,
  piecesOfTurns,
} from '../protocol/conversations/past-session.ts'
import type {
  CoordinatorAnswer,
  CoordinatorRequest,
} from '../protocol/processes/coordinator-requests.ts'
import { statusNotice } from '../protocol/status-texts.ts'
import { refused } from './coordinator-requests.ts'

type PastRequest = Extract<CoordinatorRequest, { kind: 'past-list' | 'past-turns' }>
type ListRequest = Extract<PastRequest, { kind: 'past-list' }>
type TurnsRequest = Extract<PastRequest, { kind: 'past-turns' }>

export const isPastRequest = (ask: CoordinatorRequest): ask is PastRequest =>
  ask.kind === 'past-list' || ask.kind === 'past-turns'

/** Sessions that are being read; one more, and the oldest begins anew. */
const maxOpenReads = 8

interface OpenRead {
  readonly past: PastSession
  readonly pieces: AsyncGenerator<{ readonly turns: readonly PastTurn[]; readonly isLast: boolean }>
  readonly skipped: Skipped[]
  next: number
}

export class PastReads {
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #open = new Map<string, OpenRead>()

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env
  }

  async answer(ask: PastRequest): Promise<CoordinatorAnswer> {
    if (ask.kind === 'past-list') return { ok: true, value: await this.#list(ask) }
    const value = await this.#turns(ask)
    return value ? { ok: true, value } : refused('gone', statusNotice('pastGone'))
  }

  #find(agents: readonly PastAgent[], ids: readonly string[]) {
    const around = { env: this.#env, home: this.#env['HOME'] || homedir() }
    return findSessions({ agents, ids }, around)
  }

  async #list({ agent, q, from }: ListRequest): Promise<PastListAnswer> {
    const { found, skipped } = await this.#find(agent === null ? pastAgents : [agent], [])
    await removeCopies()
    const wanted = q.toLowerCase()
    const fits = found.filter(({ title, folder, id }) =>
      [title, folder ?? '', id].some((text) => text.toLowerCase().includes(wanted)),
    )
    return {
      items: fits.slice(from, from + maxListedSessions).map((past) => ({
        ...headOf(past, hostname()),
        bytes: past.bytes,
        mark: past.mark,
      })),
      total: fits.length,
      skipped: from === 0 ? skipped.slice(0, maxListedSkipped) : [],
    }
  }

  async #turns(ask: TurnsRequest): Promise<PastTurnsAnswer | undefined> {
    const name = `${ask.agent} ${ask.id}`
    const before = this.#open.get(name)
    this.#open.delete(name)
    const read = before?.next === ask.piece ? before : await this.#begin(ask)
    if (!read) return undefined
    const { value } = await read.pieces.next()
    if (!value) return undefined
    const piece = read.next++
    if (!value.isLast) this.#keep(name, read)
    else await removeCopies()
    return {
      source: headOf(read.past, hostname()),
      turns: value.turns,
      piece,
      mark: value.isLast ? read.past.mark : null,
      skipped: value.isLast ? read.skipped.slice(0, maxListedSkipped) : [],
    }
  }

  async #begin({ agent, id }: TurnsRequest): Promise<OpenRead | undefined> {
    const [past] = (await this.#find([agent], [id])).found
    if (!past) return undefined
    const skipped: Skipped[] = []
    return { past, pieces: piecesOfTurns(turnsOf(past, skipped)), skipped, next: 0 }
  }

  #keep(name: string, read: OpenRead): void {
    this.#open.set(name, read)
    const [oldest] = this.#open.keys()
    if (this.#open.size > maxOpenReads && oldest !== undefined) this.#open.delete(oldest)
  }
}
