/**
 * Cuts over a folder of conversations as a server does when it starts, and dies at the n-th step of it: in front of or right behind a
 * commit, or in front of a call that changes a file. First it writes what is to be cut over, at a time long ago.
 */
import fs, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { Cutover, noteFiles } from '../../../src/compose/duties/cutover.ts'
import { Mirror } from '../../../src/mirror/mirror.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { createLogger } from '../../../src/platform/logger.ts'
import { addMessage } from '../../../src/services/add-message.ts'
import { getOrCreateConversation } from '../../../src/services/get-or-create-conversation.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { daysAgo, keyOf, wordsOf } from '../cutover/conversations.ts'
import { databaseIn } from '../place.ts'
import { perform, report } from './task.ts'

export interface CutoverTask {
  readonly folder: string
  readonly conversations: number
  /** `prepare` writes them; a number is the step at which it dies; null lets it come through. */
  readonly diesAt: number | null | 'prepare'
}

let steps = 0
let last = Number.POSITIVE_INFINITY

function step(): void {
  if (++steps === last) process.kill(process.pid, 'SIGKILL')
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
      for (const content of wordsOf(n)) await store.run(addMessage, { key, role: 'user', content, by: 'somebody' })
    }
    return store.close()
  }
  const counted = countingCommits(store)
  countFileCalls()
  last = diesAt ?? last
  const logger = createLogger({ level: 'silent', format: 'json' })
  const mirror = new Mirror({ store: counted, clock, logger, folder, targets: [noteFiles(counted)] })
  await new Cutover({ store: counted, logger }).round()
  mirror.start()
  await mirror.flush().finally(() => mirror.stop())
  report({ type: 'kept', file: 'steps', text: String(steps) })
  await store.close()
})

function countingCommits(store: Store): Store {
  const run: Store['run'] = async (...given) => {
    step()
    const answer = await store.run(...given)
    step()
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

function stepping<Given extends unknown[], Answer>(real: (...given: Given) => Answer): (...given: Given) => Answer {
  return (...given) => {
    step()
    return real(...given)
  }
}

function countFileCalls(): void {
  const names = ['mkdir', 'rename', 'unlink', 'rm', 'writeFile'] as const
  for (const name of names) {
    const real = fs[name] as (...given: unknown[]) => Promise<unknown>
    Object.assign(fs, { [name]: stepping(real) })
  }
  const { open } = fs
  Object.assign(fs, {
    open: async (...given: Parameters<typeof open>) => {
      step()
      return countingHandle(await open(...given))
    },
  })
  syncBuiltinESMExports()
}

function countingHandle(handle: FileHandle): FileHandle {
  const { writeFile, sync } = handle
  return Object.assign(handle, {
    writeFile: stepping((...given: Parameters<typeof writeFile>) => writeFile.apply(handle, given)),
    sync: stepping(() => sync.apply(handle)),
  })
}
