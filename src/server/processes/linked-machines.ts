/**
 * The machines whose coordinators are connected to this node. It begins what waits for them and
 * fits, and sends it on the connection (CO11): with the order, if it is made here, and otherwise
 * when the home stream says that a launch waits, or that there is room for one. Decides nothing.
 *
 * What was sent and did not arrive is sent again when the coordinator is back and names what it
 * holds.
 */
import { theServer } from '../../domain/access/caller.ts'
import { home } from '../../domain/stream-name.ts'
import type { Seals } from '../../platform/secrets/seals.ts'
import type { EventType } from '../../protocol/events.ts'
import type { LaunchBegun, LaunchParticulars } from '../../protocol/processes/link.ts'
import { App } from '../../services/app.ts'
import {
  type BegunLaunch,
  beginLaunch,
  beginNextLaunch,
  type SealedParticulars,
} from '../../services/flows/processes/begin-launch.ts'
import { findNotHeld, findWaiting } from '../../services/processes/queries.ts'
import type { Store } from '../../store/store.ts'
import type { Basics } from '../dependencies.ts'
import type { FeedEvent, TailFollower, Tails } from '../live/tail.ts'

/**
 * Opens the sealed values of a launch, to be sent to its coordinator and kept nowhere (SE12, SR2).
 */
export const openedParticulars = (
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
  tell(message: LaunchBegun): void
}

interface ConnectedMachine {
  readonly coordinatorId: string
  readonly epoch: number
  readonly greeting: string
  readonly connection: Connection
}

interface LinkedMachine extends ConnectedMachine {
  /** Whatever is sent before it has them would be missing in what it names. */
  hasOrders: boolean
  /** What it named, until what it misses was sent again. */
  holds: readonly string[] | undefined
}

/** Events of the home stream after which a launch may begin. */
const roomAfter: ReadonlySet<string> = new Set<EventType>([
  'process-waiting',
  'process-ended',
  'agent-changed',
])

/** How often it is looked for launches that nothing told of. */
const lookEveryMs = 3000

export class LinkedMachines implements TailFollower {
  readonly #options: Basics & { readonly tails: Tails; readonly seals: Seals }
  readonly #store: Store
  readonly #app: App
  readonly #maxConcurrent: number
  readonly #linked = new Map<string, LinkedMachine>()
  readonly #looking = new Map<string, 'once' | 'again'>()
  readonly #running = new Set<Promise<void>>()
  #cancel = (): void => {}

  constructor(
    options: Basics & { readonly tails: Tails; readonly seals: Seals },
    { maxConcurrent }: { readonly maxConcurrent: number },
  ) {
    this.#options = options
    this.#store = options.store
    this.#app = new App(options.store)
    this.#maxConcurrent = maxConcurrent
  }

  async start(): Promise<void> {
    const { tails } = this.#options
    const tail = tails.acquire(home)
    tail.join(this)
    const [position] = await this.#store.positions([home])
    tail.start(position?.head ?? 0)
    this.#lookPeriodically()
  }

  stop(): void {
    this.#cancel()
    this.#linked.clear()
  }

  /** Resolves when nothing is being begun. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  take(events: readonly FeedEvent[]): void {
    if (events.some(({ type }) => roomAfter.has(type))) this.#lookEverywhere()
  }

  connect(machine: ConnectedMachine): void {
    this.#linked.set(machine.coordinatorId, { ...machine, hasOrders: false, holds: undefined })
  }

  /**
   * The coordinator has its orders, and `holds` these launches. One of the build before does not
   * say, and asks for what it misses.
   */
  join(coordinatorId: string, connection: Connection, holds?: readonly string[]): void {
    const machine = this.#linked.get(coordinatorId)
    if (machine?.connection !== connection || machine.hasOrders) return
    machine.hasOrders = true
    machine.holds = holds
    this.#look(machine)
  }

  leave(coordinatorId: string, connection: Connection): void {
    if (this.#linked.get(coordinatorId)?.connection === connection)
      this.#linked.delete(coordinatorId)
  }

  /**
   * `order` must call the store before it awaits anything, so that order and beginning can share a
   * commit.
   */
  order<Answer>(coordinatorId: string | null, order: () => Promise<Answer>): Promise<Answer> {
    const linked = coordinatorId === null ? undefined : this.#linked.get(coordinatorId)
    const machine = linked?.hasOrders && !linked.holds ? linked : undefined
    const ordered = order()
    // On PostgreSQL what is asked for first need not run first.
    if (machine && this.#store.inOrder)
      this.#track(this.#beginAll(machine).catch(() => this.#look(machine)))
    // Who ordered is told of a refusal.
    else if (machine) ordered.then(() => this.#look(machine)).catch(() => {})
    return ordered
  }

  #track(running: Promise<void>): void {
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
  }

  #lookPeriodically(): void {
    this.#lookEverywhere()
    this.#cancel = this.#options.clock.after(lookEveryMs, () => this.#lookPeriodically())
  }

  #lookEverywhere(): void {
    for (const machine of this.#linked.values()) this.#look(machine)
  }

  /** Looks once more when something is told meanwhile. */
  #look(machine: LinkedMachine): void {
    const { coordinatorId } = machine
    const isLooking = this.#looking.has(coordinatorId)
    this.#looking.set(coordinatorId, isLooking ? 'again' : 'once')
    if (!isLooking) this.#track(this.#lookUntilNothingNew(machine))
  }

  async #lookUntilNothingNew({ coordinatorId }: LinkedMachine): Promise<void> {
    do {
      this.#looking.set(coordinatorId, 'once')
      const machine = this.#linked.get(coordinatorId)
      if (machine?.hasOrders) await this.#beginWhatWaits(machine)
    } while (this.#looking.get(coordinatorId) === 'again')
    this.#looking.delete(coordinatorId)
  }

  async #beginWhatWaits(machine: LinkedMachine): Promise<void> {
    const { coordinatorId, holds } = machine
    try {
      if (holds) await this.#sendAgain(machine, holds)
      machine.holds = undefined
      if (await this.#store.query(findWaiting, { coordinatorId })) await this.#beginAll(machine)
    } catch (error) {
      // The coordinator was replaced, or the store fails: they wait for the next look.
      this.#options.logger.debug({ coordinatorId, error: String(error) }, 'launches not begun')
    }
  }

  /** As many as fit, while any waits. */
  async #beginAll(machine: LinkedMachine): Promise<void> {
    const { coordinatorId } = machine
    while (await this.#beginNext(machine))
      if (!(await this.#store.query(findWaiting, { coordinatorId }))) return
  }

  /** False when nothing fits. */
  async #beginNext(machine: LinkedMachine): Promise<boolean> {
    const maxConcurrent = this.#maxConcurrent
    const next = { ...this.#receiver(machine), maxConcurrent }
    const begun = await this.#app.run(beginNextLaunch, next, theServer)
    if (begun) this.#send(machine, begun)
    return begun !== null
  }

  async #sendAgain(machine: LinkedMachine, holds: readonly string[]): Promise<void> {
    const { coordinatorId } = machine
    for (const launchId of await this.#store.query(findNotHeld, { coordinatorId, holds })) {
      const again = { ...this.#receiver(machine), launchId }
      this.#send(machine, await this.#app.run(beginLaunch, again, theServer))
      // Sent twice, the first would have a dead token.
      machine.holds = [...(machine.holds ?? []), launchId]
    }
  }

  #receiver({ coordinatorId, epoch, greeting }: LinkedMachine) {
    return { coordinatorId, epoch, greeting, keyId: this.#options.seals.keyId }
  }

  #send({ connection }: LinkedMachine, launch: BegunLaunch): void {
    if ('withdrawn' in launch) return
    const { launchId, agentId, projectId } = launch
    const order = { launchId, agentId, projectId, maxProcesses: null, stopReason: null } as const
    connection.tell({
      type: 'coordinator:offer',
      order: { ...order, state: 'waiting', offered: true },
      launch: openedParticulars(this.#options.seals, launch),
    })
  }
}
