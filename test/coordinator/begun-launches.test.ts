/**
 * What the server begins (CO11), as a coordinator meets it: it starts what it is sent, once, and
 * names what it has whenever the link is back.
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

test('[CO11] a coordinator names what it has as soon as it has its orders, and before anything happens', async () => {
  const { server } = await begin()
  expect(server.held).toEqual([[]])
  expect(server.received).toEqual([])
})

test('[CO11] a launch that is sent twice is started once', async () => {
  const { server, has } = await begin()
  const launchId = server.order(ends)
  server.begin(launchId)
  await has(launchId, 'process-exited')
  server.begin(launchId)
  const other = server.order(ends)
  await has(other, 'process-exited')
  expect(server.factsOf(launchId)).toMatchObject([
    { type: 'process-started' },
    { type: 'process-exited', exitCode: 0 },
  ])
})

test('[CO4] a launch that is stopped before it arrives is told to have ended, and nothing is started', async () => {
  const { server, has } = await begin()
  const launchId = server.prepare(stays, { state: 'starting' })
  server.stop(launchId)
  server.begin(launchId)
  await has(launchId, 'process-exited')
  const after = server.order(ends)
  await has(after, 'process-exited')
  expect(server.factsOf(launchId)).toMatchObject([{ exitCode: null, signal: null }])
})

test('[CO6] when the link is back it names what runs, and what never arrived is started; one that was stopped meanwhile is over', async () => {
  const { server, has } = await begin()
  const runs = server.order(stays)
  await has(runs, 'process-started')
  await server.vanish()
  const lost = server.prepare(ends, { state: 'starting' })
  const stopped = server.prepare(ends, {
    state: 'starting',
    stopReason: 'stopped_by_person',
  })
  await server.start()
  await has(lost, 'process-exited')
  await has(stopped, 'process-exited')
  expect(server.held.at(-1)).toEqual([runs])
  expect(server.factsOf(lost)).toMatchObject([
    { type: 'process-started' },
    { type: 'process-exited', exitCode: 0 },
  ])
  expect(server.factsOf(stopped)).toMatchObject([{ type: 'process-exited', exitCode: null }])
  expect(server.factsOf(runs)).toHaveLength(1)
})
