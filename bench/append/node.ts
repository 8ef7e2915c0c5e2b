/**
 * One node of several, in a thread of its own: opens what it is told to, and appends with its own
 * writers when it is asked to.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts'
import { type BareAppends, openBare } from './bare-postgres.ts'
import { append } from './use-cases.ts'
import { appendAll } from './writers.ts'

export interface NodeParts {
  readonly kind: 'ours' | 'bare'
  readonly url: string
  /** The number of the first writer. */
  readonly first: number
  readonly writers: number
  readonly poolSize: number
}

const { kind, url, first, writers, poolSize } = workerData as NodeParts
const idOf = (id: string): string => `w${first + Number(id.slice(1))}`

async function open(): Promise<Pick<BareAppends, 'appendAll' | 'close'>> {
  if (kind === 'bare') return openBare(url, writers, first)
  const store = await openPostgresStore({ url, poolSize })
  return {
    appendAll: async (appends) => {
      await appendAll((id) => store.run(append, { id: idOf(id) }), writers, appends)
    },
    close: () => store.close(),
  }
}

const opened = await open()
parentPort?.on('message', async (appends: number) => {
  if (appends > 0) await opened.appendAll(appends)
  else await opened.close()
  parentPort?.postMessage('done')
})
parentPort?.postMessage('done')
