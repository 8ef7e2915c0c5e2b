/**
 * Looks at one launch that may have outlived what it was for, and orders its end if so (NA5, NA6). Asked twice, or too early, it
 * changes nothing.
 */
import type { LaunchEndReason } from '../domain/agent-process/lifecycle.ts'
import { overdue } from '../domain/agent-process/overdue.ts'
import type { Deaf } from '../domain/heard-time.ts'
import type { Instant } from '../domain/instant.ts'
import { defineUseCase } from '../store/store.ts'
import { existingLaunch, type WhichLaunch } from './existing-launch.ts'
import { launchFactsOf } from './launch-facts.ts'
import { launchStreams, stopLaunch } from './launch-record.ts'

interface Look extends Omit<WhichLaunch, 'userSessionId'> {
  readonly deaf: readonly Deaf[]
  readonly lastSeenAt: Instant | null
}

export const sweepLaunch = defineUseCase({
  name: 'sweep-launch',
  streams: (input: Look) => launchStreams(input),
  run: async (tx, { deaf, lastSeenAt, ...which }, context): Promise<{ stopped: LaunchEndReason | null }> => {
    const { now } = context
    const launch = await existingLaunch(tx, which)
    const due = overdue(now, launch, await launchFactsOf(tx, launch, { now, lastSeenAt }), deaf)
    const stopped = due && (await stopLaunch(tx, launch, due, context))
    return { stopped: stopped ? due.reason : null }
  },
})
