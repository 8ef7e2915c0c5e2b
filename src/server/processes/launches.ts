/** Launches and coordinators, shared by REST, MCP and `/ws`. Holds no rules and no state. */

import { type Caller, theServer } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import type { LaunchEndReason } from '../../domain/processes/lifecycle.ts'
import { randomness } from '../../platform/secrets/randomness.ts'
import type { Seals } from '../../platform/secrets/seals.ts'
import type { Coordinator } from '../../protocol/processes/coordinator.ts'
import type {
  CoordinatorFacts,
  CoordinatorHello,
  CoordinatorTake,
  CoordinatorTaken,
  CoordinatorWelcome,
  LaunchOffer,
  LaunchParticulars,
} from '../../protocol/processes/link.ts'
import type { Process } from '../../protocol/processes/process.ts'
import type { SandboxLimits } from '../../protocol/processes/sandbox-limits.ts'
import type { CoordinatorPrompt, CoordinatorTurn } from '../../protocol/turns/link.ts'
import { App } from '../../services/app.ts'
import { findStart } from '../../services/flows/coordinator-queries.ts'
import { orderStop } from '../../services/flows/order-stop.ts'
import {
  registerCoordinator,
  storeFacts,
  takeOverCoordinator,
} from '../../services/flows/store-facts.ts'
import {
  type Offer,
  offerLaunch,
  type SealedParticulars,
  takeLaunch,
} from '../../services/flows/take-launch.ts'
import { type OfferId, orderLaunch, releaseAgent } from '../../services/processes/launch-record.ts'
import { findPrompt } from '../../services/turns/queries.ts'
import { type Pair, type Post, postOf } from '../../store/agent-sessions/agent-sessions.ts'
import type { ReceiptKey, Store } from '../../store/store.ts'

/**
 * Opens the sealed values of a launch, to be sent to its coordinator and kept nowhere (SE12, SR2).
 */
const openedParticulars = (
  seals: Seals,
  { env, secrets, gatewayKey, ...rest }: SealedParticulars,
): LaunchParticulars => ({
  type: 'coordinator:launch',
  ...rest,
  env: seals.open(env),
  secrets: { environment: seals.open(secrets.environment), files: seals.open(secrets.files) },
  ...Object.values(seals.open(gatewayKey)).map((key) => ({ gatewayKey: key }))[0],
})

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

/**
 * Orders launches and offers them at once (services/flows/take-launch.ts) to coordinators connected
 * to this node: order and offer are one commit, and the start command is sent on the connection
 * afterwards. A coordinator that does not receive it asks for it. Knows the connections and decides
 * nothing.
 */
export class Offers {
  readonly #store: Store
  readonly #app: App
  readonly #maxConcurrent: number
  readonly #seals: Seals
  readonly #linked = new Map<string, Linked>()

  constructor(store: Store, { maxConcurrent }: { readonly maxConcurrent: number }, seals: Seals) {
    this.#store = store
    this.#app = new App(store)
    this.#maxConcurrent = maxConcurrent
    this.#seals = seals
  }

  /**
   * Registers a coordinator that has sent a message since it received its orders. It recognises any
   * launch begun for it from now on, even one it does not receive (supervisor.ts).
   */
  hear(coordinatorId: string, epoch: number, connection: Connection): void {
    const linkedBefore = this.#linked.get(coordinatorId)
    if (linkedBefore?.connection !== connection || linkedBefore.epoch !== epoch)
      this.#linked.set(coordinatorId, { connection, epoch })
  }

  leave(coordinatorId: string, connection: Connection): void {
    if (this.#linked.get(coordinatorId)?.connection === connection)
      this.#linked.delete(coordinatorId)
  }

  /**
   * `order` must call the store before it awaits anything, so that order and offer can share a
   * commit.
   */
  order<Answer>(
    { coordinatorId, ...where }: Where,
    order: (offered: OfferId) => Promise<Answer>,
  ): Promise<Answer> {
    const linked = coordinatorId === null ? undefined : this.#linked.get(coordinatorId)
    if (coordinatorId === null || !linked) return order({})
    const offeredAs = randomness.uuid()
    const ordered = order({ offeredAs })
    const offer = (): Promise<void> =>
      this.#offer(linked, { coordinatorId, launchId: offeredAs, ...where })
    if (this.#store.inOrder) void offer()
    // The requester of the order learns of the refusal.
    else ordered.then(offer, () => {})
    return ordered
  }

  async #offer(
    { connection, epoch }: Linked,
    launch: Omit<Offer, 'epoch' | 'maxConcurrent' | 'keyId'>,
  ): Promise<void> {
    try {
      const { keyId } = this.#seals
      const begun = await this.#app.run(
        offerLaunch,
        {
          ...launch,
          epoch,
          maxConcurrent: this.#maxConcurrent,
          keyId,
        },
        theServer,
      )
      if (!begun) return
      connection.tell({
        type: 'coordinator:offer',
        order: begun.order,
        launch: openedParticulars(this.#seals, begun.launch),
      })
    } catch {
      // The coordinator was replaced or the store fails: the requester learns of it, and the launch
      // waits for its turn.
    }
  }
}

/** Settings sent to coordinators in the welcome (CF1). */
export interface CoordinatorRules {
  readonly maxConcurrent: number
  readonly aloneMinutes: number
  readonly takeoverMinutes: number | null
  readonly sandboxLimits: SandboxLimits
}

interface ReleasedProcess {
  readonly process: Process | null
}

export class Launches {
  readonly #store: Store
  readonly #app: App
  readonly #rules: CoordinatorRules
  readonly #offers: Offers
  readonly #seals: Seals

  constructor(store: Store, rules: CoordinatorRules, offers: Offers, seals: Seals) {
    this.#store = store
    this.#app = new App(store)
    this.#rules = rules
    this.#offers = offers
    this.#seals = seals
  }

  async register(
    who: Caller,
    { type: _, requestId: __, ...hello }: CoordinatorHello,
  ): Promise<CoordinatorWelcome> {
    const coordinatorId = who.id
    const registered = await this.#app.run(registerCoordinator, { ...hello, coordinatorId }, who)
    const maxConcurrent = hello.capacity ?? this.#rules.maxConcurrent
    return {
      type: 'coordinator:welcome',
      coordinatorId,
      ...registered,
      ...this.#rules,
      maxConcurrent,
    }
  }

  async take(who: Caller, { launchId, epoch }: CoordinatorTake): Promise<LaunchParticulars> {
    const { keyId } = this.#seals
    const take = { coordinatorId: who.id, epoch, launchId, keyId }
    const taken = await this.#app.run(takeLaunch, take, who)
    if ('withdrawn' in taken) throw new Refusal('launch_withdrawn', undefined, { launchId })
    return openedParticulars(this.#seals, taken)
  }

  /** Returns the prompt of a turn, for a coordinator that reconnects and knows only its id. */
  async prompt(
    who: Caller,
    { launchId, turnId, epoch }: CoordinatorTurn,
  ): Promise<CoordinatorPrompt> {
    const order = await this.#app.read(
      findPrompt,
      { coordinatorId: who.id, epoch, launchId, turnId },
      who,
    )
    return { type: 'coordinator:prompt', ...order }
  }

  async facts(who: Caller, { epoch, facts }: CoordinatorFacts): Promise<CoordinatorTaken> {
    const { through } = await this.#app.run(
      storeFacts,
      { coordinatorId: who.id, epoch, facts },
      who,
    )
    return { type: 'coordinator:taken', through }
  }

  /** Orders a process if the post needs one; null when nothing is needed. */
  async order(given: Post, inChat?: boolean): Promise<Process | null> {
    const post = postOf(given)
    const start = await this.#store.query(findStart, { ...post, inChat })
    if (!start) return null
    const where = { ...start, projectId: post.projectId, userSessionId: null }
    return this.#offers.order(where, (offered) =>
      this.#app.run(orderLaunch, { ...post, ...start, ...offered }, theServer),
    )
  }

  stop(
    launchId: string,
    reason: LaunchEndReason,
    receipt?: ReceiptKey,
    who: Caller = theServer,
  ): Promise<Process> {
    return this.#app.run(orderStop, { launchId, reason }, who, receipt)
  }

  release(
    { agentId, projectId }: Pair,
    receipt?: ReceiptKey,
    who: Caller = theServer,
  ): Promise<ReleasedProcess> {
    return this.#app.run(releaseAgent, { agentId, projectId }, who, receipt)
  }

  takeOver(
    coordinatorId: string,
    by: string,
    receipt?: ReceiptKey,
    who: Caller = theServer,
  ): Promise<Coordinator> {
    return this.#app.run(takeOverCoordinator, { coordinatorId, by }, who, receipt)
  }
}
