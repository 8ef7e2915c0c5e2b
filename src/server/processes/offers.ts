/**
 * Orders launches and offers them in the same breath (services/processes/offer-launch.ts) to coordinators that are connected to this node: the
 * order, and that it has begun, are one commit, and how to start it is said on the connection behind it. What is said there and does not
 * arrive is asked for by the coordinator. Knows who is connected; decides nothing.
 */
import { randomness } from '../../platform/randomness.ts'
import type { Seals } from '../../platform/seals.ts'
import type { LaunchOffer } from '../../protocol/processes/link.ts'
import { type Offer, type Offered, offerLaunch } from '../../services/processes/offer-launch.ts'
import type { Store } from '../../store/store.ts'

interface Connection {
  tell(message: LaunchOffer): void
}

interface Linked {
  readonly connection: Connection
  readonly epoch: number
}

interface Where {
  /** null: it goes nowhere. */
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
   * It has said something here since it was told its orders: whatever is begun for it from now on, and does not reach it, it knows for
   * its own (supervisor.ts).
   */
  hear(coordinatorId: string, epoch: number, connection: Connection): void {
    const known = this.#linked.get(coordinatorId)
    if (known?.connection !== connection || known.epoch !== epoch) this.#linked.set(coordinatorId, { connection, epoch })
  }

  leave(coordinatorId: string, connection: Connection): void {
    if (this.#linked.get(coordinatorId)?.connection === connection) this.#linked.delete(coordinatorId)
  }

  /** `order` must ask the store before it waits for anything, or the two share no commit where they could. */
  order<Answer>({ coordinatorId, ...where }: Where, order: (offered: Offered) => Promise<Answer>): Promise<Answer> {
    const linked = coordinatorId === null ? undefined : this.#linked.get(coordinatorId)
    if (coordinatorId === null || !linked) return order({})
    const offeredAs = randomness.uuid()
    const ordered = order({ offeredAs })
    const offer = (): Promise<void> => this.#offer(linked, { coordinatorId, launchId: offeredAs, ...where })
    if (this.#store.inOrder) void offer()
    // Who asked for it hears why it was refused.
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
      // It was replaced meanwhile, or the store has trouble: who orders hears of that, and what waits is taken in its turn.
    }
  }
}
