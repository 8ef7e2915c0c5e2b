/**
 * What must cost the same however much there is: two lines of the table, one beside the bare thing,
 * one beside itself with a tenth as much. It is short, so each round does it many times.
 */
import type { Comparison, Contender } from './comparison.ts'
import { benchFolder } from './folder.ts'
import { flat } from './verdict.ts'

/** What is measured, with so much of it there. */
export interface Grown {
  readonly ours: () => unknown
  readonly bare: () => unknown
  readonly close: () => Promise<void>
}

export interface Growing {
  readonly timesPerRound: number
  readonly open: (folder: string, size: number) => Promise<Grown>
  readonly besideBare: {
    readonly title: string
    readonly size: number
    readonly limit: number
    readonly ours: string
    readonly yardstick: string
  }
  readonly besideLess: {
    readonly title: string
    readonly more: number
    readonly less: number
    readonly of: string
  }
}

export function growing({
  timesPerRound,
  open,
  besideBare,
  besideLess,
}: Growing): readonly Comparison[] {
  const { more, less, of } = besideLess
  const repeated = (name: string, work: () => unknown): Contender => ({
    name,
    round: async () => {
      const from = performance.now()
      for (let nth = 0; nth < timesPerRound; nth++) await work()
      return ((performance.now() - from) * 1000) / timesPerRound
    },
  })
  return [
    {
      title: besideBare.title,
      unit: 'µs',
      goal: { kind: 'cost', limit: besideBare.limit },
      prepare: async () => {
        const folder = benchFolder()
        const grown = await open(folder.path, besideBare.size)
        return {
          ours: repeated(besideBare.ours, grown.ours),
          yardstick: repeated(besideBare.yardstick, grown.bare),
          close: () => grown.close().finally(folder.remove),
        }
      },
    },
    {
      title: besideLess.title,
      unit: 'µs',
      goal: flat,
      prepare: async () => {
        const folder = benchFolder()
        const [large, small] = [await open(folder.path, more), await open(folder.path, less)]
        return {
          ours: repeated(`${more.toLocaleString('en')} ${of}`, large.ours),
          yardstick: repeated(`${less.toLocaleString('en')} ${of}`, small.ours),
          close: async () => {
            await Promise.all([large.close(), small.close()])
            folder.remove()
          },
        }
      },
    },
  ]
}
