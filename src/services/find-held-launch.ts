/** Where an agent that is held would be started: on the machine that is chosen for it, or, with none, where it was to be. */
import type { Pair } from '../store/queries/agent-sessions.ts'
import { liveLaunchesOf } from '../store/queries/launches.ts'
import { defineQuery } from '../store/store.ts'
import { checkAssigned } from './check-assigned.ts'
import { chosenMachine } from './chosen-machine.ts'

export const findHeldLaunch = defineQuery({
  name: 'find-held-launch',
  run: async (reader, pair: Pair): Promise<{ coordinatorId: string } | undefined> => {
    await checkAssigned(reader, pair)
    const held = (await liveLaunchesOf(reader, pair)).find(({ state }) => state === 'held')
    return held && { coordinatorId: (await chosenMachine(reader, pair)) ?? held.coordinatorId }
  },
})
