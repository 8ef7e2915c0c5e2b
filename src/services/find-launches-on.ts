/** What has to be locked to end everything of a coordinator. */
import { liveLaunchesOn } from '../store/queries/launches.ts'
import { userSessionsOf } from '../store/queries/role-agents.ts'
import { selectRunningOfLaunch } from '../store/queries/turns.ts'
import { defineQuery } from '../store/store.ts'
import { findOpenConversations } from './find-open-conversations.ts'
import { conversationsOfTurn } from './find-told-launches.ts'
import type { Ends } from './process-end.ts'
import { maxTakenOver } from './take-over-coordinator.ts'

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
