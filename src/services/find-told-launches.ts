/**
 * What has to be locked before a coordinator's facts can be stored, and whether they need storing at all: a sign of life that says
 * nothing new is written down only every few seconds. An instance that was replaced is refused here already.
 */
import { epochMs } from '../domain/instant.ts'
import type { LinkFact } from '../protocol/link.ts'
import type { Pair } from '../store/queries/agent-sessions.ts'
import { findLaunch, liveLaunchesOn } from '../store/queries/launches.ts'
import { defineQuery, type Reader } from '../store/store.ts'
import { type InEpoch, inForce } from './coordinator-epoch.ts'
import { findOpenConversations } from './find-open-conversations.ts'
import { endedByGoodbye, type ToldFacts } from './take-facts.ts'

/** A coordinator says something at least every ten seconds. */
const heardWrittenEveryMs = 3000

export type Told = { readonly through: number } | Pick<ToldFacts, 'projectIds' | 'openConversations' | 'tellsHome'>

export const findToldLaunches = defineQuery({
  name: 'find-told-launches',
  run: async (reader, { facts, ...from }: InEpoch & { facts: readonly LinkFact[] }, context): Promise<Told> => {
    const row = await inForce(reader, from)
    const fresh = epochMs(context.now) - epochMs(row.last_heard_at) < heardWrittenEveryMs
    const isNew = facts.some(({ n }) => n > row.last_fact)
    if (!isNew && fresh && row.state !== 'unreachable') return { through: row.last_fact }
    const pairs = await pairsOf(reader, from.coordinatorId, isNew ? facts : [])
    const openConversations = new Set<string>()
    for (const pair of pairs) for (const key of await findOpenConversations.run(reader, pair, context)) openConversations.add(key)
    return {
      projectIds: [...new Set(pairs.map(({ projectId }) => projectId))],
      openConversations: [...openConversations],
      tellsHome: row.state === 'unreachable' || facts.some(({ type }) => type !== 'process-output'),
    }
  },
})

/** Whose sessions may end, or whose process is told of. */
async function pairsOf(reader: Reader, coordinatorId: string, facts: readonly LinkFact[]): Promise<Pair[]> {
  if (facts.some(({ type }) => type === 'goodbye')) return liveLaunchesOn(reader, coordinatorId, endedByGoodbye)
  const pairs: Pair[] = []
  for (const fact of facts) {
    if (fact.type === 'goodbye' || fact.type === 'process-output') continue
    const launch = await findLaunch(reader, fact.launchId)
    if (launch?.coordinatorId === coordinatorId) pairs.push(launch)
  }
  return pairs
}
