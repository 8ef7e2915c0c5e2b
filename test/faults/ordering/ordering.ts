/**
 * RE4: order. 16 writers on a dozen streams, with roll-backs and locks in any order; 8 readers with
 * bad doorbells who are cut off and come back. Every reader must have every event of every stream
 * once, in order. Whatever the engine.
 */
import { home, projectStream, type StreamName } from '../../../src/domain/stream-name.ts'
import type { Store } from '../../../src/store/store.ts'
import {
  countUp,
  countUpAll,
  createRow,
  refuseAfterWriting,
  selectProject,
} from '../../store/use-cases.ts'
import { addTo, newTally, noFindings, type Tally } from '../oracle.ts'
import { type Chance, chance } from '../random.ts'
import type { StartReader } from './readers.ts'

export interface OrderingOptions {
  readonly seed: string
  readonly events: number
  /** Where the writers are, and where the readers are: on PostgreSQL two nodes. */
  readonly write: Store
  readonly read: Store
  readonly startReader: StartReader
  /** How long readers may take to reach the end once it stands still. */
  readonly patienceMs?: number
}

export interface OrderingResult {
  readonly events: number
  readonly seen: number
  readonly rolledBack: number
  readonly reconnects: number
  readonly tally: Tally
}

const [writers, readers, rows] = [16, 8, 12]
const ids = Array.from({ length: rows }, (_, index) => `row-${index}`)
const streams: readonly StreamName[] = [home, ...ids.map(projectStream)]

export async function ordering(options: OrderingOptions): Promise<OrderingResult> {
  const dice = chance(options.seed)
  const { write, read, startReader, patienceMs = 20_000 } = options
  const following = Array.from({ length: readers }, (_, index) =>
    startReader(read, streams, dice.fork(`reader ${index}`)),
  )
  const load = { left: options.events, rolledBack: 0, tally: newTally(), seed: options.seed }
  await Promise.all(
    Array.from({ length: writers }, (_, index) =>
      writeAlong(write, load, index, dice.fork(`writer ${index}`)),
    ),
  )
  const positions = await write.positions(streams)
  const heads = new Map(streams.map((stream, index) => [stream, positions[index]?.head ?? 0]))
  const deadline = performance.now() + patienceMs
  while (
    !following.every(({ sightings }) => sightings.hasReached(heads)) &&
    performance.now() < deadline
  ) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  for (const reader of following) reader.close()
  for (const [index, { sightings }] of following.entries())
    addTo(load.tally, sightings.end(heads), `seed ${options.seed}, reader ${index}`)
  await compareState(write, heads, load.tally, options.seed)
  return {
    events: [...heads.values()].reduce((sum, head) => sum + head, 0),
    seen: following.reduce((sum, { sightings }) => sum + sightings.count, 0),
    reconnects: following.reduce((sum, { reconnects }) => sum + reconnects, 0),
    rolledBack: load.rolledBack,
    tally: load.tally,
  }
}

interface Load {
  left: number
  rolledBack: number
  readonly tally: Tally
  readonly seed: string
}

async function writeAlong(store: Store, load: Load, writer: number, dice: Chance): Promise<void> {
  for (let count = 0; load.left > 0; count++) {
    const fate = dice.below(100)
    try {
      if (fate < 65) {
        load.left--
        await store.run(countUp, { id: dice.pick(ids) })
      } else if (fate < 80) {
        const some = dice.shuffled(ids).slice(0, 2 + dice.below(2))
        load.left -= some.length
        await store.run(countUpAll, { ids: some })
      } else if (fate < 88) {
        // One in its own stream, which nobody follows, and its copy in home.
        load.left--
        await store.run(createRow, { id: `new-${writer}-${count}`, also: true })
      } else {
        await store.run(refuseAfterWriting, { id: dice.pick(ids), fault: fate > 94 }).then(
          () =>
            addTo(
              load.tally,
              { ...noFindings(), torn: ['A use case that throws was acknowledged'] },
              load.seed,
            ),
          () => load.rolledBack++,
        )
      }
    } catch (error) {
      addTo(
        load.tally,
        { ...noFindings(), lost: [`A write was refused: ${String(error)}`] },
        load.seed,
      )
      if (load.tally.lost > 100) return
    }
  }
}

/** Each event of a row's stream counted it up by one: less means a lost update. */
async function compareState(
  store: Store,
  heads: ReadonlyMap<StreamName, number>,
  tally: Tally,
  seed: string,
): Promise<void> {
  for (const id of ids) {
    const row = await store.read((reader) => reader.first(selectProject, { id }))
    const [count, head] = [Number(row?.settings ?? 0), heads.get(projectStream(id)) ?? 0]
    if (count !== head)
      addTo(
        tally,
        { ...noFindings(), torn: [`${id} counts ${count}, its stream is at ${head}`] },
        seed,
      )
  }
}
