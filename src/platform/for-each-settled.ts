/** Handles every item even if some fail, then throws the first failure (RE9). */
export async function forEachSettled<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = []
  for await (const item of items) await work(item).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

export const succeeds = (attempt: Promise<unknown>): Promise<boolean> =>
  attempt.then(
    () => true,
    () => false,
  )

/** Runs jobs of the same name one after the other, and jobs of different names concurrently. */
export class Sequences {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<Result>(name: string, job: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const current = before.then(job, job)
    this.#last.set(name, current)
    try {
      return await current
    } finally {
      if (this.#last.get(name) === current) this.#last.delete(name)
    }
  }
}

/** Iterates over all items, reading the next page when the current one is used up. */
export async function* inPages<Item>(
  pageAfter: (last: Item | undefined) => Promise<readonly Item[]>,
  atOnce: number,
): AsyncGenerator<Item> {
  for (let last: Item | undefined; ; ) {
    const page = await pageAfter(last)
    yield* page
    last = page.at(-1)
    if (page.length < atOnce) return
  }
}
