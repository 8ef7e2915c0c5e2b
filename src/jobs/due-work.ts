/**
 * Due work: what is found at each interval is handled item by item. A deadline follows from rows,
 * so none can be forgotten, and each use case decides again under its locks: running it too early,
 * twice or on two nodes changes nothing.
 */
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Hearing } from './hearing.ts'

// A list holds works whose items differ; each handles what it has found itself.
// biome-ignore lint/suspicious/noExplicitAny: see above
export interface DueWork<Item = any> {
  readonly everyMs: number
  /** Said when it cannot be looked for, and of each item that cannot be handled. */
  readonly failureText: string
  /** How long it waits before the first look. Not at all by default. */
  readonly firstAfterMs?: number
  /** Items handled at the same time. One by default. */
  readonly atOnce?: number
  find(): Promise<Iterable<Item>> | AsyncIterable<Item>
  run(item: Item): Promise<unknown>
}

export interface DueWorkTools {
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn'>
  /** Left out where nobody has to be heard. */
  readonly hearing?: Hearing
}

/**
 * Looks periodically. Looks never overlap; the returned function stops when the item at hand is
 * done.
 */
export function runPeriodically<Item>(
  work: DueWork<Item>,
  tools: DueWorkTools,
): () => Promise<void> {
  const { clock, logger } = tools
  let running: Promise<void> = Promise.resolve()
  let isStopped = false
  let cancel = (): void => {}
  if (work.firstAfterMs === undefined) look()
  else rest(work.firstAfterMs)

  function look(): void {
    running = handleDue(work, tools, () => isStopped)
      .catch((error) => logger.warn({ error: String(error) }, `${work.failureText}; retrying`))
      .finally(() => {
        if (!isStopped) rest(work.everyMs)
      })
  }
  function rest(ms: number): void {
    cancel = clock.after(ms, look)
  }

  return async () => {
    isStopped = true
    cancel()
    await running
  }
}

/**
 * Handles once what is due. RE9: an item that fails is logged, and the others are still handled.
 */
export async function handleDue<Item>(
  work: DueWork<Item>,
  { clock, logger, hearing }: DueWorkTools,
  isStopped: () => boolean = () => false,
): Promise<void> {
  await hearing?.begin()
  const lookedAt = clock.now()
  const handle = async (item: Item): Promise<void> => {
    try {
      await work.run(item)
    } catch (error) {
      logger.warn({ ...about(item), error: String(error) }, `${work.failureText}; retrying`)
    }
  }
  for await (const items of inBatches(await work.find(), work.atOnce ?? 1)) {
    if (isStopped()) return
    await Promise.all(items.map(handle))
  }
  await hearing?.heard(lookedAt)
}

const about = (item: unknown): object =>
  typeof item === 'object' && item !== null ? item : { item }

async function* inBatches<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  atOnce: number,
): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < atOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
