/** The names of the machines that run agents or have run some. */
import { allCoordinators } from '../store/queries/coordinators.ts'
import { defineQuery } from '../store/store.ts'

export const listMachines = defineQuery({
  name: 'list-machines',
  run: async (reader, _: Record<never, never>): Promise<string[]> =>
    (await allCoordinators(reader)).map(({ machine }) => machine),
})
