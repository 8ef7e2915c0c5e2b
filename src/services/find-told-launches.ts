/**
 * What has to be locked before a coordinator's facts can be stored, and whether they need storing at all: a sign of life that says
 * nothing new is written down only every few seconds. An instance that was replaced is refused here already.
 */
import type { Launch } from '../domain/agent-process/lifecycle.ts'
import { epochMs } from '../domain/instant.ts'
import type { LinkFact } from '../protocol/link.ts'
import { effects } from '../protocol/link-questions.ts'
import { findLaunch, liveLaunchesOn } from '../store/queries/launches.ts'
import { selectQuestion } from '../store/queries/questions.ts'
import { userSessionsOf } from '../store/queries/role-agents.ts'
import { isOfRole, selectRunningOfLaunch, selectTurn, type TurnRow } from '../store/queries/turns.ts'
import { messagesOfTurn } from '../store/queries/unread.ts'
import { defineQuery, type Reader } from '../store/store.ts'
import { type InEpoch, inForce } from './coordinator-epoch.ts'
import { findOpenConversations } from './find-open-conversations.ts'
import { endedByGoodbye, type ToldFacts } from './take-facts.ts'

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

export const findToldLaunches = defineQuery({
  name: 'find-told-launches',
  run: async (reader, { facts, ...from }: InEpoch & { facts: readonly LinkFact[] }, context): Promise<Told> => {
    const row = await inForce(reader, from)
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
export async function conversationsOfTurn(reader: Reader, turn: TurnRow): Promise<string[]> {
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
