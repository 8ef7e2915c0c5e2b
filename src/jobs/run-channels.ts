/**
 * Runs the configured channels; one node of a cluster does. Loads the adapters in the background: a
 * server without channels loads none, and one whose channel is down is ready all the same.
 */
import { randomUUID } from 'node:crypto'
import type { ChannelDoor } from '../adapters/port.ts'
import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { ConfigValues } from '../protocol/config.ts'
import type { Figures } from '../server/system/figures.ts'
import type { Store } from '../store/store.ts'

interface ChannelsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly config: ConfigValues
  readonly figures: Figures
}

/** The returned function stops it. */
export function runChannel(door: ChannelDoor, options: ChannelsOptions): () => Promise<void> {
  const { logger } = options
  const loading = load(door, options).catch((error: unknown) => {
    logger.error({ error: String(error) }, 'channel could not be loaded')
    return undefined
  })
  return async () => {
    await (await loading)?.stop()
  }
}

async function load(door: ChannelDoor, options: ChannelsOptions) {
  const { store, clock, logger, config, figures } = options
  const { ChannelRunner } = await import('../adapters/channel-runner.ts')
  const adapter = await door.open(config)
  const own = { connected: 0, received: 0, sent: 0, failures: 0 }
  figures.channels.set(adapter.channel, own)
  const runner = new ChannelRunner({
    store,
    clock,
    logger,
    adapter,
    holder: randomUUID(),
    figures: own,
  })
  runner.start()
  return runner
}
