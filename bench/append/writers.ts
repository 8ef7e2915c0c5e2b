/** Writers that append as fast as they are acknowledged, each to a stream of its own. */

/** Answers how long each append waited for its acknowledgement, in ms. */
export async function appendAll(
  append: (id: string) => Promise<unknown>,
  writers: number,
  appends: number,
): Promise<number[]> {
  const waits: number[] = []
  const writer = async (id: string): Promise<void> => {
    for (let nth = 0; nth < appends / writers; nth++) {
      const from = performance.now()
      await append(id)
      waits.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, index) => writer(`w${index}`)))
  return waits
}

/** Appends a second. */
export async function appendRate(
  append: (id: string) => Promise<unknown>,
  writers: number,
  appends: number,
): Promise<number> {
  const from = performance.now()
  await appendAll(append, writers, appends)
  return (appends * 1000) / (performance.now() - from)
}
