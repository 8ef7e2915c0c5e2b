/**
 * Waits until a read finds something: at each ring of a stream, and every second. Undefined after
 * the time limit.
 */
import type { StreamName } from '../../domain/stream-name.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Store } from '../../store/store.ts'

const lookAgainMs = 1000

interface Watch<Seen> {
  readonly store: Pick<Store, 'doorbell'>
  readonly clock: Clock
  readonly stream: StreamName
  readonly withinMs: number
  readonly look: () => Promise<Seen | undefined>
}

export async function untilSeen<Seen>({
  store,
  clock,
  stream,
  withinMs,
  look,
}: Watch<Seen>): Promise<Seen | undefined> {
  let isLate = false
  let wake = (): void => {}
  const stopListening = store.doorbell.on(stream, () => wake())
  const stopWaiting = clock.after(withinMs, () => {
    isLate = true
    wake()
  })
  try {
    for (;;) {
      // Subscribed before the read, so that a ring during it is not missed.
      const rung = new Promise<void>((resolve) => {
        wake = resolve
      })
      const seen = await look()
      if (seen !== undefined || isLate) return seen
      const stopLooking = clock.after(lookAgainMs, () => wake())
      await rung
      stopLooking()
    }
  } finally {
    stopListening()
    stopWaiting()
  }
}
