/**
 * The path to return to after signing in, kept because the sign-in link often opens in another tab.
 */
import { isInternalPath } from './internal-path.ts'

const key = 'holdfast.wanted'
const keptMs = 15 * 60_000

export function rememberReturnPath(path: string): void {
  try {
    localStorage.setItem(key, JSON.stringify({ path, at: Date.now() }))
  } catch {
    // Without storage the person starts at Now.
  }
}

export function takeReturnPath(): string | undefined {
  try {
    const { path, at } = JSON.parse(localStorage.getItem(key) ?? '{}') as {
      path?: unknown
      at?: number
    }
    localStorage.removeItem(key)
    return isInternalPath(path) && Date.now() - (at ?? 0) < keptMs ? path : undefined
  } catch {
    return undefined
  }
}
