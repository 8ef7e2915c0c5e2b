/**
 * A page that nobody sees keeps its connection while a chat is open on it: otherwise its panel would count as closed and the agent
 * would go (CH5). So does one that is to say what has come to wait (AP5). Browsers allow six connections to one server, so only a few pages of a browser may.
 */
const maxHiddenConnections = 3

let release: (() => void) | undefined

/** Whether this page may keep it, until `letGo`. */
export async function mayKeepConnection(): Promise<boolean> {
  // Browsers have locks only where the address is https or localhost.
  if (!('locks' in navigator)) return false
  for (let place = 0; place < maxHiddenConnections; place++) if (await take(`holdfast.unseen.${place}`)) return true
  return false
}

/** The page is seen, or gone. */
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
