/** Which streams a use case about a launch has to lock. */
import { findLaunch as find } from '../store/queries/launches.ts'
import { userSessionsOf } from '../store/queries/role-agents.ts'
import { defineQuery } from '../store/store.ts'
import type { WhichLaunch } from './existing-launch.ts'
import { noSuchLaunch } from './refusals.ts'

export const findLaunch = defineQuery({
  name: 'find-launch',
  run: async (reader, { launchId }: { launchId: string }): Promise<WhichLaunch> => {
    const launch = await find(reader, launchId)
    if (!launch) throw noSuchLaunch(launchId)
    const [userSessionId = null] = await userSessionsOf(reader, [launch])
    return { launchId, projectId: launch.projectId, coordinatorId: launch.coordinatorId, userSessionId }
  },
})
