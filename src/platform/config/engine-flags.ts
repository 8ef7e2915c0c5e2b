/**
 * Sets V8 flags at run time, because `node main.js` has no other place for them. They apply to all
 * threads and only affect performance; unknown flags are ignored. Node's own modules are
 * precompiled for default flags: while a flag differs, each loaded module is compiled again. So
 * code that loads many modules runs first, above all the start of threads.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Keeps the young generation small while a program loads. Most objects made then survive, so V8
 * would enlarge it up to 16 times and rarely shrink it: an idle server would hold 13 MiB for
 * nothing (SP11).
 */
export async function withSmallYoungHeap<T>(load: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1')
  try {
    return await load()
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2')
  }
}

/**
 * The size of both semi-spaces in bytes, beyond which the busiest measured server gained nothing.
 */
const enoughForYoung = 12 * 1024 * 1024

/**
 * Limits the growth of the young generation. V8's default of 64 MiB per thread is reached within a
 * busy hour and rarely given back (RE8). Checked after each collection, which is when it grows.
 */
export function boundYoungHeap(mostBytes = enoughForYoung): void {
  let factor = 0
  const look = (): void => {
    const wanted = youngHeapBytes() < mostBytes ? 2 : 1
    if (wanted === factor) return
    factor = wanted
    setFlagsFromString(`--semi-space-growth-factor=${factor}`)
  }
  look()
  new PerformanceObserver(look).observe({ entryTypes: ['gc'] })
}

const youngHeapBytes = (): number =>
  getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0

/**
 * Collects old objects after a growth by half instead of two or four times, so that a long-running
 * server stays small (RE8).
 */
export function collectSooner(): void {
  setFlagsFromString('--heap-growing-percent=50')
}

/**
 * Compiles functions after 60 calls, not 400: a message calls most once, so a small server would
 * interpret for days (SP2).
 */
export function compileSooner(): void {
  setFlagsFromString('--invocation-count-for-maglev=60')
  setFlagsFromString('--invocation-count-for-maglev-with-delay=100')
  setFlagsFromString('--minimum-invocations-after-ic-update=60')
}
