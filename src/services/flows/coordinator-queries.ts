/** Read queries for coordinators: their launches, which streams their facts lock, and where an agent would be started. */

import { detectWork } from '../../domain/agent-sessions/work-detection.ts'
import { epochMs } from '../../domain/instant.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { decideOrder } from '../../domain/processes/start.ts'
import { changingRequests } from '../../protocol/processes/coordinator-requests.ts'
import type { LinkFact } from '../../protocol/processes/link.ts'
import { type Pair, selectLiveAgentSession } from '../../store/agent-sessions/agent-sessions.ts'
import { userSessionsOf } from '../../store/consoles/user-sessions.ts'
import { messagesOfTurn } from '../../store/conversations/unread.ts'
import {
  findLaunch as find,
  findLaunch,
  liveLaunchesOf,
  liveLaunchesOn,
} from '../../store/processes/launches.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { isOfRole, selectRunningOfLaunch, type TurnRow } from '../../store/turns/turns.ts'
import { workFactsOf } from '../agent-sessions/agent-session-record.ts'
import { findOpenConversations } from '../conversations/queries.ts'
import {
  chosenMachine,
  type InEpoch,
  type LaunchLocks,
  requireCurrentEpoch,
  startableAgent,
  startFactsOf,
} from '../processes/launch-record.ts'
import { checkAssigned } from '../projects/project-record.ts'
import { noSuchLaunch } from '../refusals.ts'
import { keptWithContext } from '../turns/chat-options.ts'
import type { EndLocks } from './end-process.ts'
import { maxEndedByGoodbye, maxLostLaunches, type StoredFacts } from './store-facts.ts'

/** Finds the streams to lock for a launch. */
export const locateLaunch = defineQuery(
  async (reader, { launchId }: { launchId: string }): Promise<LaunchLocks> => {
    const launch = await find(reader, launchId)
    if (!launch) throw noSuchLaunch(launchId)
    const [userSessionId = null] = await userSessionsOf(reader, [launch])
    return {
      launchId,
      projectId: launch.projectId,
      coordinatorId: launch.coordinatorId,
      userSessionId,
    }
  },
)

/** Interval in which a sign of life is written. Coordinators send one at least every ten seconds. */
const aliveWriteIntervalMs = 3000

export type FactLocks =
  | { readonly through: number }
  | Pick<
      StoredFacts,
      | 'projectIds'
      | 'openConversations'
      | 'conversationKeys'
      | 'turnKeys'
      | 'userSessionIds'
      | 'locksHome'
    >

/** Facts announced only in a user session. */
const userSessionFacts: ReadonlySet<string> = new Set<LinkFact['type']>([
  'turn-update',
  'agent-configured',
])
const unannouncedFacts: ReadonlySet<string> = new Set<LinkFact['type']>([
  'process-output',
  'question-answered',
  'model-asked',
  'model-answered',
])

const endingFacts: ReadonlySet<string> = new Set<LinkFact['type']>([
  'process-exited',
  'start-failed',
  'goodbye',
])

/**
 * Finds the streams to lock for a coordinator's facts, and whether they must be stored: a sign of life without news is written
 * every few seconds only. Refuses a replaced instance.
 */
export const findFactLocks = defineQuery(
  async (
    reader,
    { facts, ...from }: InEpoch & { facts: readonly LinkFact[] },
    context,
  ): Promise<FactLocks> => {
    const row = await requireCurrentEpoch(reader, from)
    const fresh = epochMs(context.now) - epochMs(row.last_heard_at) < aliveWriteIntervalMs
    const isNew = facts.some(({ n }) => n > row.last_fact)
    if (!isNew && fresh && row.state !== 'unreachable') return { through: row.last_fact }
    const { ending, talking } = await launchesIn(reader, from.coordinatorId, isNew ? facts : [])
    const openConversations = new Set<string>()
    for (const launch of ending)
      for (const key of await findOpenConversations.run(reader, launch, context))
        openConversations.add(key)
    return {
      projectIds: [
        ...new Set([
          ...ending.map(({ projectId }) => projectId),
          ...(await changedProjects(reader, isNew ? facts : [])),
        ]),
      ],
      openConversations: [...openConversations],
      ...(await keysOf(
        reader,
        isNew ? facts : [],
        facts.some(({ type }) => endingFacts.has(type)) ? ending : [],
      )),
      userSessionIds: await userSessionsOf(reader, [...ending, ...talking]),
      locksHome:
        row.state === 'unreachable' ||
        facts.some(({ type }) => !userSessionFacts.has(type) && !unannouncedFacts.has(type)),
    }
  },
)

interface FactKeys {
  /** Conversations that get messages. */
  readonly conversationKeys: readonly string[]
  /** Conversations whose turns get events. */
  readonly turnKeys: readonly string[]
}

/** The conversations that these facts write to. `gone`: launches that end together with their turns. */
async function keysOf(
  reader: Reader,
  facts: readonly LinkFact[],
  gone: readonly Launch[],
): Promise<FactKeys> {
  const turns = new Map<string, TurnRow>()
  const ending = new Map<string, TurnRow>()
  for (const fact of facts) {
    if (
      !('turnId' in fact) ||
      unannouncedFacts.has(fact.type) ||
      fact.turnId === null ||
      turns.has(fact.turnId)
    )
      continue
    const turn = await reader.row('turns', { id: fact.turnId })
    if (turn) turns.set(turn.id, turn)
  }
  for (const fact of facts) {
    const turn = fact.type === 'turn-ended' ? turns.get(fact.turnId) : undefined
    if (turn) ending.set(turn.id, turn)
  }
  for (const { id: launchId } of gone)
    for (const turn of await reader.all(selectRunningOfLaunch, { launchId }))
      ending.set(turn.id, turn)
  const conversationKeys = new Set<string>()
  for (const turn of ending.values())
    for (const key of await conversationsOfTurn(reader, turn)) conversationKeys.add(key)
  const keys = [...turns.values(), ...ending.values()]
    .filter((turn) => !isOfRole(turn))
    .map((turn) => turn.conversation_key)
  for (const fact of facts) {
    const isKept =
      fact.type === 'turn-update'
        ? keptWithContext.has(fact.update.kind)
        : fact.type === 'agent-configured'
    if (!isKept || !('contextId' in fact) || !fact.contextId) continue
    const key = (await reader.row('contexts', { id: fact.contextId }))?.conversation_key
    if (key === undefined) continue
    conversationKeys.add(key)
    keys.push(key)
  }
  return { conversationKeys: [...conversationKeys], turnKeys: [...new Set(keys)] }
}

async function conversationsOfTurn(reader: Reader, turn: TurnRow): Promise<string[]> {
  const messages = await messagesOfTurn(reader, turn.id)
  return [
    ...new Set([turn.conversation_key, ...messages.map(({ conversationKey }) => conversationKey)]),
  ]
}

/** Projects whose worktrees a coordinator's answers changed. */
async function changedProjects(reader: Reader, facts: readonly LinkFact[]): Promise<string[]> {
  const projectIds = new Set<string>()
  for (const fact of facts) {
    if (fact.type !== 'question-answered' || !fact.last) continue
    const question = await reader.row('questions', { id: fact.questionId })
    if (question && changingRequests.has(question.kind)) projectIds.add(question.project_id)
  }
  return [...projectIds]
}

interface FactLaunches {
  /** Launches whose sessions may end, or whose facts are announced in their project. */
  readonly ending: Launch[]
  readonly talking: Launch[]
}

async function launchesIn(
  reader: Reader,
  coordinatorId: string,
  facts: readonly LinkFact[],
): Promise<FactLaunches> {
  if (facts.some(({ type }) => type === 'goodbye'))
    return { ending: await liveLaunchesOn(reader, coordinatorId, maxEndedByGoodbye), talking: [] }
  const ending = new Set<string>()
  const talking = new Set<string>()
  for (const fact of facts) {
    if (!('launchId' in fact) || unannouncedFacts.has(fact.type)) continue
    if (userSessionFacts.has(fact.type)) talking.add(fact.launchId)
    else ending.add(fact.launchId)
  }
  const launches = async (ids: Iterable<string>): Promise<Launch[]> => {
    const found: Launch[] = []
    for (const id of ids) {
      const launch = await findLaunch(reader, id)
      if (launch?.coordinatorId === coordinatorId) found.push(launch)
    }
    return found
  }
  return { ending: await launches(ending), talking: await launches(talking.difference(ending)) }
}

/** Finds the streams to lock for ending all launches of a coordinator. */
export const findLaunchesOn = defineQuery(
  async (reader, { coordinatorId }: { coordinatorId: string }, context): Promise<EndLocks> => {
    const launches = (await liveLaunchesOn(reader, coordinatorId, maxLostLaunches)).filter(
      ({ state }) => state !== 'held',
    )
    const openConversations = new Set<string>()
    for (const launch of launches)
      for (const key of await findOpenConversations.run(reader, launch, context))
        openConversations.add(key)
    const conversationKeys = new Set<string>()
    for (const { id: launchId } of launches)
      for (const turn of await reader.all(selectRunningOfLaunch, { launchId }))
        for (const key of await conversationsOfTurn(reader, turn)) conversationKeys.add(key)
    return {
      projectIds: [...new Set(launches.map(({ projectId }) => projectId))],
      openConversations: [...openConversations],
      userSessionIds: await userSessionsOf(reader, launches),
      conversationKeys: [...conversationKeys],
    }
  },
)

interface StartQuery extends Pair {
  /** Only a chat changed. A live chat session handles it. */
  readonly inChat?: boolean | undefined
}

/**
 * Decides cheaply whether a pair needs a start, and on which coordinator. Runs after every message, so the common answers come
 * first. `order-launch` decides again under the lock.
 */
export const findStart = defineQuery(
  async (
    reader,
    { inChat, agentId, projectId }: StartQuery,
    { now },
  ): Promise<{ coordinatorId: string } | undefined> => {
    const pair = { agentId, projectId }
    if (inChat && (await reader.first(selectLiveAgentSession, { ...pair, purpose: 'chat' })))
      return undefined
    const coordinatorId = await chosenMachine(reader, pair)
    if (coordinatorId === undefined || !(await startableAgent(reader, pair))) return undefined
    if (detectWork(now, await workFactsOf(reader, pair)).purpose === 'no_work') return undefined
    const { order } = decideOrder(now, await startFactsOf(reader, pair, now))
    return order === 'none' ? undefined : { coordinatorId }
  },
)

/** The coordinator for a held agent: the one chosen now, or else the launch's own. */
export const findHeldLaunch = defineQuery(
  async (reader, pair: Pair): Promise<{ coordinatorId: string } | undefined> => {
    await checkAssigned(reader, pair)
    const held = (await liveLaunchesOf(reader, pair)).find(({ state }) => state === 'held')
    return held && { coordinatorId: (await chosenMachine(reader, pair)) ?? held.coordinatorId }
  },
)
