/**
 * A coordinator without processes: it takes every launch and says at once that its agent is ready.
 * What is measured is the server alone.
 */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { linkVersion } from '../../src/protocol/processes/link.ts'

interface Heard {
  readonly type: string
  readonly requestId?: string
  readonly epoch?: number
  readonly launchId?: string
  readonly event?: {
    readonly type: string
    readonly data: { readonly order: { readonly launchId: string } }
  }
}

/** What agents ask for that are to run here. */
export const playedLabel = 'played'

export class PlayedCoordinator {
  readonly #socket: WebSocket
  #epoch = 0
  #lastFact = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
  }

  /** With a token of the kind `coordinator`; resolves when launches can be ordered from it. */
  static async connect(port: number, token: string): Promise<PlayedCoordinator> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await once(socket, 'open')
    const played = new PlayedCoordinator(socket)
    const about = {
      instance: 'played',
      linkVersion,
      version: '1',
      machine: 'played',
      bootId: 'boot',
      pid: 4711,
      epoch: null,
    }
    const followed = Promise.withResolvers<void>()
    socket.on('message', (data) =>
      played.#hear(JSON.parse(String(data)) as Heard, followed.resolve),
    )
    played.#say({ type: 'coordinator:hello', ...about, labels: [playedLabel], capacity: 10_000 })
    await followed.promise
    return played
  }

  close(): void {
    this.#socket.terminate()
  }

  #hear({ type, epoch, launchId, event }: Heard, onFollowed: () => void): void {
    if (type === 'coordinator:welcome') this.#epoch = epoch ?? 0
    else if (type === 'snapshot') onFollowed()
    else if (event?.type === 'launch-ordered')
      this.#say({ type: 'coordinator:take', launchId: event.data.order.launchId })
    else if (type === 'coordinator:launch') this.#tellReady(launchId ?? '')
  }

  #tellReady(launchId: string): void {
    const opened = {
      acpSessionId: 'played',
      how: 'new',
      notRestored: null,
      workspace: '/played',
      branch: null,
      note: null,
    }
    const agent = {
      agentName: 'played',
      agentVersion: null,
      images: false,
      modes: [],
      modeId: null,
      options: [],
    }
    const facts = [
      { n: ++this.#lastFact, launchId, type: 'process-started', pid: 4711, birth: launchId },
      { n: ++this.#lastFact, launchId, type: 'agent-ready', ...opened, ...agent },
    ]
    this.#say({ type: 'coordinator:facts', facts })
  }

  #say(message: object): void {
    this.#socket.send(JSON.stringify({ epoch: this.#epoch, ...message }))
  }
}
