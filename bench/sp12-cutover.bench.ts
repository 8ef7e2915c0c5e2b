/**
 * SP12: 1,000 conversations of 20 messages are cut over as the job does it, beside one bare
 * transaction that writes the same rows, and beside what a program does that keeps each
 * conversation in a JSON file and writes it whole. DC8: how long a message waits meanwhile.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { dueChapters } from '../src/jobs/cutover.ts'
import { handleDue } from '../src/jobs/due-work.ts'
import { forEachSettled } from '../src/platform/for-each-settled.ts'
import { createLogger } from '../src/platform/log/logger.ts'
import { systemClock } from '../src/platform/time/clock.ts'
import { addMessage } from '../src/services/flows/messages/add-message.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite-store.ts'
import type { Store } from '../src/store/store.ts'
import {
  bareCutover,
  type DueConversations,
  dueConversations,
  filesCutOver,
} from './cutover/due-conversations.ts'
import type { Comparison, Contender, Contest } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'

const writerUrl = new URL('../src/compose/writer.ts', import.meta.url)
const logger = createLogger({ level: 'error', format: 'json' })
const by = 'bench'
const liveKey = 'live:1'
/** Between two messages of somebody who goes on writing. */
const typingMs = 2
/** Messages measured without a cutover. */
const quietMessages = 50

const openStore = (file: string) => openSqliteStore({ file, clock: systemClock, writerUrl })

/** Milliseconds for all of them. `again` makes them due once more and is not measured. */
const timed = (name: string, again: () => unknown, work: () => unknown): Contender => ({
  name,
  round: async () => {
    await again()
    const from = performance.now()
    await work()
    return performance.now() - from
  },
})

async function contest(
  yardstick: (folder: string, due: DueConversations) => Promise<Contender & { close(): void }>,
): Promise<Contest> {
  const folder = benchFolder()
  const due = await dueConversations(folder.path, openStore)
  const beside = await yardstick(folder.path, due)
  const store = await openStore(due.file)
  return {
    ours: timed('the duty', due.again, () => cutOver(store)),
    yardstick: beside,
    close: async () => {
      due.close()
      beside.close()
      await store.close()
      folder.remove()
    },
  }
}

async function liveContest(): Promise<Contest> {
  const folder = benchFolder()
  const due = await dueConversations(folder.path, openStore)
  const store = await openStore(due.file)
  const waited = async (): Promise<number> => {
    const from = performance.now()
    await store.run(addMessage, { key: liveKey, role: 'user', content: 'hello', by })
    return performance.now() - from
  }
  const longestWhile = async (goesOn: () => boolean): Promise<number> => {
    let longest = 0
    do {
      longest = Math.max(longest, await waited())
      await pause(typingMs)
    } while (goesOn())
    return longest
  }
  return {
    ours: {
      name: 'while 1,000 are cut over',
      round: async () => {
        due.again()
        let running = true
        const [longest] = await Promise.all([
          longestWhile(() => running),
          cutOver(store).finally(() => {
            running = false
          }),
        ])
        return longest
      },
    },
    yardstick: {
      name: 'nothing else happens',
      round: () => {
        let left = quietMessages
        return longestWhile(() => --left > 0)
      },
    },
    close: async () => {
      due.close()
      await store.close()
      folder.remove()
    },
  }
}

/** One look for all chapters that are due, and for the notes of their days. */
const cutOver = (store: Store): Promise<void> =>
  forEachSettled(dueChapters({ store, logger }), (work) =>
    handleDue(work, { clock: systemClock, logger }),
  )

export const cutovers: readonly Comparison[] = [
  {
    title: '[SP12] 1,000 conversations are cut over',
    unit: 'ms',
    goal: { kind: 'cost', limit: 1.5 },
    prepare: () =>
      contest(async (folder, { copy }) => {
        const { again, work, close } = bareCutover(await copy(join(folder, 'bare.db')))
        return { ...timed('one bulk transaction', again, work), close }
      }),
  },
  {
    title: '[SP12] 1,000 conversations are cut over, beside a file each that is written whole',
    unit: 'ms',
    goal: { kind: 'peer', limit: 1 },
    prepare: () =>
      contest(async (folder) => {
        const { again, work } = filesCutOver(join(folder, 'files'))
        return { ...timed('a JSON file each', again, work), close: () => {} }
      }),
  },
  {
    title: '[SP12] [DC8] the longest that a message waits meanwhile',
    unit: 'ms',
    goal: { kind: 'most', limit: 50 },
    prepare: liveContest,
  },
]
