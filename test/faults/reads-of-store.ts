/**
 * A store that tells how far its use cases have come, counted in what they read: a head start that
 * is the same on every machine.
 */
import type { Reader, Store, UseCase } from '../../src/store/store.ts'

export interface CountedStore {
  readonly store: Store
  /** Resolves when use cases have begun so many more reads, or when `over` is. */
  after(reads: number, over: Promise<unknown>): Promise<unknown>
}

export function countedStore(inner: Store): CountedStore {
  const waiting = new Set<() => void>()
  const note = (): void => {
    for (const tell of waiting) tell()
  }
  const counted = <Input, Output>(useCase: UseCase<Input, Output>): UseCase<Input, Output> => ({
    ...useCase,
    run: (tx, input, context) => useCase.run(noting(tx, note), input, context),
  })
  return {
    store: withMethods(inner, {
      run: (useCase, input, receipt) => inner.run(counted(useCase), input, receipt),
    }),
    after: (reads, over) => {
      if (reads === 0) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      let left = reads
      const tell = (): void => {
        if (--left === 0) resolve()
      }
      waiting.add(tell)
      return Promise.race([promise, over]).finally(() => waiting.delete(tell))
    },
  }
}

const reading = ['all', 'first', 'row', 'rows', 'query'] as const

function noting<Tx extends Reader>(tx: Tx, note: () => void): Tx {
  const noted = (name: (typeof reading)[number]) => {
    const read = (tx[name] as (...given: unknown[]) => unknown).bind(tx)
    return (...given: unknown[]): unknown => {
      note()
      return read(...given)
    }
  }
  const methods = Object.fromEntries(reading.map((name) => [name, noted(name)]))
  return withMethods(tx, methods as Partial<Tx>)
}

const withMethods = <T extends object>(inner: T, methods: Partial<T>): T =>
  new Proxy(inner, {
    get: (_, name) => {
      const value = methods[name as keyof T] ?? Reflect.get(inner, name)
      return typeof value === 'function' ? value.bind(inner) : value
    },
  })
