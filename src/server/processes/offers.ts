/**
 * Orders launches and offers them at once (services/processes/offer-launch.ts) to coordinators connected to this node: order and
 * offer are one commit, and the start command is sent on the connection afterwards. A coordinator that does not receive it asks
 * for it. Knows the connections and decides nothing.
 */
import { randomness } from '../../platform/randomness.ts'
import type { Seals } from '../../platform/seals.ts'
import type { LaunchOffer } from '../../protocol/processes/link.ts'
import { type Offer, type OfferId, offerLaunch } from '../../services/processes/offer-launch.ts'
import type { Store } from '../../store/store.ts'

interface Connection {
  tell(message: LaunchOffer): void
}

interface Linked {
  readonly connection: Connection
  readonly epoch: number
}

interface Where {
  /** null: no coordinator is available. */
  readonly coordinatorId: string | null
  readonly projectId: string
  readonly userSessionId: string | null
}

export class Offers {
  readonly #store: Store
  readonly #maxConcurrent: number
  readonly #seals: Seals
  readonly #linked = new Map<string, Linked>()

  constructor(store: Store, { maxConcurrent }: { readonly maxConcurrent: number }, seals: Seals) {
    this.#store = store
    this.#maxConcurrent = maxConcurrent
    this.#seals = seals
  }

  /**
   * Registers a coordinator that has sent a message since it received its orders. It recognises any launch begun for it from now
   * on, even one it does not receive (supervisor.ts).
   */
  hear(coordinatorId: string, epoch: number, connection: Connection): void {
    const known = this.#linked.get(coordinatorId)
    if (known?.connection !== connection || known.epoch !== epoch) this.#linked.set(coordinatorId, { connection, epoch })
  }

  leave(coordinatorId: string, connection: Connection): void {
    if (this.#linked.get(coordinatorId)?.connection === connection) this.#linked.delete(coordinatorId)
  }

  /** `order` must call the store before it awaits anything, so that order and offer can share a commit. */
  order<Answer>({ coordinatorId, ...where }: Where, order: (offered: OfferId) => Promise<Answer>): Promise<Answer> {
    const linked = coordinatorId === null ? undefined : this.#linked.get(coordinatorId)
    if (coordinatorId === null || !linked) return order({})
    const offeredAs = randomness.uuid()
    const ordered = order({ offeredAs })
    const offer = (): Promise<void> => this.#offer(linked, { coordinatorId, launchId: offeredAs, ...where })
    if (this.#store.inOrder) void offer()
    // The requester of the order learns of the refusal.
    else ordered.then(offer, () => {})
    return ordered
  }

  async #offer({ connection, epoch }: Linked, launch: Omit<Offer, 'epoch' | 'maxConcurrent' | 'keyId'>): Promise<void> {
    try {
      const { keyId } = this.#seals
      const begun = await this.#store.run(offerLaunch, { ...launch, epoch, maxConcurrent: this.#maxConcurrent, keyId })
      if (!begun) return
      const particulars = { type: 'coordinator:launch', ...begun.launch, env: this.#seals.open(begun.launch.env) } as const
      connection.tell({ type: 'coordinator:offer', order: begun.order, launch: particulars })
    } catch {
      // The coordinator was replaced or the store fails: the requester learns of it, and the launch waits for its turn.
    }
  }
}
