/** Launches and coordinators, shared by REST, MCP and `/ws`. Holds no rules and no state. */

import { type Caller, theServer } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import type { LaunchEndReason } from '../../domain/processes/lifecycle.ts'
import type { Seals } from '../../platform/secrets/seals.ts'
import type { Coordinator } from '../../protocol/processes/coordinator.ts'
import type {
  CoordinatorFacts,
  CoordinatorHello,
  CoordinatorTake,
  CoordinatorTaken,
  CoordinatorWelcome,
  LaunchParticulars,
} from '../../protocol/processes/link.ts'
import type { Process } from '../../protocol/processes/process.ts'
import type { SandboxLimits } from '../../protocol/processes/sandbox-limits.ts'
import type { CoordinatorPrompt, CoordinatorTurn } from '../../protocol/turns/link.ts'
import { App } from '../../services/app.ts'
import { beginLaunch } from '../../services/flows/processes/begin-launch.ts'
import { findStart } from '../../services/flows/processes/coordinator-queries.ts'
import { orderStop } from '../../services/flows/processes/order-stop.ts'
import {
  registerCoordinator,
  storeFacts,
  takeOverCoordinator,
} from '../../services/flows/processes/store-facts.ts'
import { orderLaunch, releaseAgent } from '../../services/processes/launch-record.ts'
import { findPrompt } from '../../services/turns/queries.ts'
import { type Pair, type Post, postOf } from '../../store/agent-sessions/agent-sessions.ts'
import type { ReceiptKey, Store } from '../../store/store.ts'
import { type LinkedMachines, openedParticulars } from './linked-machines.ts'

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
  readonly #machines: LinkedMachines
  readonly #seals: Seals

  constructor(store: Store, rules: CoordinatorRules, machines: LinkedMachines, seals: Seals) {
    this.#store = store
    this.#app = new App(store)
    this.#rules = rules
    this.#machines = machines
    this.#seals = seals
  }

  async register(
    who: Caller,
    { type: _, requestId: __, ...hello }: CoordinatorHello,
  ): Promise<{ welcome: CoordinatorWelcome; greeting: string }> {
    const coordinatorId = who.id
    const { greeting, ...registered } = await this.#app.run(
      registerCoordinator,
      { ...hello, coordinatorId },
      who,
    )
    const maxConcurrent = hello.capacity ?? this.#rules.maxConcurrent
    const welcome: CoordinatorWelcome = {
      type: 'coordinator:welcome',
      coordinatorId,
      ...registered,
      ...this.#rules,
      maxConcurrent,
    }
    return { welcome, greeting }
  }

  /** For coordinators of the build before, which ask for what they were ordered. */
  async take(who: Caller, { launchId, epoch }: CoordinatorTake): Promise<LaunchParticulars> {
    const { keyId } = this.#seals
    const begins = { coordinatorId: who.id, epoch, launchId, keyId }
    const begun = await this.#app.run(beginLaunch, begins, who)
    if ('withdrawn' in begun) throw new Refusal('launch_withdrawn', undefined, { launchId })
    return openedParticulars(this.#seals, begun)
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
    return this.#machines.order(start.coordinatorId, () =>
      this.#app.run(orderLaunch, { ...post, ...start }, theServer),
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
