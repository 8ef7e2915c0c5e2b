/** How many processes and coordinators there are, by state, for who watches (OP1). Those that have ended are not counted. */
import { countCoordinators } from '../store/queries/coordinators.ts'
import { countLiveByState } from '../store/queries/launches.ts'
import { defineQuery } from '../store/store.ts'

export interface Counted {
  readonly state: string
  readonly count: number
}

/** null: not known now. */
export interface ProcessCounts {
  readonly processes: readonly Counted[] | null
  readonly coordinators: readonly Counted[] | null
}

export const countProcesses = defineQuery({
  name: 'count-processes',
  run: async (reader): Promise<ProcessCounts> => ({
    processes: await reader.all(countLiveByState, {}),
    coordinators: await reader.all(countCoordinators, {}),
  }),
})
