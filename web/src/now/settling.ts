/**
 * What the person has taken off Now and can undo for five seconds. It is sent then, or at once when
 * the page is left.
 */
import { useSyncExternalStore } from 'react'
import { client } from '../live/queries.ts'
import { refreshRecent } from '../live/recent.ts'
import { notify } from '../parts/notices.tsx'

export const undoMs = 5000

export interface Settling {
  readonly id: string
  readonly what: 'cleared' | 'dismissed' | 'archived'
  readonly until: number
  /** `leaving`: the request outlives the page. */
  readonly send: (leaving: boolean) => Promise<unknown>
}

let settling: readonly Settling[] = []
const timers = new Map<string, ReturnType<typeof setTimeout>>()
const listeners = new Set<() => void>()

function change(next: readonly Settling[]): void {
  settling = next
  for (const listener of listeners) listener()
}

/** Once sent, a row is left out until the list without it is here. */
const sentMs = 3000

export function settle(
  some: readonly Omit<Settling, 'until'>[],
  failed: (error: unknown) => string,
): void {
  const until = Date.now() + undoMs
  const ids = new Set(some.map(({ id }) => id))
  change([
    ...settling.filter(({ id }) => !ids.has(id)),
    ...some.map((each) => ({ ...each, until })),
  ])
  for (const each of some)
    timers.set(
      each.id,
      setTimeout(() => void carryOut(each, failed), undoMs),
    )
}

async function carryOut(
  { id, send }: Omit<Settling, 'until'>,
  failed: (error: unknown) => string,
): Promise<void> {
  timers.delete(id)
  try {
    await send(false)
    refreshRecent()
    setTimeout(() => change(settling.filter((each) => each.id !== id)), sentMs)
  } catch (error) {
    change(settling.filter((each) => each.id !== id))
    notify(failed(error))
  }
}

export function undoSettling(id: string): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
  change(settling.filter((each) => each.id !== id))
}

addEventListener('pagehide', () => {
  for (const { id, send } of settling)
    if (timers.has(id)) {
      clearTimeout(timers.get(id))
      timers.delete(id)
      void send(true).catch(() => undefined)
    }
})

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useSettling = (): readonly Settling[] =>
  useSyncExternalStore(subscribe, () => settling)

/** Takes a session off Now: what was said up to here is settled. */
export const settleTalk =
  (key: string, seq: number) =>
  (leaving: boolean): Promise<unknown> =>
    client.put('/api/conversations/{key}/seen', {
      params: { key },
      body: { seq, settled: true },
      ...(leaving && { keepalive: true }),
    })

export const archiveTalk =
  (key: string) =>
  (leaving: boolean): Promise<unknown> =>
    client.patch('/api/conversations/{key}', {
      params: { key },
      body: { archived: true },
      ...(leaving && { keepalive: true }),
    })
