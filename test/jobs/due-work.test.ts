import { expect, test } from 'vitest'
import { type DueWork, handleDue, runPeriodically } from '../../src/jobs/due-work.ts'
import { createLogger } from '../../src/platform/log/logger.ts'
import { manualClock } from '../support/manual-clock.ts'

const everyMs = 1000
/** What was promised has been told. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

function quietLogger() {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  return { lines, logger: createLogger({ level: 'warn', format: 'json', destination }) }
}

/** Work whose looks find one item, which is finished by hand. */
function open(of: Partial<DueWork> = {}) {
  const clock = manualClock()
  const { logger } = quietLogger()
  const log: string[] = []
  let finish = (_failed?: Error): void => {}
  const work: DueWork<string> = {
    everyMs,
    failureText: 'it could not be done',
    find: async () => ['item'],
    run: () => {
      log.push('begun')
      return new Promise<void>((resolve, reject) => {
        finish = (failed) => (failed ? reject(failed) : resolve())
      })
    },
    ...of,
  }
  const stop = runPeriodically(work, { clock, logger })
  const finished = async (failed?: Error): Promise<void> => {
    finish(failed)
    await settled()
  }
  return { clock, log, stop, finished }
}

test('[SC5] due work rests between looks, which are never joined and tried again', async () => {
  const { clock, log, finished } = open()
  await settled()
  clock.advance(10 * everyMs)
  expect(log).toHaveLength(1)
  await finished()
  clock.advance(everyMs - 1)
  await settled()
  expect(log).toHaveLength(1)
  clock.advance(1)
  await settled()
  expect(log).toHaveLength(2)
  await finished(new Error('away'))
  clock.advance(everyMs)
  await settled()
  expect(log).toHaveLength(3)
})

test('[SC5] due work that is stopped finishes its item and never looks again', async () => {
  const { clock, log, stop, finished } = open({ find: async () => ['first', 'second'] })
  await settled()
  let isStopped = false
  const stopped = stop().then(() => {
    isStopped = true
  })
  await settled()
  expect(isStopped).toBe(false)
  await finished()
  await stopped
  clock.advance(10 * everyMs)
  await settled()
  expect(log).toHaveLength(1)
})

test('[SC5] due work that can wait rests first', async () => {
  const { clock, log } = open({ firstAfterMs: 5 * everyMs })
  await settled()
  clock.advance(5 * everyMs - 1)
  await settled()
  expect(log).toHaveLength(0)
  clock.advance(1)
  await settled()
  expect(log).toHaveLength(1)
})

test('[RE9] an item that fails is named in the log, and the others are handled', async () => {
  const { lines, logger } = quietLogger()
  const handled: number[] = []
  const work: DueWork<{ item: number }> = {
    everyMs,
    failureText: 'it could not be done',
    atOnce: 2,
    find: async () => [1, 2, 3, 4, 5].map((item) => ({ item })),
    async run({ item }) {
      if (item === 2) throw new Error('a row that makes no sense')
      handled.push(item)
    },
  }
  await handleDue(work, { clock: manualClock(), logger })
  expect(handled).toEqual([1, 3, 4, 5])
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { item: 2, msg: 'it could not be done; retrying' },
  ])
})
