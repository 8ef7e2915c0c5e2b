/** Who looks where a doorbell rings (CO3, CH12): no ring is lost, at whatever moment it comes. */
import { expect, test } from 'vitest'
import { projectStream, type StreamName } from '../../../src/domain/stream-name.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { ChangeScanner } from '../../../src/server/processes/work-scanner.ts'
import { LocalDoorbell } from '../../../src/store/log/doorbell.ts'
import { manualClock } from '../../support/manual-clock.ts'

const turns = 12

/**
 * Looks until nothing waits any more, and rings once more so many turns of the microtasks after the
 * last look has ended.
 */
async function ringAfterTheLastLook(after: number): Promise<StreamName[]> {
  const doorbell = new LocalDoorbell()
  const seen: StreamName[] = []
  const ring = (id: string): void => doorbell.ring([[projectStream(id), 1]])
  const ringLater = async (): Promise<void> => {
    for (let turn = 0; turn < after; turn++) await undefined
    ring('late')
  }
  const scanner = new ChangeScanner<StreamName>({
    store: { doorbell },
    clock: manualClock(),
    logger: createLogger({ level: 'silent', format: 'json' }),
    everyMs: 1000,
    maxWaiting: 10,
    concurrency: 8,
    all: 'home',
    targetsOf: async (streams) => streams.map((stream) => [stream, stream]),
    scan: async (target) => {
      seen.push(target)
      if (target === projectStream('first')) void ringLater()
    },
    failureText: 'It could not be looked at',
  })
  scanner.start()
  await scanner.settled()
  ring('first')
  await scanner.settled()
  // The ring may have come when nobody looked any more.
  await new Promise((resolve) => setImmediate(resolve))
  await scanner.settled()
  await scanner.stop()
  return seen
}

test('[CO3] what rings in the very moment in which the last look ends is looked at, and not only when everything is', async () => {
  for (let after = 0; after < turns; after++)
    expect(await ringAfterTheLastLook(after), `${after}`).toEqual([
      'home',
      projectStream('first'),
      projectStream('late'),
    ])
})
