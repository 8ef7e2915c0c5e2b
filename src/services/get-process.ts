/** A launch with the last of what its process wrote. */
import type { ProcessWithOutput } from '../protocol/process.ts'
import { findLaunch, processOf, selectOutput } from '../store/queries/launches.ts'
import { defineQuery } from '../store/store.ts'
import { noSuchLaunch } from './refusals.ts'

export const getProcess = defineQuery({
  name: 'get-process',
  run: async (reader, { launchId }: { launchId: string }): Promise<ProcessWithOutput> => {
    const launch = await findLaunch(reader, launchId)
    if (!launch) throw noSuchLaunch(launchId)
    return { ...processOf(launch), output: (await reader.first(selectOutput, { id: launchId }))?.output ?? '' }
  },
})
