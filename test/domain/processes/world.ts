/**
 * A small world for the property of PX7: processes that live and die, and a server that knows only
 * what it is told and decides with the product's functions. Whether a process is alive is the truth
 * of this world; no decision ever sees it.
 */

import { expiresAtToWrite, sweep } from '../../../src/domain/agent-sessions/expiry.ts'
import {
  type AgentSession,
  begin,
  decideAgentSession,
  type EndReason,
  type LiveAgentSession,
} from '../../../src/domain/agent-sessions/lifecycle.ts'
import { detectWork } from '../../../src/domain/agent-sessions/work-detection.ts'
import { type Instant, later } from '../../../src/domain/instant.ts'
import {
  decideExit,
  type ExitDecision,
  settleSuspicion,
} from '../../../src/domain/processes/process-exit.ts'

export const graceMs = 10_000
export const ttlMs = 15 * 60_000

/** One that the server ordered has a launch id; the others belong to a foreign coordinator. */
interface Process {
  readonly number: number
  readonly launchId: string | null
  /** Whether it names its launch when it signs in. */
  readonly namesLaunch: boolean
  alive: boolean
  /** The exit was reported with the launch id. */
  reported: boolean
}

export interface Ended {
  readonly agentSession: AgentSession
  readonly reason: EndReason
  readonly at: Instant
  readonly holder: Process
  readonly lastCallAt: Instant
}

interface Known {
  agentSession: AgentSession
  readonly holder: Process
  /** Kept in memory by the server, and the truth at once. */
  lastCallAt: Instant
}

export class World {
  now: Instant = '2026-03-01T09:00:00.000Z'
  hasTask = true
  unreadMessages = 1
  readonly processes: Process[] = []
  readonly ended: Ended[] = []
  readonly decisions = new Set<ExitDecision['decision']>()
  private readonly known = new Map<string, Known>()
  private readonly seenReports = new Set<string>()
  private readonly sent: { id: string; launchId: string | null; remaining: number }[] = []

  spawn(ordered: boolean, namesLaunch: boolean): void {
    const number = this.processes.length
    const launchId = ordered ? `launch-${number}` : null
    this.processes.push({
      number,
      launchId,
      namesLaunch: ordered && namesLaunch,
      alive: true,
      reported: false,
    })
  }

  authenticate(which: number): void {
    const holder = this.living(which)
    if (!holder) return
    const live = this.live().map(({ purpose }) => purpose)
    const { hasTask, unreadMessages, now } = this
    const { purpose } = detectWork(now, { hasTask, unreadMessages, pendingChatSince: now, live })
    if (purpose === 'no_work') return
    const id = `lease-${this.known.size}`
    const launchId = holder.namesLaunch ? holder.launchId : null
    const whose = { agentId: 'ada', projectId: 'p', lane: '' }
    const lease = { id, ...whose, purpose, launchId, workSessionId: null }
    this.known.set(id, { agentSession: begin(now, lease, ttlMs), holder, lastCallAt: now })
  }

  /** Any call on all that the process holds. */
  call(which: number): void {
    for (const each of this.heldBy(this.living(which))) {
      each.lastCallAt = this.now
      const { agentSession } = each
      if (agentSession.state === 'ended') continue
      const expiresAt =
        expiresAtToWrite(this.now, agentSession.expiresAt, ttlMs) ?? agentSession.expiresAt
      each.agentSession = { ...agentSession, expiresAt }
    }
  }

  logout(which: number): void {
    for (const { agentSession } of this.heldBy(this.living(which)))
      this.end(agentSession.id, 'logout')
  }

  exit(which: number): void {
    const process = this.living(which)
    if (process) process.alive = false
  }

  /**
   * The coordinator of a dead process says so, truly but perhaps late: it counts what it has when
   * it speaks.
   */
  report(which: number): void {
    const dead = this.processes.filter(
      ({ alive, launchId, reported }) => !alive && !(launchId && reported),
    )
    const process = dead[which % dead.length]
    if (!process) return
    const isOurs = process.launchId !== null
    const remaining = this.processes.filter(
      ({ alive, launchId }) => alive && (launchId !== null) === isOurs,
    ).length
    if (isOurs) process.reported = true
    const report = { id: `report-${this.sent.length}`, launchId: process.launchId, remaining }
    this.sent.push(report)
    this.receive(report)
  }

  /** An old report arrives again, numbers and all. */
  redeliver(which: number): void {
    const report = this.sent[which % this.sent.length]
    if (report) this.receive(report)
  }

  sweep(): void {
    for (const each of this.known.values()) {
      const { agentSession, holder, lastCallAt } = each
      if (agentSession.state === 'ended') continue
      if (agentSession.suspectedAt !== null) {
        const settled = settleSuspicion(this.now, agentSession.suspectedAt, lastCallAt, graceMs)
        if (settled === 'orphaned') this.end(agentSession.id, 'orphaned')
        if (settled === 'alive') each.agentSession = { ...agentSession, suspectedAt: null }
        if (settled !== 'alive') continue
      }
      const processKnownToLive = agentSession.launchId !== null && !holder.reported
      const decision = sweep(this.now, agentSession, {
        ttlMs,
        processKnownToLive,
        lastSeenAt: lastCallAt,
        hasRunningTurn: false,
      })
      if (decision.outcome === 'end') this.end(agentSession.id, decision.reason)
      if (decision.outcome === 'extend')
        each.agentSession = { ...each.agentSession, expiresAt: decision.expiresAt }
    }
  }

  advance(seconds: number): void {
    this.now = later(this.now, seconds * 1000)
  }

  /** What dead processes still hold, of those the server could know to be dead. */
  heldByTheDead(): Known[] {
    return [...this.known.values()].filter(
      ({ agentSession, holder }) =>
        agentSession.state !== 'ended' &&
        !holder.alive &&
        (agentSession.launchId === null || holder.reported),
    )
  }

  live(): LiveAgentSession[] {
    return [...this.known.values()]
      .map(({ agentSession }) => agentSession)
      .filter((each) => each.state !== 'ended')
  }

  private receive(report: { id: string; launchId: string | null; remaining: number }): void {
    const decision = decideExit(
      this.now,
      { remaining: report.remaining, launchId: report.launchId, epoch: null },
      {
        seenBefore: this.seenReports.has(report.id),
        currentEpoch: null,
        live: this.live(),
        launchesElsewhere: this.processes.flatMap(({ launchId, reported }) =>
          launchId && !reported ? [launchId] : [],
        ),
        work: this,
        graceMs,
      },
    )
    this.seenReports.add(report.id)
    this.decisions.add(decision.decision)
    if (decision.decision === 'ended')
      for (const { id, reason } of decision.ended) this.end(id, reason)
    const suspect =
      decision.decision === 'judging' && decision.begins
        ? this.known.get(decision.suspectId)
        : undefined
    if (suspect && suspect.agentSession.state !== 'ended')
      suspect.agentSession = { ...suspect.agentSession, suspectedAt: this.now }
  }

  private end(id: string, reason: EndReason): void {
    const each = this.known.get(id)
    const decision =
      each && decideAgentSession(this.now, each.agentSession, { type: 'end', reason })
    if (!each || decision?.outcome !== 'changed') return
    each.agentSession = decision.agentSession
    const { agentSession, holder, lastCallAt } = each
    this.ended.push({ agentSession, reason, at: this.now, holder: { ...holder }, lastCallAt })
  }

  private living(which: number): Process | undefined {
    const living = this.processes.filter(({ alive }) => alive)
    return living[which % living.length]
  }

  private heldBy(holder: Process | undefined): Known[] {
    return [...this.known.values()].filter(
      (each) => each.holder === holder && each.agentSession.state !== 'ended',
    )
  }
}
