/**
 * A choice of this browser (theme, language): kept in its storage, shared by its tabs, never sent
 * to the server.
 */
import { useSyncExternalStore } from 'react'

export interface Choice<Value extends string> {
  get(): Value
  set(value: Value): void
  subscribe(listener: () => void): () => void
}

export function browserChoice<Value extends string>(
  name: string,
  allowed: readonly Value[],
  fallback: Value,
): Choice<Value> {
  const key = `holdfast.${name}`
  const listeners = new Set<() => void>()
  let value = read()

  function read(): Value {
    const stored = storage()?.getItem(key)
    return allowed.find((each) => each === stored) ?? fallback
  }
  const tell = () => {
    for (const listener of listeners) listener()
  }
  addEventListener('storage', (event) => {
    if (event.key !== key) return
    value = read()
    tell()
  })

  return {
    get: () => value,
    set(next) {
      value = next
      if (next === fallback) storage()?.removeItem(key)
      else storage()?.setItem(key, next)
      tell()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export const useChoice = <Value extends string>(choice: Choice<Value>): Value =>
  useSyncExternalStore(choice.subscribe, choice.get)

/** Storage can be forbidden; then a choice lasts as long as the page. */
function storage(): Storage | undefined {
  try {
    return localStorage
  } catch {
    return undefined
  }
}
