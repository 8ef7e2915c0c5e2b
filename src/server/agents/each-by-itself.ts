/** Goes through what there is, page by page (RE9): what cannot be done about one is done about the others all the same, and said then. */
export async function eachByItself<Item>(
  pageAfter: (last: Item | undefined) => Promise<readonly Item[]>,
  atOnce: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = []
  for (let last: Item | undefined; ; ) {
    const page = await pageAfter(last)
    for (const item of page) await work(item).catch((error: unknown) => failures.push(error))
    last = page.at(-1)
    if (page.length < atOnce) break
  }
  if (failures.length > 0) throw failures[0]
}
