import { expect, test } from 'vitest'
import { type PeriodicJob, runPeriodically } from '../../src/jobs/periodic-job.ts'
import { createLogger } from '../../src/platform/log/logger.ts'
import { manualClock } from '../support/manual-clock.ts'

const logger = createLogger({ level: 'silent', format: 'json' })
const everyMs = 1000
/** What was promised has been told. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

function open(of: Partial<PeriodicJob> = {}) {
  const clock = manualClock()
  const log: string[] = []
  let finish = (_failed?: Error): void => {}
  const job: PeriodicJob = {
    everyMs,
    failureText: 'It could not be done',
    run: () => {
      log.push('begun')
      return new Promise<void>((resolve, reject) => {
        finish = (failed) => (failed ? reject(failed) : resolve())
      })
    },
    ...of,
  }
  const stop = runPeriodically(job, { clock, logger })
  const finished = async (failed?: Error): Promise<void> => {
    finish(failed)
    await settled()
  }
  return { clock, log, stop, finished }
}

test('[SC5] a job rests between its rounds; a long round is never joined by a second, and one that fails is tried again', async () => {
  const { clock, log, finished } = open()
  clock.advance(10 * everyMs)
  expect(log).toHaveLength(1)
  await finished()
  clock.advance(everyMs - 1)
  expect(log).toHaveLength(1)
  clock.advance(1)
  expect(log).toHaveLength(2)
  await finished(new Error('away'))
  clock.advance(everyMs)
  expect(log).toHaveLength(3)
})

test('[SC5] a job that is stopped hurries, finishes its round, says its last words, and never begins again', async () => {
  const log: string[] = []
  const { clock, stop, finished, ...job } = open({
    finishEarly: () => log.push('hurried'),
    end: async () => void log.push('ended'),
  })
  const stopped = stop()
  await settled()
  expect(log).toEqual(['hurried'])
  await finished()
  await stopped
  expect(log).toEqual(['hurried', 'ended'])
  clock.advance(10 * everyMs)
  expect(job.log).toHaveLength(1)
})

test('[SC5] a job that can wait rests first', async () => {
  const { clock, log } = open({ waitsFirst: true })
  expect(log).toHaveLength(0)
  clock.advance(everyMs)
  expect(log).toHaveLength(1)
})
