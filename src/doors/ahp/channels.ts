/** The channels that one client subscribed to. */
import type { Who } from '../../domain/access/caller.ts'
import { home } from '../../domain/stream-name.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import type { AhpClient } from './ahp-client.ts'
import { AhpError } from './json-rpc.ts'
import { rootChannel } from './names.ts'
import { rootState } from './root.ts'

interface Snapshot {
  readonly resource: string
  readonly state: unknown
  /** Everything told up to this number is in the state. */
  readonly fromSeq: number
}

export class Channels {
  readonly #client: AhpClient
  readonly #deps: ServerDependencies

  constructor(client: AhpClient, deps: ServerDependencies) {
    this.#client = client
    this.#deps = deps
  }

  async open(who: Who, channel: string): Promise<Snapshot> {
    if (channel === rootChannel) return this.#openRoot(who)
    throw new AhpError('noSession', `There is no channel ${channel}`)
  }

  close(channel: string): void {
    if (channel === rootChannel) this.#client.subscription.unfollow([home])
  }

  async #openRoot(who: Who): Promise<Snapshot> {
    await this.#deps.app.watch([home], who)
    await this.#client.subscription.follow([home], undefined, () => {})
    const state = await rootState(this.#deps, who)
    return { resource: rootChannel, state, fromSeq: this.#client.serverSeq }
  }
}
