/** Who sends what is to be sent (CN2): no ring is lost, at whatever moment it comes. */
import { expect, test } from 'vitest'
import type { ChannelAdapter } from '../../src/adapters/port.ts'
import { Sender } from '../../src/adapters/sender.ts'
import { home } from '../../src/domain/stream-name.ts'
import { createLogger } from '../../src/platform/log/logger.ts'
import { LocalDoorbell } from '../../src/store/log/doorbell.ts'
import { openTestStore, type TestStore } from '../support/store.ts'

const turns = 12
const adapter: ChannelAdapter = {
  channel: 'telegram',
  maxChars: 4096,
  run: async () => {},
  send: async () => ({ ref: null }),
  edit: async () => {},
  showTyping: async () => {},
}

/**
 * Rings once more so many turns of the microtasks after the log was read; gives how often it was.
 */
async function looksWhenRungAfter(after: number, { store, clock }: TestStore): Promise<number> {
  const doorbell = new LocalDoorbell()
  let looks = 0
  const ringLater = async (): Promise<void> => {
    for (let turn = 0; turn < after; turn++) await undefined
    doorbell.ring([[home, 1]])
  }
  const query: typeof store.query = async (useCase, input) => {
    const found = await store.query(useCase, input)
    if (++looks === 1) void ringLater()
    return found
  }
  const watched = new Proxy(store, {
    get: (target, name) =>
      name === 'query' ? query : name === 'doorbell' ? doorbell : Reflect.get(target, name),
  })
  const logger = createLogger({ level: 'silent', format: 'json' })
  const sender = new Sender({
    store: watched,
    clock,
    logger,
    adapter,
    holder: 'h',
    onSent: () => {},
  })
  sender.start()
  while (looks === 0) await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  await sender.stop()
  return looks
}

test('[CN2] a doorbell in the very moment a look ends causes another look', async () => {
  const opened = await openTestStore()
  for (let after = 0; after < turns; after++)
    expect(await looksWhenRungAfter(after, opened), `${after}`).toBe(2)
})
