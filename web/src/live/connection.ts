/** The state of the connection: whether the page shows the server's current state. */
import { useSyncExternalStore } from 'react'

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** `since`: when the last word of the server came; undefined when there was none yet. */
  | { readonly state: 'offline'; readonly since: number | undefined }
  /** `ended`: by the server, while somebody looked. */
  | { readonly state: 'signed-out'; readonly ended?: true }

let current: Connection = { state: 'connecting' }
const listeners = new Set<() => void>()

export function setConnection(next: Connection): void {
  current = next
  for (const listener of listeners) listener()
}

/** Unless the person has signed out: then it is no news. */
export function endedByServer(): void {
  if (current.state !== 'signed-out') setConnection({ state: 'signed-out', ended: true })
}

/** The time when the connection was lost, if it is. */
export const offlineSince = (): number | undefined =>
  current.state === 'offline' ? current.since : undefined

/** At once, unless it is lost: then when it is there again. */
export async function connected(): Promise<void> {
  for (
    let lost = current.state === 'offline';
    lost;
    lost = current.state === 'offline' || current.state === 'connecting'
  )
    await new Promise<void>((resolve) => {
      const forget = onConnection(() => {
        forget()
        resolve()
      })
    })
}

function onConnection(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useConnection = (): Connection => useSyncExternalStore(onConnection, () => current)
