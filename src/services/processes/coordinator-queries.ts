/** What a coordinator asks for: its launches, how to start one, and what it has to be told after a reconnect. */

import { detectWork } from '../../domain/agent-sessions/work-detection.ts'
import { epochMs } from '../../domain/instant.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { decideOrder } from '../../domain/processes/start.ts'
import { effects } from '../../protocol/processes/coordinator-requests.ts'
import type { LinkFact } from '../../protocol/processes/link.ts'
import { type Pair, selectLiveAgentSession } from '../../store/agent-sessions/agent-sessions.ts'
import { userSessionsOf } from '../../store/consoles/role-agents.ts'
import { messagesOfTurn } from '../../store/conversations/unread.ts'
import { selectQuestion } from '../../store/processes/coordinator-requests.ts'
import { findLaunch as find, findLaunch, liveLaunchesOf, liveLaunchesOn } from '../../store/processes/launches.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { isOfRole, selectRunningOfLaunch, selectTurn, type TurnRow } from '../../store/turns/turns.ts'
import { workFactsOf } from '../agent-sessions/work-facts.ts'
import { findOpenConversations } from '../conversations/queries.ts'
import { checkAssigned } from '../projects/project-record.ts'
import { noSuchLaunch } from '../refusals.ts'
import { type InEpoch, requireCurrentEpoch } from './coordinator-epoch.ts'
import type { WhichLaunch } from './launch-record.ts'
import type { Ends } from './process-end.ts'
import { chosenMachine, startableAgent, startFactsOf } from './start-facts.ts'
import { endedByGoodbye, type ToldFacts } from './take-facts.ts'
import { maxTakenOver } from './take-over-coordinator.ts'

/** Which streams a use case about a launch has to lock. */
export const locateLaunch = defineQuery({
  name: 'locate-launch',
  run: async (reader, { launchId }: { launchId: string }): Promise<WhichLaunch> => {
    const launch = await find(reader, launchId)
    if (!launch) throw noSuchLaunch(launchId)
    const [userSessionId = null] = await userSessionsOf(reader, [launch])
    return { launchId, projectId: launch.projectId, coordinatorId: launch.coordinatorId, userSessionId }
  },
})

/** A coordinator says something at least every ten seconds. */
const heardWrittenEveryMs = 3000

export type Told =
  | { readonly through: number }
  | Pick<ToldFacts, 'projectIds' | 'openConversations' | 'conversationKeys' | 'turnKeys' | 'userSessionIds' | 'tellsHome'>

/** What an agent lets be seen of its work: told in its user session and nowhere else. */
const ofUserSession: ReadonlySet<string> = new Set<LinkFact['type']>(['turn-update', 'agent-configured'])
const ofNobody: ReadonlySet<string> = new Set<LinkFact['type']>(['process-output', 'question-answered'])

/** What was being said then is said no further. */
const ofEnds: ReadonlySet<string> = new Set<LinkFact['type']>(['process-exited', 'start-failed', 'goodbye'])

/**
 * What has to be locked before a coordinator's facts can be stored, and whether they need storing at all: a sign of life that says
 * nothing new is written down only every few seconds. An instance that was replaced is refused here already.
 */
export const findToldLaunches = defineQuery({
  name: 'find-told-launches',
  run: async (reader, { facts, ...from }: InEpoch & { facts: readonly LinkFact[] }, context): Promise<Told> => {
    const row = await requireCurrentEpoch(reader, from)
    const fresh = epochMs(context.now) - epochMs(row.last_heard_at) < heardWrittenEveryMs
    const isNew = facts.some(({ n }) => n > row.last_fact)
    if (!isNew && fresh && row.state !== 'unreachable') return { through: row.last_fact }
    const { ending, talking } = await launchesIn(reader, from.coordinatorId, isNew ? facts : [])
    const openConversations = new Set<string>()
    for (const launch of ending)
      for (const key of await findOpenConversations.run(reader, launch, context)) openConversations.add(key)
    return {
      projectIds: [...new Set([...ending.map(({ projectId }) => projectId), ...(await askedAbout(reader, isNew ? facts : []))])],
      openConversations: [...openConversations],
      ...(await keysOf(reader, isNew ? facts : [], facts.some(({ type }) => ofEnds.has(type)) ? ending : [])),
      userSessionIds: await userSessionsOf(reader, [...ending, ...talking]),
      tellsHome: row.state === 'unreachable' || facts.some(({ type }) => !ofUserSession.has(type) && !ofNobody.has(type)),
    }
  },
})

interface Keys {
  /** Conversations in which something becomes a message. */
  readonly conversationKeys: readonly string[]
  /** Conversations whose turns are told of. */
  readonly turnKeys: readonly string[]
}

/** Where what these facts tell of turns is written. `gone`: launches that end, and with them what they have in hand. */
async function keysOf(reader: Reader, facts: readonly LinkFact[], gone: readonly Launch[]): Promise<Keys> {
  const turns = new Map<string, TurnRow>()
  const ending = new Map<string, TurnRow>()
  for (const fact of facts) {
    if (!('turnId' in fact) || fact.turnId === null || turns.has(fact.turnId)) continue
    const turn = await reader.first(selectTurn, { id: fact.turnId })
    if (turn) turns.set(turn.id, turn)
  }
  for (const fact of facts) {
    const turn = fact.type === 'turn-ended' ? turns.get(fact.turnId) : undefined
    if (turn) ending.set(turn.id, turn)
  }
  for (const { id: launchId } of gone)
    for (const turn of await reader.all(selectRunningOfLaunch, { launchId })) ending.set(turn.id, turn)
  const conversationKeys = new Set<string>()
  for (const turn of ending.values()) for (const key of await conversationsOfTurn(reader, turn)) conversationKeys.add(key)
  const told = [...turns.values(), ...ending.values()].filter((turn) => !isOfRole(turn))
  return { conversationKeys: [...conversationKeys], turnKeys: [...new Set(told.map((turn) => turn.conversation_key))] }
}

/** Its own, and those of the messages that it answers. */
async function conversationsOfTurn(reader: Reader, turn: TurnRow): Promise<string[]> {
  const messages = await messagesOfTurn(reader, turn.id)
  return [...new Set([turn.conversation_key, ...messages.map(({ conversationKey }) => conversationKey)])]
}

/** Whose worktrees were changed by what a coordinator was asked to do. */
async function askedAbout(reader: Reader, facts: readonly LinkFact[]): Promise<string[]> {
  const projectIds = new Set<string>()
  for (const fact of facts) {
    if (fact.type !== 'question-answered' || !fact.last) continue
    const question = await reader.first(selectQuestion, { id: fact.questionId })
    if (question && effects.has(question.kind)) projectIds.add(question.project_id)
  }
  return [...projectIds]
}

interface ToldOf {
  /** Whose sessions may end, or that readers of their project are told of. */
  readonly ending: Launch[]
  readonly talking: Launch[]
}

async function launchesIn(reader: Reader, coordinatorId: string, facts: readonly LinkFact[]): Promise<ToldOf> {
  if (facts.some(({ type }) => type === 'goodbye'))
    return { ending: await liveLaunchesOn(reader, coordinatorId, endedByGoodbye), talking: [] }
  const ending = new Set<string>()
  const talking = new Set<string>()
  for (const fact of facts) {
    if (!('launchId' in fact) || ofNobody.has(fact.type)) continue
    if (ofUserSession.has(fact.type)) talking.add(fact.launchId)
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

/** What has to be locked to end everything of a coordinator. */
export const findLaunchesOn = defineQuery({
  name: 'find-launches-on',
  run: async (reader, { coordinatorId }: { coordinatorId: string }, context): Promise<Ends> => {
    const launches = (await liveLaunchesOn(reader, coordinatorId, maxTakenOver)).filter(({ state }) => state !== 'held')
    const openConversations = new Set<string>()
    for (const launch of launches)
      for (const key of await findOpenConversations.run(reader, launch, context)) openConversations.add(key)
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
})

interface Look extends Pair {
  /** Something happened in its chat and nowhere else: a live chat session has it. */
  readonly inChat?: boolean | undefined
}

/**
 * Whether a look at a pair is worth a write, and on which coordinator it would be started: the cheap question behind every
 * message. The answers that are nearly always right come first. `order-launch` decides again, behind the lock.
 */
export const findStart = defineQuery({
  name: 'find-start',
  run: async (reader, { inChat, agentId, projectId }: Look, { now }): Promise<{ coordinatorId: string } | undefined> => {
    const pair = { agentId, projectId }
    if (inChat && (await reader.first(selectLiveAgentSession, { ...pair, purpose: 'chat' }))) return undefined
    const coordinatorId = await chosenMachine(reader, pair)
    if (coordinatorId === undefined || !(await startableAgent(reader, pair))) return undefined
    if (detectWork(now, await workFactsOf(reader, pair)).purpose === 'no_work') return undefined
    const { order } = decideOrder(now, await startFactsOf(reader, pair, now))
    return order === 'none' ? undefined : { coordinatorId }
  },
})

/** Where an agent that is held would be started: on the machine that is chosen for it, or, with none, where it was to be. */
export const findHeldLaunch = defineQuery({
  name: 'find-held-launch',
  run: async (reader, pair: Pair): Promise<{ coordinatorId: string } | undefined> => {
    await checkAssigned(reader, pair)
    const held = (await liveLaunchesOf(reader, pair)).find(({ state }) => state === 'held')
    return held && { coordinatorId: (await chosenMachine(reader, pair)) ?? held.coordinatorId }
  },
})
