/** A store that can be away: then every question is refused, and nothing is done. */
import type { Store } from '../../src/store/store.ts'

export function shakyStore(store: Store) {
  const state = { isAway: false }
  const shaky = new Proxy(store, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown
      if (typeof value !== 'function') return value
      return state.isAway
        ? () => Promise.reject(new Error('the store is away'))
        : value.bind(target)
    },
  })
  return { shaky, state }
}
