/**
 * Drafts of forms: typed text survives closing a dialog, leaving the page and coming back, and
 * (unless it may hold a secret) a reload of the tab.
 */
import { useState } from 'react'

/** `memory`: may hold secrets, never written anywhere. */
type Keep = 'tab' | 'memory'

const memory = new Map<string, unknown>()
const maxDrafts = 100

function read<Value>(key: string, keep: Keep): Value | undefined {
  if (memory.has(key)) return memory.get(key) as Value
  if (keep === 'memory') return undefined
  try {
    const text = sessionStorage.getItem(`holdfast.draft.${key}`)
    return text === null ? undefined : (JSON.parse(text) as Value)
  } catch {
    return undefined
  }
}

function write(key: string, keep: Keep, value: unknown): void {
  if (value === undefined) memory.delete(key)
  else memory.set(key, value)
  const oldest = memory.keys().next().value
  if (memory.size > maxDrafts && oldest !== undefined) memory.delete(oldest)
  if (keep === 'memory') return
  try {
    if (value === undefined) sessionStorage.removeItem(`holdfast.draft.${key}`)
    else sessionStorage.setItem(`holdfast.draft.${key}`, JSON.stringify(value))
  } catch {
    // Storage can be full or forbidden; then the draft lasts as long as the page.
  }
}

/** Forgets every draft, because the next person at this browser is another one. */
export function forgetDrafts(): void {
  memory.clear()
  try {
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith('holdfast.draft.')) sessionStorage.removeItem(key)
  } catch {
    // Storage is forbidden: nothing was stored.
  }
}

export function useDraft<Value>(
  key: string,
  initial: Value,
  keep: Keep = 'tab',
): [Value, (value: Value) => void, () => void] {
  const kept = () => ({ key, value: read<Value>(key, keep) ?? initial })
  const [typed, setTyped] = useState(kept)
  // The same field may come to be about something else, of which there is another draft.
  const { value } = typed.key === key ? typed : kept()
  const change = (next: Value) => {
    setTyped({ key, value: next })
    write(key, keep, next)
  }
  const clear = () => {
    setTyped({ key, value: initial })
    write(key, keep, undefined)
  }
  return [value, change, clear]
}
