/**
 * A coordinator played by the test over the real wire: it says when a process starts, writes and
 * ends, and starts none.
 */
import { createClient } from '../../src/client/client.ts'
import { type LinkFact, linkVersion } from '../../src/protocol/processes/link.ts'
import { openSocket } from './feed-clients.ts'

type Said = LinkFact extends infer Fact ? (Fact extends LinkFact ? Omit<Fact, 'n'> : never) : never

let played = 0

export async function playCoordinator(
  server: { readonly url: string; readonly token: string },
  machine = 'laptop',
) {
  const owner = createClient({ url: server.url, token: server.token })
  const { token, id } = await owner.post('/api/tokens', {
    body: { name: `${machine}-${++played}`, kind: 'coordinator' },
  })
  const socket = await openSocket({ port: Number(new URL(server.url).port), token })
  socket.send({
    type: 'coordinator:hello',
    instance: `instance-${played}`,
    linkVersion,
    version: '1.2.3',
    machine,
    bootId: 'boot',
    pid: 4711,
    epoch: null,
  })
  const { epoch, lastFact } = await socket.next('coordinator:welcome')
  await socket.next('snapshot')
  socket.send({ type: 'coordinator:holds', launchIds: [] })
  const begun = new Map<string, { launchToken: string }>()
  let n: number = lastFact
  const ask = (message: object) => {
    socket.send({ epoch, requestId: 'r', ...message })
    return socket.inbox.next(({ requestId }) => requestId === 'r')
  }
  const tell = (...said: Said[]) =>
    ask({ type: 'coordinator:facts', facts: said.map((each) => ({ ...each, n: ++n })) })
  return {
    id,
    socket,
    tell,
    /** As after a lost acknowledgement: under the number of the last one. */
    repeat: (said: Said) => ask({ type: 'coordinator:facts', facts: [{ ...said, n }] }),
    /** The next launch that was begun. */
    ordered: async (): Promise<string> => {
      const { launch } = await socket.next('coordinator:offer')
      begun.set(launch.launchId, launch)
      return launch.launchId
    },
    stopOrdered: () =>
      socket.inbox.next(({ type, event }) => type === 'event' && event.type === 'stop-ordered'),
    /** What the process would get; among it the token it signs in with. */
    take: async (launchId: string): Promise<{ launchToken: string }> =>
      begun.get(launchId) ?? { launchToken: '' },
    started: (launchId: string, pid = 4242) =>
      tell({ type: 'process-started', launchId, pid, birth: '1' }),
    wrote: (launchId: string, text: string) => tell({ type: 'process-output', launchId, text }),
    exited: (
      launchId: string,
      how: { exitCode?: number; signal?: string; stopped?: boolean } = {},
    ) => {
      const { exitCode = null, signal = null, stopped = false } = how
      return tell({ type: 'process-exited', launchId, exitCode, signal, found: null, stopped })
    },
    failedToStart: (launchId: string, error: string) =>
      tell({ type: 'start-failed', launchId, error }),
    goodbye: () => tell({ type: 'goodbye' }),
  }
}
