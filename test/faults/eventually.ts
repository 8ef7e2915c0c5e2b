/** What comes in its time, though a server is killed and started meanwhile. */
const patienceMs = 600_000
const lookEveryMs = 50

export class TooLate extends Error {}

/** What it gives once it gives something; while a server starts, nobody answers. */
export async function eventually<Found>(
  what: string,
  look: () => Promise<Found | undefined>,
  withinMs = patienceMs,
): Promise<Found> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const found = await look().catch(() => undefined)
    if (found !== undefined) return found
    if (performance.now() > deadline)
      throw new TooLate(`${what} did not come within ${withinMs / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
}
