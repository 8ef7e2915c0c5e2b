/**
 * Stores a coordinator's facts (CO1, CO6), each once by number, in one commit. Numbers already
 * stored are dropped, so a coordinator resends what was not acknowledged. A process's end ends
 * exactly its launch's agent session (PX2). Also records that the coordinator is alive.
 */

import { Refusal } from '../../../domain/errors.ts'
import { epochMs, type Instant } from '../../../domain/instant.ts'
import { type Detail, detailFrom } from '../../../domain/notices.ts'
import { answerGreeting } from '../../../domain/processes/epoch.ts'
import type { Launch } from '../../../domain/processes/lifecycle.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { coordinatorStream, home } from '../../../domain/stream-name.ts'
import { mask, maskDetail } from '../../../platform/log/mask.ts'
import type { Coordinator } from '../../../protocol/processes/coordinator.ts'
import {
  type CoordinatorHello,
  type LinkFact,
  linkVersion,
} from '../../../protocol/processes/link.ts'
import { maxOutputKept, type UnknownSent } from '../../../protocol/processes/process.ts'
import {
  coordinatorOf,
  findCoordinatorRow,
  type KnownCoordinatorRow,
  selectEpoch,
} from '../../../store/processes/coordinators.ts'
import {
  findLaunch,
  liveCounts,
  liveLaunchesOn,
  selectOutput,
} from '../../../store/processes/launches.ts'
import { type Context, defineUseCase, type Tx } from '../../../store/store.ts'
import { addModelUsage } from '../../../store/turns/model-usage.ts'
import {
  fenced,
  type InEpoch,
  moveLaunch,
  requireCurrentEpoch,
} from '../../processes/launch-record.ts'
import { noSuchCoordinator } from '../../refusals.ts'
import { applyTurnFact } from '../turns/apply-turn-fact.ts'
import { endProcess } from './end-process.ts'
import { storeAnswerPart } from './store-answer-part.ts'

/** Launches of one coordinator that a goodbye ends. */
const maxEndedByGoodbye = 10_000

/**
 * Interval in which a sign of life is written. Coordinators send one at least every ten seconds.
 */
const aliveWriteIntervalMs = 3000

interface StoredFacts extends InEpoch {
  readonly facts: readonly LinkFact[]
}

export const storeFacts = defineUseCase('store-facts', {
  scope: 'link',
  on: 'caller',
  streams: ({ coordinatorId }: StoredFacts) => [coordinatorStream(coordinatorId)],
  lockCacheKey: ({ coordinatorId, facts }) =>
    [coordinatorId, ...new Set(facts.map(subjectOf))].sort().join(' '),
  run: async (tx, input, context): Promise<{ through: number }> => {
    const row = await requireCurrentEpoch(tx, input)
    const isNew = input.facts.some(({ n }) => n > row.last_fact)
    const isFresh = epochMs(context.now) - epochMs(row.last_heard_at) < aliveWriteIntervalMs
    if (!isNew && isFresh && row.state !== 'unreachable') return { through: row.last_fact }
    let through = row.last_fact
    let saidGoodbye = false
    for (const fact of input.facts) {
      if (fact.n <= through) continue
      through = fact.n
      if (fact.type === 'goodbye') saidGoodbye = true
      else if (fact.type === 'question-answered') await storeAnswerPart(tx, fact, input, context)
      else await applyFact(tx, fact, input, context)
    }
    if (saidGoodbye) await endAll(tx, input, context)
    await recordContact(tx, row, { through, saidGoodbye, now: context.now })
    return { through }
  },
})

/** What a fact locks: pieces of output lock what the pieces before them did. */
function subjectOf(fact: LinkFact): string {
  if (fact.type === 'turn-update' && fact.turnId !== null) return fact.turnId
  return 'launchId' in fact ? `${fact.type} ${fact.launchId}` : fact.type
}

type RequestFact = Extract<LinkFact, { type: 'model-asked' | 'model-answered' }>
type LaunchFact = Exclude<LinkFact, { type: 'goodbye' | 'question-answered' }>

async function applyFact(
  tx: Tx,
  fact: LaunchFact,
  input: StoredFacts,
  context: Context,
): Promise<void> {
  const launch = await findLaunch(tx, fact.launchId)
  // Ignores facts about another coordinator's launch, or one lost with an older database.
  if (launch?.coordinatorId !== input.coordinatorId) return
  switch (fact.type) {
    case 'process-output':
      if (fact.unknown) await addUnknown(tx, fact.launchId, fact.unknown)
      return appendOutput(tx, fact.launchId, fact.text)
    case 'model-asked':
    case 'model-answered':
      return countRequest(tx, fact, launch, context)
    case 'process-started':
      await moveLaunch(tx, launch, { type: 'started', pid: fact.pid, birth: fact.birth }, context)
      return
    case 'start-failed':
      return endProcess(tx, launch, { type: 'start-failed', error: errorIn(fact) }, context)
    case 'process-exited': {
      const { exitCode, signal, found, stopped } = fact
      const end = { type: 'exited', exitCode, signal, found, stopped } as const
      return endProcess(tx, launch, end, context)
    }
    default:
      return applyTurnFact(tx, fact, launch, context)
  }
}

const errorIn = ({ error, notice }: Extract<LinkFact, { type: 'start-failed' }>): Detail =>
  maskDetail(detailFrom(error, notice))

/** GW5: each fact counts once, also of a turn or a launch that is over. */
async function countRequest(
  tx: Tx,
  fact: RequestFact,
  launch: Launch,
  { now }: Context,
): Promise<void> {
  const { id: launch_id, projectId: project_id, agentId: agent_id } = launch
  const {
    inputTokens = 0,
    outputTokens = 0,
    cachedTokens = 0,
    finished = false,
  } = 'finished' in fact ? fact : {}
  await tx.write(addModelUsage, {
    launch_id,
    project_id,
    agent_id,
    turn_id: fact.turnId ?? '',
    model: fact.model,
    updated_at: now,
    requests: fact.type === 'model-asked' ? 1 : 0,
    finished: finished ? 1 : 0,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cached_tokens: cachedTokens,
  })
}

/** A goodbye ends all its processes, reported or not. */
async function endAll(tx: Tx, { coordinatorId }: StoredFacts, context: Context): Promise<void> {
  const unseen = { exitCode: null, signal: null, found: null, stopped: true } as const
  for (const launch of await liveLaunchesOn(tx, coordinatorId, maxEndedByGoodbye))
    if (launch.state === 'starting' || launch.state === 'running')
      await endProcess(tx, launch, { type: 'exited', ...unseen }, context)
}

/** Different things of one process that are kept by name. */
const maxUnknown = 100

async function addUnknown(tx: Tx, id: string, sent: UnknownSent): Promise<void> {
  const stored: UnknownSent[] = JSON.parse((await tx.first(selectOutput, { id }))?.unknown ?? '[]')
  const same = stored.find(({ kind, name }) => kind === sent.kind && name === sent.name)
  if (!same && stored.length >= maxUnknown) return
  const others = stored.filter((each) => each !== same)
  const unknown = [...others, { ...sent, count: sent.count + (same?.count ?? 0) }]
  await tx.update('launches', { id, unknown: JSON.stringify(unknown) })
}

/** Keeps the end of the output, from the beginning of a line. */
async function appendOutput(tx: Tx, id: string, text: string): Promise<void> {
  const all = ((await tx.first(selectOutput, { id }))?.output ?? '') + mask(text)
  const output = all.length <= maxOutputKept ? all : wholeLines(all.slice(-maxOutputKept))
  await tx.update('launches', { id, output })
}

const wholeLines = (text: string): string => text.slice(text.indexOf('\n') + 1)

interface Contact {
  readonly through: number
  readonly saidGoodbye: boolean
  readonly now: Instant
}

async function recordContact(
  tx: Tx,
  row: KnownCoordinatorRow,
  { through, saidGoodbye, now }: Contact,
): Promise<void> {
  const heard = row.state === 'unreachable' ? 'connected' : row.state
  const state = saidGoodbye ? 'stopped' : heard
  await tx.update('coordinators', { id: row.id, state, last_fact: through, last_heard_at: now })
  if (state === row.state) return
  const coordinator = coordinatorOf(
    { ...row, state, last_heard_at: now },
    (await liveCounts(tx)).get(row.id) ?? 0,
  )
  tx.append(home, {
    type: saidGoodbye ? 'coordinator-stopped' : 'coordinator-back',
    data: { coordinator },
  })
}

// Registers a coordinator (CO1, CO6) and returns its epoch and last stored fact. A new instance
// raises the epoch.

type Registration = Omit<CoordinatorHello, 'type' | 'requestId'> & {
  readonly coordinatorId: string
}

export interface Registered {
  readonly epoch: number
  readonly lastFact: number
  readonly greeting: string
}

export const registerCoordinator = defineUseCase('register-coordinator', {
  scope: 'link',
  on: 'caller',
  streams: ({ coordinatorId }: Registration) => [home, coordinatorStream(coordinatorId)],
  run: async (tx, { coordinatorId: id, ...hello }, { now, random }): Promise<Registered> => {
    if (hello.linkVersion !== linkVersion)
      throw new Refusal(
        'invalid_request',
        refusalText('linkVersionOther', { version: linkVersion }),
        { field: 'linkVersion' },
      )
    const before = await findCoordinatorRow(tx, id)
    const stored = before?.epoch ?? (await tx.first(selectEpoch, { coordinatorId: id }))?.epoch
    const answer = answerGreeting(
      hello,
      stored === undefined ? null : { instance: before?.instance ?? null, epoch: stored },
    )
    if (answer.outcome === 'fenced') throw fenced(hello.epoch, answer.epoch)
    const { epoch, successor } = answer
    const row: KnownCoordinatorRow = {
      id,
      machine: hello.machine,
      state: 'connected',
      instance: hello.instance,
      last_fact: before?.last_fact ?? 0,
      version: hello.version,
      boot_id: hello.bootId,
      pid: hello.pid,
      joined_at: before && !successor ? before.joined_at : now,
      last_heard_at: now,
      labels: JSON.stringify([...new Set(hello.labels ?? [])].sort()),
      capacity: hello.capacity ?? null,
      contexts: 1,
      threads: hello.threads ? 1 : 0,
      greeting: random.uuid(),
      epoch,
    }
    await tx.put('coordinators', row)
    if (epoch !== stored) await tx.put('coordinator_epochs', { coordinator_id: id, epoch })
    const back = before?.state === 'connected' ? undefined : 'coordinator-back'
    const type = successor ? 'coordinator-joined' : back
    if (type)
      tx.append(home, {
        type,
        data: { coordinator: coordinatorOf(row, (await liveCounts(tx)).get(id) ?? 0) },
      })
    return { epoch, lastFact: row.last_fact, greeting: row.greeting }
  },
})

/** Launches of one coordinator in one commit. */
const maxLostLaunches = 10_000

/** No instance has this name, so the next to register is a successor. */
const noInstance = ''

interface Takeover {
  readonly coordinatorId: string
  readonly by: string
}

/**
 * Takes over from a coordinator (CO6): raises its epoch, so that its later facts are refused, and
 * ends its launches and their agent sessions. It cleans up when it learns of it. A repeated call
 * changes nothing.
 */
export const takeOverCoordinator = defineUseCase('take-over-coordinator', {
  scope: 'manage',
  on: 'coordinator',
  streams: ({ coordinatorId }: Takeover) => [home, coordinatorStream(coordinatorId)],
  run: async (tx, { coordinatorId, by }, context): Promise<Coordinator> => {
    const row = await findCoordinatorRow(tx, coordinatorId)
    if (!row) throw noSuchCoordinator(coordinatorId)
    if (row.instance === noInstance) return coordinatorOf(row, 0)
    const launches = await liveLaunchesOn(tx, coordinatorId, maxLostLaunches)
    const taken = { ...row, state: 'stopped', instance: noInstance, epoch: row.epoch + 1 } as const
    await tx.put('coordinators', taken)
    await tx.put('coordinator_epochs', { coordinator_id: coordinatorId, epoch: taken.epoch })
    for (const launch of launches)
      if (launch.state !== 'held') await endProcess(tx, launch, { type: 'lost' }, context)
    const coordinator = coordinatorOf(taken, 0)
    tx.append(home, { type: 'coordinator-taken-over', data: { coordinator, by } })
    return coordinator
  },
})

/**
 * Marks a coordinator as unreachable after too long a silence (CO6). Its processes are neither
 * replaced nor killed.
 */
export const markUnreachable = defineUseCase('mark-unreachable', {
  scope: 'server',
  on: 'nobody',
  streams: ({ coordinatorId }: { coordinatorId: string; lastHeardAt: Instant }) => [
    home,
    coordinatorStream(coordinatorId),
  ],
  run: async (tx, { coordinatorId, lastHeardAt }): Promise<boolean> => {
    const row = await findCoordinatorRow(tx, coordinatorId)
    if (row?.state !== 'connected' || row.last_heard_at !== lastHeardAt) return false
    const silent = { ...row, state: 'unreachable' } as const
    await tx.update('coordinators', { id: coordinatorId, state: 'unreachable' })
    const coordinator = coordinatorOf(silent, (await liveCounts(tx)).get(coordinatorId) ?? 0)
    tx.append(home, { type: 'coordinator-unreachable', data: { coordinator } })
    return true
  },
})
