/**
 * Readers that follow `home` through the balancer, and how long it takes until all of them are live
 * after something has happened (SC3).
 */
import type { Client } from '../../../src/client/client.ts'
import { type EventWatch, watchEvents } from '../../../src/client/event-stream.ts'
import { home, type StreamName } from '../../../src/domain/stream-name.ts'
import { decodeCursor, encodeCursor } from '../../../src/store/page-cursor.ts'
import { Sightings } from '../ordering/sightings.ts'
import type { Cluster } from './cluster.ts'

const tooLateMs = 60_000

export class Watchers {
  readonly #cluster: Cluster
  readonly #all: { readonly sightings: Sightings; readonly watch: EventWatch }[] = []

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  async begin(count: number): Promise<void> {
    const { client } = this.#cluster
    const { cursor } = await client.get('/api/snapshot', { query: { streams: home } })
    const after = encodeCursor(
      decodeCursor(cursor)?.incarnation ?? '',
      new Map<StreamName, number>([[home, 0]]),
    )
    for (let n = 0; n < count; n++) {
      const sightings = new Sightings()
      const watch = watchEvents(client, {
        streams: [home],
        after,
        onEvent: ({ stream, seq }) => sightings.see(stream, seq),
        onSnapshot: () => sightings.findings.lost.push('a snapshot came where events must come'),
      })
      this.#all.push({ sightings, watch })
    }
  }

  /**
   * Milliseconds since `since` until everybody has an event that was committed on this node
   * afterwards.
   */
  async allLive(node: Client, since: number): Promise<number> {
    const head = await committed(node)
    while (
      !this.#all.every(({ sightings }) =>
        sightings.hasReached(new Map<StreamName, number>([[home, head]])),
      )
    ) {
      if (performance.now() - since > tooLateMs) return Number.POSITIVE_INFINITY
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return performance.now() - since
  }

  async end(): Promise<Sightings[]> {
    await this.allLive(this.#cluster.client, performance.now())
    const head = headOf(
      (await this.#cluster.client.get('/api/snapshot', { query: { streams: home } })).cursor,
    )
    const ended = this.#all.map(({ sightings, watch }) => {
      watch.close()
      // What came after the last look is not missed.
      if (sightings.hasReached(new Map<StreamName, number>([[home, head]])))
        sightings.end(new Map())
      return sightings
    })
    return ended
  }
}

const headOf = (cursor: string): number => decodeCursor(cursor)?.heads.get(home) ?? 0

/** Home's head behind an event that this node has committed, however long it takes to. */
export async function committed(client: Client): Promise<number> {
  for (;;) {
    try {
      await client.post('/api/projects', { body: { name: 'somebody looks' }, timeoutMs: 20_000 })
      return headOf((await client.get('/api/snapshot', { query: { streams: home } })).cursor)
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
