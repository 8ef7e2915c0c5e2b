/**
 * The writer thread of the tests: the product's, but when its store is closed it waits for the next
 * one instead of ending (warm-writers.ts). It keeps nothing of the last store: all that the
 * product's writer knows goes with its connection.
 */
import '../../src/platform/time/temporal.ts'
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { WriterStart } from '../../src/store/sqlite/writer-messages.ts'
import { serveWriter as serveStore } from '../../src/store/sqlite/writer-thread.ts'
import type { UseCases } from '../../src/store/store.ts'
import { watchedUseCases } from './watched-use-cases.ts'

export interface NextStore {
  readonly port: MessagePort
  readonly start: WriterStart
  /** Whether its use cases run twice and are watched (watched-use-cases.ts). */
  readonly watched: boolean
}

export async function serveWriter(useCases: UseCases): Promise<void> {
  parentPort?.on('message', ({ port, start, watched }: NextStore) => {
    const report = (unlocked: string): void => port.postMessage({ unlocked })
    const served = watched ? watchedUseCases(useCases, report) : useCases
    void serveStore(served, port, start)
  })
}
