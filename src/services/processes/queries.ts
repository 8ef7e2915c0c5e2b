/** Read queries for processes and coordinators, and for which launches are due. */

import type { Viewer } from '../../domain/access/visibility.ts'
import type { Instant } from '../../domain/instant.ts'
import { type Launch, overdue } from '../../domain/processes/lifecycle.ts'
import { type OfflinePeriod, onlineMsSince } from '../../domain/silence.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import type { Coordinator } from '../../protocol/processes/coordinator.ts'
import type { Process, ProcessWithOutput } from '../../protocol/processes/process.ts'
import type { AgentModelUsage } from '../../protocol/turns/model-usage.ts'
import { newestOfLaunch } from '../../store/agent-sessions/agent-sessions.ts'
import { cutPageBy, pageParams } from '../../store/page-cursor.ts'
import {
  allCoordinators,
  type CoordinatorRow,
  coordinatorsPage,
  countCoordinators,
} from '../../store/processes/coordinators.ts'
import {
  anyWaitsOn,
  countLiveByState,
  findLaunch,
  liveLaunchesOn,
  ordersOf,
  type ProcessesFilter,
  processesPage,
  processOf,
  selectOutput,
} from '../../store/processes/launches.ts'
import { defineQuery } from '../../store/store.ts'
import { modelUsageOfAll } from '../../store/turns/model-usage.ts'
import { processFor, processWithOutputFor } from '../access/shown-to-others.ts'
import { noSuchLaunch } from '../refusals.ts'
import { launchFactsOf } from './launch-record.ts'

interface WhichProcess {
  readonly launchId: string
  readonly viewer: Viewer
}

/** Returns a launch with the last output of its process. */
export const getProcess = defineQuery('get-process', {
  scope: 'read',
  on: 'viewer',
  run: async (reader, { launchId, viewer }: WhichProcess): Promise<ProcessWithOutput> => {
    const launch = await findLaunch(reader, launchId)
    if (!launch) throw noSuchLaunch(launchId)
    const {
      output = '',
      unknown = null,
      tools = null,
    } = (await reader.first(selectOutput, { id: launchId })) ?? {}
    const whole = {
      ...processOf(launch),
      output,
      unknown: unknown === null ? [] : JSON.parse(unknown),
      tools,
    }
    return processWithOutputFor(reader, viewer, whole)
  },
})

/** Lists launches, newest first, in pages, with the end reason of ended ones. */
export const listProcesses = defineQuery('list-processes', {
  scope: 'read',
  on: 'viewer',
  run: async (
    reader,
    { limit, cursor, viewer, ...filter }: PageQuery & ProcessesFilter & { viewer: Viewer },
  ): Promise<Page<Process>> => {
    const found: Process[] = []
    for (const process of await processesPage(reader, filter, pageParams({ limit, cursor })))
      found.push(await processFor(reader, viewer, process))
    return cutPageBy(found, limit, ({ orderedAt, launchId }) => ({
      createdAt: orderedAt,
      id: launchId,
    }))
  },
})

/** Lists coordinators, last joined first, in pages. */
export const listCoordinators = defineQuery('list-coordinators', {
  scope: 'read',
  on: 'nobody',
  run: async (reader, { limit, cursor }: PageQuery): Promise<Page<Coordinator>> =>
    cutPageBy(
      await coordinatorsPage(reader, pageParams({ limit, cursor })),
      limit,
      ({ joinedAt, id }) => ({
        createdAt: joinedAt,
        id,
      }),
    ),
})

/** Lists the names of machines that run or ran agents. */
export const listMachines = defineQuery('list-machines', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: Record<never, never>): Promise<string[]> =>
    (await allCoordinators(reader)).map(({ machine }) => machine),
})

export interface Counted {
  readonly state: string
  readonly count: number
}

/** Null while unknown. */
export interface ProcessCounts {
  readonly processes: readonly Counted[] | null
  readonly coordinators: readonly Counted[] | null
  /** GW5: of all projects. */
  readonly models: readonly AgentModelUsage[] | null
}

/** Counts live processes and coordinators by state, for monitoring (OP1). */
export const countProcesses = defineQuery('count-processes', {
  scope: 'read',
  on: 'nobody',
  run: async (reader): Promise<ProcessCounts> => ({
    processes: await reader.all(countLiveByState, {}),
    coordinators: await reader.all(countCoordinators, {}),
    models: await modelUsageOfAll(reader),
  }),
})

const launchesPageSize = 50

export interface DueLaunch {
  readonly launchId: string
  readonly agentSessionId: string | null
}

interface DuePage {
  readonly due: readonly DueLaunch[]
  /** The position to continue from. Undefined at the end. */
  readonly last: Pick<Launch, 'orderedAt' | 'id'> | undefined
}

type DueQuery = {
  readonly coordinatorId: string
  readonly offline: readonly OfflinePeriod[]
  readonly last?: DuePage['last']
}

/**
 * Lists the launches of a coordinator that may be due to stop, in pages. `sweep-launch` decides.
 */
export const findDueLaunches = defineQuery('find-due-launches', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { coordinatorId, offline, last }: DueQuery, { now }): Promise<DuePage> => {
    const page = await liveLaunchesOn(reader, coordinatorId, launchesPageSize, last)
    const due: DueLaunch[] = []
    for (const launch of page) {
      if (
        !overdue(
          now,
          launch,
          await launchFactsOf(reader, launch, { now, lastSeenAt: null }),
          offline,
        )
      )
        continue
      const { id: launchId } = launch
      due.push({
        launchId,
        agentSessionId: (await newestOfLaunch(reader, launchId))?.id ?? null,
      })
    }
    return { due, last: page.length < launchesPageSize ? undefined : page.at(-1) }
  },
})

export const listCoordinatorIds = defineQuery('list-coordinator-ids', {
  scope: 'server',
  on: 'nobody',
  run: async (reader): Promise<readonly string[]> =>
    (await allCoordinators(reader)).map(({ id }) => id),
})

interface Silence {
  readonly state: CoordinatorRow['state']
  readonly silentMs: number
  readonly offline: readonly OfflinePeriod[]
}

export interface SilentCoordinator {
  readonly coordinatorId: string
  readonly lastHeardAt: Instant
}

/**
 * Lists the coordinators in this state that were silent for too long (CO6). There is one per
 * machine, so they are few.
 */
export const findSilentCoordinators = defineQuery('find-silent-coordinators', {
  scope: 'server',
  on: 'nobody',
  run: async (
    reader,
    { state, silentMs, offline }: Silence,
    { now },
  ): Promise<SilentCoordinator[]> =>
    (await allCoordinators(reader))
      .filter((row) => row.state === state)
      .filter((row) => onlineMsSince(row.last_heard_at, now, offline) >= silentMs)
      .map((row) => ({ coordinatorId: row.id, lastHeardAt: row.last_heard_at })),
})

/** Whether a launch waits for a machine. */
export const findWaiting = defineQuery('find-waiting', {
  scope: 'server',
  on: 'nobody',
  run: (reader, { coordinatorId }: { readonly coordinatorId: string }): Promise<boolean> =>
    anyWaitsOn(reader, coordinatorId),
})

interface Held {
  readonly coordinatorId: string
  readonly holds: readonly string[]
}

/** The launches that were begun for a coordinator and did not reach it. */
export const findNotHeld = defineQuery('find-not-held', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { coordinatorId, holds }: Held): Promise<string[]> => {
    const held = new Set(holds)
    const orders = await ordersOf(reader, coordinatorId)
    return orders
      .filter(({ state, stopReason }) => state === 'starting' && stopReason === null)
      .map(({ launchId }) => launchId)
      .filter((launchId) => !held.has(launchId))
  },
})
