/**
 * The yardstick of a message on its way: a bare server that is posted it, makes it durable with one
 * fdatasync and answers.
 */
import { join } from 'node:path'
import type { Contender } from '../harness/comparison.ts'
import { KeepAlive, requestBytes } from '../harness/keep-alive.ts'
import { startProcess } from '../harness/server-process.ts'
import { median } from '../harness/statistics.ts'

const bareServer = join(import.meta.dirname, '..', 'bare', 'durable-post-server.cjs')

/** In a round, each after a short rest, as messages come. */
export const messagesPerRound = 40
const restMs = 2

export const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, restMs))

export async function durablePosts(
  file: string,
): Promise<Contender & { close: () => Promise<void> }> {
  const server = await startProcess((port) => [bareServer, String(port), file], { path: '/' })
  const connection = await KeepAlive.open(server.port)
  const bytes = requestBytes('POST', '/', {
    id: 'project',
    to: 'agent-0',
    content: 'a message like any other',
  })(server.port)
  return {
    name: 'bare POST and one fdatasync',
    round: async () => {
      const times: number[] = []
      for (let nth = 0; nth < messagesPerRound; nth++) {
        await rest()
        const from = performance.now()
        await connection.ask(bytes)
        times.push(performance.now() - from)
      }
      return median(times)
    },
    close: async () => {
      connection.close()
      await server.stop()
    },
  }
}
