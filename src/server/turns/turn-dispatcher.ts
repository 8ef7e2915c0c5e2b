/**
 * Gives ACP agents their next turn (CH12, CX9): when something happened where their work comes from, it checks each process with one read, and
 * has a turn dispatched. What is dispatched is decided behind locks.
 */
import { parseWebKey } from '../../domain/conversations/key.ts'
import { parseStream, type StreamName } from '../../domain/stream-name.ts'
import type { Clock } from '../../platform/clock.ts'
import { eachByItself, inPages } from '../../platform/each-by-itself.ts'
import type { Logger } from '../../platform/logger.ts'
import { beginInRole, findRolesToBegin } from '../../services/begin-in-role.ts'
import { dispatchTurn, findDispatch } from '../../services/turns/dispatch-turn.ts'
import { findReadyLaunches, readyAtOnce } from '../../services/turns/queries.ts'
import type { ReadyLaunch } from '../../store/processes/ready-launches.ts'
import type { Store } from '../../store/store.ts'
import { ChangeScanner, type ScanTarget } from '../live/change-scanner.ts'

/** Also how late somebody is sent away who has been idle for too long. */
const everyMs = 2000
const maxWaiting = 1000

/** One project, or all of them. */
type ProjectId = string | undefined

export interface TurnDispatcherOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

export const createTurnDispatcher = (options: TurnDispatcherOptions): ChangeScanner<ProjectId> =>
  new ChangeScanner<ProjectId>({
    ...options,
    everyMs,
    maxWaiting,
    concurrency: 1,
    all: undefined,
    targetsOf,
    scan: (projectId) => dispatchWhereNeeded(options.store, projectId),
    complaint: 'A turn could not be dispatched',
  })

function* targetsOf(name: StreamName): Iterable<ScanTarget<ProjectId>> {
  const stream = parseStream(name)
  const projectId = stream?.kind === 'conversation' ? parseWebKey(stream.id)?.projectId : stream?.id
  if (stream?.kind === 'project' || stream?.kind === 'conversation') yield [projectId ?? '', projectId]
}

async function dispatchWhereNeeded(store: Store, projectId: ProjectId): Promise<void> {
  await eachByItself(await store.query(findRolesToBegin, {}), (which) => store.run(beginInRole, which))
  await eachByItself(
    inPages<ReadyLaunch>((last) => store.query(findReadyLaunches, { projectId, after: last?.launchId ?? '' }), readyAtOnce),
    async (launch) => {
      // One process may have several contexts free at once.
      for (let more = true; more; ) {
        const next = await store.query(findDispatch, launch)
        more = next !== undefined && (await store.run(dispatchTurn, next)).told
      }
    },
  )
}
