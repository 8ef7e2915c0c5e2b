/**
 * The launches of a coordinator that may have outlived what they were for, as far as the store knows: a page at a time. Whether one
 * is stopped `sweep-launch` decides, which is also told what this server remembers.
 */

import type { Launch } from '../domain/agent-process/lifecycle.ts'
import { overdue } from '../domain/agent-process/overdue.ts'
import type { Deaf } from '../domain/heard-time.ts'
import { newestOfLaunch } from '../store/queries/agent-sessions-of-launch.ts'
import { liveLaunchesOn } from '../store/queries/launches.ts'
import { defineQuery } from '../store/store.ts'
import type { WhichLaunch } from './existing-launch.ts'
import { launchFactsOf } from './launch-facts.ts'

/** In one read, so that nobody waits for it. */
const lookedAtOnce = 50

export interface DueLaunch extends Omit<WhichLaunch, 'userSessionId'> {
  readonly agentSessionId: string | null
}

interface DuePage {
  readonly due: readonly DueLaunch[]
  /** Where to go on; undefined at the end. */
  readonly last: Pick<Launch, 'orderedAt' | 'id'> | undefined
}

type From = { readonly coordinatorId: string; readonly deaf: readonly Deaf[]; readonly last?: DuePage['last'] }

export const findDueLaunches = defineQuery({
  name: 'find-due-launches',
  run: async (reader, { coordinatorId, deaf, last }: From, { now }): Promise<DuePage> => {
    const page = await liveLaunchesOn(reader, coordinatorId, lookedAtOnce, last)
    const due: DueLaunch[] = []
    for (const launch of page) {
      if (!overdue(now, launch, await launchFactsOf(reader, launch, { now, lastSeenAt: null }), deaf)) continue
      const { id: launchId, projectId } = launch
      due.push({ launchId, projectId, coordinatorId, agentSessionId: (await newestOfLaunch(reader, launchId))?.id ?? null })
    }
    return { due, last: page.length < lookedAtOnce ? undefined : page.at(-1) }
  },
})
