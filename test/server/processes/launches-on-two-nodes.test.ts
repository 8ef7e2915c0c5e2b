/**
 * Launches with two nodes on one PostgreSQL: what is decided once in one process must be so between
 * two.
 */

import { expect, onTestFinished, test } from 'vitest'
import { coordinatorStream, projectStream } from '../../../src/domain/stream-name.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { Tails } from '../../../src/server/live/tail.ts'
import { Launches } from '../../../src/server/processes/launches.ts'
import { Starter } from '../../../src/server/processes/work-scanner.ts'
import type { Store } from '../../../src/store/store.ts'
import { nowhere } from '../../services/agent-sessions/agent-office.ts'
import {
  exited,
  linkedMachines,
  openPad,
  rules,
  started,
} from '../../services/processes/launch-pad.ts'
import { typesOf } from '../../services/projects/installation.ts'
import { amount } from '../../support/extent.ts'
import { usePostgres } from '../../support/postgres.ts'
import { openNodes } from '../../support/postgres-store.ts'
import { testSeals } from '../../support/seals.ts'

usePostgres()

test('[CO3] triggers on two nodes at once, many times: never two launches for the same work', async () => {
  const nodes = await openNodes()
  const pad = await openPad(nodes[0], systemClock, {
    'restart.max': 100,
    'restart.window_seconds': 1,
  })
  const { projectId } = pad
  const both = nodes.map(
    (node) => new Launches(node, rules, linkedMachines(node, systemClock), testSeals),
  )
  const [agents, roundsEach] = amount([5, 3] as const, [10, 4] as const)
  const play = async (name: string): Promise<number> => {
    const agentId = await pad.startable(await pad.hire(name))
    await pad.say('never answered', agentId)
    let startedHere = 0
    for (let round = 0; round < roundsEach; round++) {
      const answers = await Promise.all(
        both.map((launches) => launches.order({ agentId, projectId, lane: '' })),
      )
      const launched = answers.flatMap((each) => (each ? [each.launchId] : []))
      expect(launched).toHaveLength(1)
      startedHere += launched.length
      for (const launchId of launched) await pad.launches.stop(launchId, 'stopped_by_person')
    }
    return startedHere
  }
  const all = await Promise.all(Array.from({ length: agents }, (_, n) => play(`agent${n}`)))
  expect(all.reduce((sum, each) => sum + each, 0)).toBe(agents * roundsEach)
  const received = (await pad.store.positions([coordinatorStream(pad.coordinator.id)]))[0]?.head
  expect(received ?? 0).toBe(0)
}, 120_000)

test('[CO3] with a starter on each node a message starts one process, and its end is seen by both', async () => {
  const nodes = await openNodes()
  const pad = await openPad(nodes[0], systemClock)
  for (const store of nodes) await startOn(store)
  await pad.say('hello')
  await expect.poll(() => pad.processes()).toHaveLength(1)
  const [{ launchId } = { launchId: '' }] = await pad.processes()
  await pad.coordinator.take(launchId)
  await pad.coordinator.tell(started(launchId), exited(launchId, { exitCode: 1 }))
  await expect.poll(() => pad.processes()).toHaveLength(2)
  expect(
    (await typesOf(pad.store, projectStream(pad.projectId))).filter(
      (type) => type === 'process-waiting',
    ),
  ).toHaveLength(2)
})

async function startOn(store: Store): Promise<void> {
  const tails = new Tails({ store, clock: systemClock, logger: nowhere })
  const starter = new Starter({
    store,
    clock: systemClock,
    logger: nowhere,
    tails,
    launches: new Launches(store, rules, linkedMachines(store, systemClock), testSeals),
  })
  await starter.start()
  onTestFinished(() => starter.stop())
}
