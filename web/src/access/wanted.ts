/** Where the person wanted to go before signing in; the sign-in link often opens in another tab. */
import { isOurPath } from './our-path.ts'

const key = 'holdfast.wanted'
const keptMs = 15 * 60_000

export function rememberWanted(path: string): void {
  try {
    localStorage.setItem(key, JSON.stringify({ path, at: Date.now() }))
  } catch {
    // Then they start at Now.
  }
}

export function wantedPath(): string | undefined {
  try {
    const { path, at } = JSON.parse(localStorage.getItem(key) ?? '{}') as { path?: unknown; at?: number }
    localStorage.removeItem(key)
    return isOurPath(path) && Date.now() - (at ?? 0) < keptMs ? path : undefined
  } catch {
    return undefined
  }
}
