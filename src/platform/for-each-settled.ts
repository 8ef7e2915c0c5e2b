/** RE9: what cannot be done about one is done about the others all the same, and said then. */
export async function forEachSettled<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = []
  for await (const item of items) await work(item).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/** All there is, read page by page: each is asked for when the one before is used up. */
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
