/**
 * What the server begins together with its order (CO4), as a coordinator meets it: it need not ask,
 * and can, whenever what was said was lost.
 */
import { expect, test } from 'vitest'
import { startCoordinator, startLinkServer } from '../support/coordinator.ts'
import { script } from '../support/launch-particulars.ts'

const ends = script('exit 0')
const stays = script('exec sleep 1000')

async function begin() {
  const server = await startLinkServer()
  startCoordinator(server)
  await server.until(() => server.requests > 0)
  const has = (launchId: string, type: 'process-started' | 'process-exited') =>
    server.until(() => server.factsOf(launchId, type).length > 0)
  return { server, has }
}

test('[CO11] a coordinator says that it knows its orders as soon as it does, and before anything happens', async () => {
  const { server } = await begin()
  expect(server.received).toEqual([])
})

test('[CO11] a launch whose particulars follow the order is started, and not asked for', async () => {
  const { server, has } = await begin()
  const launchId = server.order(ends, { offered: true })
  server.offer(launchId)
  await has(launchId, 'process-exited')
  expect(server.factsOf(launchId)).toMatchObject([
    { type: 'process-started' },
    { type: 'process-exited', exitCode: 0 },
  ])
  expect(server.takes).toEqual([])
})

test('[CO11] a launch whose particulars come before the order is started once', async () => {
  const { server, has } = await begin()
  const launchId = server.prepare(ends, { offered: true })
  server.offer(launchId)
  server.announce(launchId)
  await has(launchId, 'process-exited')
  expect(server.factsOf(launchId, 'process-started')).toHaveLength(1)
  expect(server.takes).toEqual([])
})

test('[CO11] particulars that were announced and never came are asked for', async () => {
  const { server, has } = await begin()
  const launchId = server.order(ends, { offered: true })
  await has(launchId, 'process-exited')
  expect(server.takes).toEqual([launchId])
  // Too late: it was started as it was told when it asked.
  server.offer(launchId)
  const other = server.order(ends)
  await has(other, 'process-exited')
  expect(server.factsOf(launchId, 'process-started')).toHaveLength(1)
})

test('[CO4] stopped before it is said how to start it, it is told to have ended and nothing is started', async () => {
  const { server, has } = await begin()
  const launchId = server.order(stays, { offered: true })
  server.stop(launchId)
  server.offer(launchId)
  await has(launchId, 'process-exited')
  expect(server.factsOf(launchId)).toMatchObject([{ exitCode: null, signal: null, stopped: true }])
})

test('[CO2] a launch that was begun and has no room waits for it, and is told to have ended when it is stopped meanwhile', async () => {
  const { server, has } = await begin()
  const full = { maxProcesses: 1, offered: true }
  const [first, second, third] = [1, 2, 3].map(() =>
    server.order({ ...stays, agentId: 'a' }, full),
  ) as [string, string, string]
  for (const launchId of [first, second, third]) server.offer(launchId)
  await has(first, 'process-started')
  server.stop(third)
  await has(third, 'process-exited')
  expect(server.factsOf(second)).toEqual([])
  server.stop(first)
  await has(second, 'process-started')
  expect(server.takes).toEqual([])
})

test('[CO6] a launch that was begun for a coordinator and never reached it is taken when the link is back; one that was stopped meanwhile is over', async () => {
  const { server, has } = await begin()
  await server.vanish()
  const lost = server.order(ends, { state: 'starting' })
  const stopped = server.order(ends, { state: 'starting', stopReason: 'stopped_by_person' })
  await server.start()
  await has(lost, 'process-exited')
  expect(server.factsOf(lost)).toMatchObject([
    { type: 'process-started' },
    { type: 'process-exited', exitCode: 0 },
  ])
  expect(server.factsOf(stopped)).toMatchObject([{ type: 'process-exited', exitCode: null }])
  expect(server.takes).toEqual([lost])
})
