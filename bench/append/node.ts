/** One node of several, in a thread of its own: opens what it is told to, and appends with its own writers when it is asked to. */
import { parentPort, workerData } from 'node:worker_threads'
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts'
import { bare } from '../sp05-append-postgres.bench.ts'
import { append } from './use-cases.ts'
import { appendAll } from './writers.ts'

export interface NodeParts {
  readonly kind: 'ours' | 'bare'
  readonly url: string
  /** Its writers are numbered from here. */
  readonly first: number
  readonly writers: number
  readonly poolSize: number
}

const { kind, url, first, writers, poolSize } = workerData as NodeParts
const idOf = (id: string): string => `w${first + Number(id.slice(1))}`

async function open(): Promise<{ append: (id: string) => Promise<unknown>; close: () => Promise<void> }> {
  if (kind === 'bare') return bare(url, writers)
  const store = await openPostgresStore({ url, poolSize })
  return { append: (id) => store.run(append, { id }), close: () => store.close() }
}

const opened = await open()
parentPort?.on('message', async (appends: number) => {
  if (appends > 0) await appendAll((id) => opened.append(idOf(id)), writers, appends)
  else await opened.close()
  parentPort?.postMessage('done')
})
parentPort?.postMessage('done')
