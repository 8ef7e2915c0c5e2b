/**
 * A hidden page keeps its connection while a chat is open on it: otherwise its panel would count as
 * closed and the agent would be sent away (CH5). So does one that shows notifications (AP5).
 * Browsers allow six connections to one server, so only a few hidden pages of a browser may.
 */
const maxHiddenConnections = 3

let release: (() => void) | undefined

/** Reserves one of the few connections of hidden pages; false when all are taken. */
export async function mayKeepConnection(): Promise<boolean> {
  // Browsers have locks only where the address is https or localhost.
  if (!('locks' in navigator)) return false
  for (let place = 0; place < maxHiddenConnections; place++)
    if (await take(`holdfast.unseen.${place}`)) return true
  return false
}

/** Gives the reservation back: the page is visible again, or closed. */
export function releaseConnection(): void {
  release?.()
  release = undefined
}

const take = (name: string): Promise<boolean> =>
  new Promise((resolve) => {
    const hold = (lock: Lock | null): Promise<void> | undefined => {
      resolve(lock !== null)
      if (!lock) return undefined
      return new Promise((done) => {
        release = done
      })
    }
    navigator.locks.request(name, { ifAvailable: true }, hold).catch(() => resolve(false))
  })
