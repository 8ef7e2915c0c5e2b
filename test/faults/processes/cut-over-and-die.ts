/**
 * Cuts over a folder of conversations as a server does when it starts, and dies at the named step
 * of it: in front of or right behind a commit, or in front of a call that changes a file. First it
 * writes what is to be cut over, at a time long ago.
 */
import fs, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { dueChapters, noteFiles } from '../../../src/jobs/cutover.ts'
import { handleDue } from '../../../src/jobs/due-work.ts'
import { Mirror } from '../../../src/mirror/mirror.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { getOrCreateConversation } from '../../../src/services/conversations/change-conversation.ts'
import { addMessage } from '../../../src/services/flows/messages/add-message.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { daysAgo, keyOf, wordsOf } from '../cutover/conversations.ts'
import { databaseIn } from '../place.ts'
import { perform, report } from './task.ts'

export interface CutoverTask {
  readonly folder: string
  readonly conversations: number
  /**
   * `prepare` writes them; any other word is the step at which it dies, as it names them; null lets
   * it come through.
   */
  readonly diesAt: string | null
}

/**
 * By kind and number: files are written while chapters are closed, sooner or later, and the kind of
 * the n-th step of all is chance.
 */
const steps: string[] = []
const ofKind = new Map<string, number>()
let last: string | null = null

function step(kind: string): void {
  const number = (ofKind.get(kind) ?? 0) + 1
  ofKind.set(kind, number)
  steps.push(`${kind} ${number}`)
  if (steps.at(-1) === last) process.kill(process.pid, 'SIGKILL')
}

await perform(async ({ folder, conversations, diesAt }: CutoverTask) => {
  const writerUrl = new URL('../../../src/compose/writer.ts', import.meta.url)
  let agoMs = 0
  const clock = { ...systemClock, now: () => systemClock.now() - agoMs }
  const store = await openSqliteStore({ file: databaseIn(folder), clock, writerUrl })
  if (diesAt === 'prepare') {
    for (let n = 0; n < conversations; n++) {
      agoMs = daysAgo(n) * 24 * 3_600_000
      const key = keyOf(n)
      await store.run(getOrCreateConversation, { key })
      for (const content of wordsOf(n))
        await store.run(addMessage, { key, role: 'user', content, by: 'somebody' })
    }
    return store.close()
  }
  const counted = countingCommits(store)
  countFileCalls()
  last = diesAt
  const logger = createLogger({ level: 'silent', format: 'json' })
  const mirror = new Mirror({
    store: counted,
    clock,
    logger,
    folder,
    targets: [noteFiles(counted)],
  })
  try {
    for (const work of dueChapters({ store: counted, logger }))
      await handleDue(work, { clock: systemClock, logger })
    mirror.start()
    await mirror.flush().finally(() => mirror.stop())
    report({ type: 'kept', file: 'steps', text: JSON.stringify(steps) })
  } finally {
    // The writer thread would keep a process that has failed.
    await store.close()
  }
})

function countingCommits(store: Store): Store {
  const run: Store['run'] = async (...given) => {
    step('commit')
    const answer = await store.run(...given)
    step('committed')
    return answer
  }
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'run') return run
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function stepping<Given extends unknown[], Answer>(
  kind: string,
  real: (...given: Given) => Answer,
): (...given: Given) => Answer {
  return (...given) => {
    step(kind)
    return real(...given)
  }
}

function countFileCalls(): void {
  const names = ['mkdir', 'rename', 'unlink', 'rm', 'writeFile'] as const
  for (const name of names) {
    const real = fs[name] as (...given: unknown[]) => Promise<unknown>
    Object.assign(fs, { [name]: stepping(name, real) })
  }
  const { open } = fs
  Object.assign(fs, {
    open: async (...given: Parameters<typeof open>) => {
      step('open')
      return countingHandle(await open(...given))
    },
  })
  syncBuiltinESMExports()
}

function countingHandle(handle: FileHandle): FileHandle {
  const { writeFile, sync } = handle
  return Object.assign(handle, {
    writeFile: stepping('write', (...given: Parameters<typeof writeFile>) =>
      writeFile.apply(handle, given),
    ),
    sync: stepping('sync', () => sync.apply(handle)),
  })
}
