/**
 * What a power cut spares. Between two syncs a disk may keep anything it was given: nothing, all,
 * the first of it, any part in any order, sectors of one write without their neighbours; the names
 * of files apart from their bytes. Drawn from a seed.
 */
import type { Chance } from '../random.ts'
import type { Unsynced } from './file-bytes.ts'

interface Ordered {
  readonly order: number
}

export interface Weather {
  readonly name: string
  writesThatArrived(
    open: readonly Unsynced[],
    sectorsOf: (change: Unsynced) => Unsynced[],
  ): Unsynced[]
  namesThatArrived<Naming extends Ordered>(open: readonly Naming[]): readonly Naming[]
}

const none = (): never[] => []
const all = <T>(open: readonly T[]): readonly T[] => open

export const nothingUnsynced: Weather = {
  name: 'nothing unsynced',
  writesThatArrived: none,
  namesThatArrived: none,
}

/**
 * `until`: the number of records played, so that a prefix can end anywhere among the last of them.
 */
export function drawWeather(chance: Chance, until: number): Weather {
  const some =
    <T>(share: number) =>
    (open: readonly T[]): T[] =>
      open.filter(() => chance.one(share))
  const share = chance.pick([0.1, 0.5, 0.9])
  const names = chance.pick([none, all, some<Ordered>(0.5)]) as Weather['namesThatArrived']
  switch (chance.below(5)) {
    case 0:
      return {
        name: 'nothing unsynced',
        writesThatArrived: none,
        namesThatArrived: chance.one(0.7) ? none : names,
      }
    case 1:
      return {
        name: 'all bytes, not all names',
        writesThatArrived: (open) => [...open],
        namesThatArrived: names,
      }
    case 2: {
      // In order up to a point, the last one torn: what a disk without reordering leaves.
      const last = until - chance.below(60)
      const before = <T extends Ordered>(open: readonly T[]): T[] =>
        open.filter(({ order }) => order < last)
      return {
        name: 'a prefix, the last write torn',
        writesThatArrived: (open, sectorsOf) => {
          const torn = open.find(({ order }) => order >= last)
          const sectors = torn ? sectorsOf(torn) : []
          return [...before(open), ...sectors.slice(0, chance.below(sectors.length + 1))]
        },
        namesThatArrived: before,
      }
    }
    case 3:
      return { name: 'some writes', writesThatArrived: some(share), namesThatArrived: names }
    default:
      return {
        name: 'some sectors of some writes',
        writesThatArrived: (open, sectorsOf) =>
          open.flatMap((change) => sectorsOf(change).filter(() => chance.one(share))),
        namesThatArrived: names,
      }
  }
}
