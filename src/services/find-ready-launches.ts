/** The processes of ACP agents that can be given a turn: of a project or all of them, a page at a time (CH12). */
import { type ReadyLaunch, readyLaunches } from '../store/queries/ready-launches.ts'
import { defineQuery } from '../store/store.ts'

/** In one read. */
export const readyAtOnce = 200

interface Asked {
  readonly projectId?: string | undefined
  readonly after: string
}

export const findReadyLaunches = defineQuery({
  name: 'find-ready-launches',
  run: (reader, asked: Asked): Promise<ReadyLaunch[]> => readyLaunches(reader, { ...asked, limit: readyAtOnce }),
})
