/** What acts by itself in chats: begins processes and turns, on the store of a server. */
import type { Logger } from '../../src/platform/log/logger.ts'
import { createTurnDispatcher, Starter } from '../../src/server/processes/work-scanner.ts'
import type { TestServer } from './server.ts'

export async function startChatWorkers({ store, clock, server }: TestServer, logger: Logger) {
  const { tails, launches } = server
  const starter = new Starter({ store, clock, logger, tails, launches })
  const dispatcher = createTurnDispatcher({ store, clock, logger })
  await starter.start()
  dispatcher.start()
  const stop = async () => {
    await starter.stop()
    await dispatcher.stop()
  }
  return { starter, dispatcher, stop }
}
