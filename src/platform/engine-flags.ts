/**
 * What V8 is told while it runs; a program that is started as `node main.js` has no other place for it. The flags hold for all threads of
 * the process. They change when something is done, never what: an engine that does not know one does not heed it.
 *
 * Node's own modules come compiled, for an engine without any flags: while one is other than usual, each that is loaded is compiled anew.
 * So what loads many of them goes first; above all a thread, which loads nearly all of its own.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Keeps the room for young objects small while a program loads. Nearly all that is made then lives on, which V8 takes for a sign to give
 * young objects up to 16 times the room, and it seldom takes it back: an idle server would hold 13 MiB for nothing (SP11). A server at
 * work is given more.
 */
export async function withSmallYoungHeap<T>(load: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1')
  try {
    return await load()
  } finally {
    setFlagsFromString('--semi-space-growth-factor=2')
  }
}

/** Of both halves, in bytes: what the busiest server was seen to gain from. */
const enoughForYoung = 12 * 1024 * 1024

/**
 * Lets the room for young objects grow up to here, and not to the 64 MiB that V8 gives each thread in the course of a busy hour and seldom takes
 * back (RE8). Looked at after each collection, which is when it grows.
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

const youngHeapBytes = (): number => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0

/** Has old objects collected when there are half as many again, not two or four times as many: what lives for weeks keeps little (RE8). */
export function collectSooner(): void {
  setFlagsFromString('--heap-growing-percent=50')
}

/**
 * Has functions compiled after 60 calls instead of 400. A person's message calls most of them once, so at V8's own numbers a small server
 * would interpret its way through whole days (SP2, SP3).
 */
export function compileSooner(): void {
  setFlagsFromString('--invocation-count-for-maglev=60')
  setFlagsFromString('--invocation-count-for-maglev-with-delay=100')
  setFlagsFromString('--minimum-invocations-after-ic-update=60')
}
