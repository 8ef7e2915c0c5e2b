/**
 * When facts are sent: what has happened at once, what agents write together, and nothing in a
 * hurry to who has refused it.
 */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LinkConnection } from '../../src/coordinator/link-connection.ts'
import { FactSender, type NewFact, Spool } from '../../src/coordinator/spool.ts'
import { createLogger } from '../../src/platform/log/logger.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { linkVersion } from '../../src/protocol/processes/link.ts'
import { LinkServer } from '../support/link-server.ts'
import { manualClock } from '../support/manual-clock.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const wrote = (text: string): NewFact => ({ type: 'process-output', launchId: 'l1', text })
const ended: NewFact = {
  type: 'process-exited',
  launchId: 'l1',
  exitCode: 0,
  signal: null,
  found: null,
  stopped: false,
}

/** A coordinator that has been welcomed, with the hands of its clock in the test's. */
async function openSender() {
  const server = await new LinkServer().start()
  const connection = new LinkConnection({
    url: server.url,
    token: server.token,
    clock: systemClock,
    onMessage: () => {},
    onReceived: () => {},
  })
  await connection.open()
  const about = {
    instance: 'first',
    linkVersion,
    version: '1',
    machine: 'here',
    bootId: '',
    pid: 1,
    epoch: null,
  }
  const register = () => connection.ask({ type: 'coordinator:hello', ...about } as { type: string })
  await register()
  const spool = new Spool({ file: join(temporaryFolder(), 'spool.jsonl'), warn: () => {} })
  const clock = manualClock()
  let emptied = (): void => {}
  let complained = (): void => {}
  const sender = new FactSender({
    connection,
    epoch: server.epoch,
    spool,
    clock,
    logger: createLogger({
      level: 'warn',
      format: 'json',
      destination: { write: () => complained() },
    }),
    onFenced: () => {},
    onEmpty: () => emptied(),
  })
  onTestFinished(async () => {
    sender.stop()
    connection.terminate()
    await server.vanish()
  })
  const add = (...facts: NewFact[]): void => {
    for (const fact of facts) {
      spool.add(fact)
      sender.wake()
    }
  }
  const taken = (): Promise<void> =>
    new Promise((resolve) => {
      emptied = resolve
    })
  const refused = (): Promise<void> =>
    new Promise((resolve) => {
      complained = resolve
    })
  /** Whatever was sent until now has arrived. */
  const arrived = async (): Promise<void> => void (await register())
  return { server, clock, sender, add, taken, refused, arrived }
}

/** One that knows its orders, and has said so. */
async function begun() {
  const open = await openSender()
  const first = open.taken()
  open.sender.begin()
  await first
  expect(open.server.requests).toBe(1)
  return open
}

test('[CO11] before it knows its orders nothing is told; then at once, and that it does also when there is nothing', async () => {
  const { server, sender, add, taken, arrived } = await openSender()
  add(ended)
  await arrived()
  expect(server.requests).toBe(0)
  const received = taken()
  sender.begin()
  await received
  sender.begin()
  await arrived()
  expect(server.facts).toMatchObject([{ n: 1 }])
  expect(server.requests).toBe(1)
})

test('[SP4] what has happened is told without a wait, together with all that was written before it', async () => {
  const { server, clock, add, taken } = await begun()
  const first = taken()
  add(ended)
  await first
  const second = taken()
  add(wrote('a'), wrote('b'), ended)
  // In the same turn of the loop, as a process is started right after its place was made.
  await Promise.resolve()
  add(ended)
  await second
  expect(server.facts.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5])
  expect(server.requests).toBe(3)
  expect(clock.now()).toBe(manualClock().now())
})

test('[CO6] what agents write is told together, 50 ms after what was told last', async () => {
  const { server, clock, add, taken, arrived } = await begun()
  const first = taken()
  add(ended)
  await first
  const second = taken()
  add(wrote('a'), wrote('b'))
  clock.advance(49)
  await arrived()
  expect(server.requests).toBe(2)
  clock.advance(1)
  await second
  expect(server.facts.map(({ n }) => n)).toEqual([1, 2, 3])
  expect(server.requests).toBe(3)
})

test('[CO6] who has refused is asked again after a second, whatever happens meanwhile', async () => {
  const { server, clock, add, taken, refused, arrived } = await begun()
  let refusals = 0
  server.refuse = () => (++refusals === 1 ? { code: 'busy', status: 503 } : undefined)
  const first = refused()
  add(ended)
  await first
  const all = taken()
  add(ended)
  clock.advance(999)
  await arrived()
  expect(refusals).toBe(1)
  clock.advance(1)
  await all
  expect(server.facts.map(({ n }) => n)).toEqual([1, 2])
})
