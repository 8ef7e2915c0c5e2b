/**
 * Gives ACP agents their next turn (CH12, CX9). Follows the log, checks each process with one read, and dispatches a turn. What
 * is dispatched is decided under locks.
 */
import { parseWebKey } from '../../domain/conversations/key.ts'
import { parseStream, type StreamName } from '../../domain/stream-name.ts'
import type { Clock } from '../../platform/clock.ts'
import { forEachSettled, inPages } from '../../platform/for-each-settled.ts'
import type { Logger } from '../../platform/logger.ts'
import { findStartableRoles, startWaitingRole } from '../../services/turns/begin-turn.ts'
import { dispatchTurn, findDispatch } from '../../services/turns/dispatch-turn.ts'
import { findReadyLaunches, readyPageSize } from '../../services/turns/queries.ts'
import type { ReadyLaunch } from '../../store/processes/ready-launches.ts'
import type { Store } from '../../store/store.ts'
import { ChangeScanner, type ScanTarget } from '../live/change-scanner.ts'

/** Interval of the full scan, and so the largest delay in ending an idle process. */
const everyMs = 2000
const maxWaiting = 1000

/** One project; undefined for all. */
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
    failureText: 'A turn could not be dispatched',
  })

function* targetsOf(name: StreamName): Iterable<ScanTarget<ProjectId>> {
  const stream = parseStream(name)
  const projectId = stream?.kind === 'conversation' ? parseWebKey(stream.id)?.projectId : stream?.id
  if (stream?.kind === 'project' || stream?.kind === 'conversation') yield [projectId ?? '', projectId]
}

async function dispatchWhereNeeded(store: Store, projectId: ProjectId): Promise<void> {
  await forEachSettled(await store.query(findStartableRoles, {}), (which) => store.run(startWaitingRole, which))
  await forEachSettled(
    inPages<ReadyLaunch>((last) => store.query(findReadyLaunches, { projectId, after: last?.launchId ?? '' }), readyPageSize),
    async (launch) => {
      // A process may have several free contexts.
      for (let more = true; more; ) {
        const next = await store.query(findDispatch, launch)
        more = next !== undefined && (await store.run(dispatchTurn, next)).dispatched
      }
    },
  )
}
