/**
 * Runs one ACP agent (AG2, AC1-AC4): prepares its workspace, opens its first context, then runs
 * each ordered turn in the context it names, opening that first if needed. Reports what happens and
 * decides nothing. Repeated orders have no effect.
 *
 *   workspace ──▶ process ──▶ initialize ──▶ session ──▶ ready ──turns ordered──▶
 *       └────────────┴─────────────┴────────────┴──▶ failed, with the step it was in; its process is ended
 */
import { pause } from '../platform/time/clock.ts'
import {
  cutDetail,
  type Detail,
  DetailError,
  detailFields,
  detailOf,
  statusNotice,
  textOf,
} from '../protocol/status-texts.ts'
import { type AgentUpdate, stateKinds } from '../protocol/turns/agent-update.ts'
import type {
  ConfigureOrder,
  EndFiles,
  FailureStep,
  OpenContext,
  SettledPermission,
  TurnOrder,
} from '../protocol/turns/link.ts'
import type { AcpAgentOptions } from './acp/agent-options.ts'
import { AcpConnection, type ContextHandlers, type OpenedContext } from './acp/connection.ts'
import type { AcpContext, TurnEnd } from './acp/context.ts'
import { AcpFailure, type Anomaly, anomalyText } from './acp/failure.ts'
import { exitMs, finalFilesMs, finalOutputMs, maxErrorChars, seenGoneMs } from './acp/limits.ts'
import {
  type EarlierAcpSession,
  earlierSession,
  holdfastToolServer,
  readyFact,
  startedAgent,
} from './acp/open-acp-session.ts'
import { createCleaner, OutputGate, UpdateCleaner } from './agent-output.ts'
import { CannotStart, type Exit, type Pipes, requireFolder } from './agent-process.ts'
import { type TurnFilesOptions, takeAfter, takeBefore } from './file-states/turn-files.ts'
import { secretsInTurns } from './launch-secrets.ts'
import { RecentIds } from './link.ts'
import { isOpenElsewhere } from './open-elsewhere.ts'
import { PersonRequests } from './person-requests.ts'
import { AgentSandbox, type InSandbox } from './sandbox/agent-sandbox.ts'
import type { NewFact, WithoutLaunch } from './spool.ts'
import type { Workspace } from './worktrees/make-workspace.ts'
import { type PrepareWorkspaceOptions, prepareWorkspace } from './worktrees/prepare-workspace.ts'

/** Remembered order ids, so that an old message cannot run an order again. */
const maxRememberedOrders = 1000

type HeldContext = {
  context?: AcpContext | undefined
  turnId: string | undefined
  folder?: string
  readonly updates?: UpdateCleaner
  note?: OpenedContext['note'] | undefined
}

export class AcpAgent {
  readonly #options: AcpAgentOptions
  readonly #gate = new OutputGate()
  readonly #clean: <Value>(value: Value) => Value
  readonly #requests: PersonRequests
  readonly sandbox: AgentSandbox
  readonly #knownOrders = new RecentIds(maxRememberedOrders)
  /** Rejects when the start takes too long. */
  readonly #startTimeout = Promise.withResolvers<never>()
  readonly #startAborted = new AbortController()
  readonly #exited = Promise.withResolvers<Exit>()
  #stopWaiting = (): void => {}
  #step: Exclude<FailureStep, 'running'> = 'workspace'
  #workspace: Workspace | undefined
  #connection: AcpConnection | undefined
  #folder = ''
  #phase: 'starting' | 'ready' | 'failed' | 'over' = 'starting'
  readonly #contexts = new Map<string, HeldContext>()
  readonly #turns = new Map<string, HeldContext>()
  /** Turns whose context is being opened. */
  readonly #opening = new Map<string, 'wanted' | 'cancelled'>()
  /** Runs of turns, until their ends are reported. */
  readonly #running = new Set<Promise<void>>()
  readonly #turnFiles: TurnFilesOptions
  #handshake: Promise<void> | undefined
  #configured: Promise<void> = Promise.resolve()
  /** The latest state update of each kind during the start. Sent just before `agent-ready`. */
  readonly #updatesBeforeReady = new Map<AgentUpdate['kind'], AgentUpdate>()

  constructor(options: AcpAgentOptions) {
    this.#options = options
    this.#turnFiles = { fileStates: options.fileStates, onTrouble: (why) => this.#writeNote(why) }
    this.#clean = createCleaner(secretsInTurns(options.particulars))
    this.#requests = new PersonRequests({
      clean: this.#clean,
      report: (fact) => this.#report(fact),
    })
    this.sandbox = new AgentSandbox({
      particulars: options.particulars,
      runningTurn: () => this.#turns.keys().next().value,
      ask: (turnId, request) =>
        this.#requests.permission(turnId, request, this.#startAborted.signal),
      note: (text) => this.#writeNote(text),
    })
    this.#startTimeout.promise.catch(() => {})
    this.#setStartTimeout(options.acp.startWithinMs)
  }

  /** The running turn; null when there is none, or more than one. */
  get onlyTurn(): string | null {
    return this.#turns.size === 1 ? (this.#turns.keys().next().value ?? null) : null
  }

  /** Returns the folder to start the process in; null for the default. Rejects with CannotStart. */
  async prepareWorkspace(): Promise<string | null> {
    const { acp, particulars } = this.#options
    const { workspace, startWithinMs } = acp
    try {
      if (!workspace) requireFolder(particulars.folder)
      else {
        const made = this.#makeWorkspace(workspace, (isRunning) =>
          isRunning ? this.#stopWaiting() : this.#setStartTimeout(startWithinMs),
        )
        this.#workspace = await Promise.race([made, this.#startTimeout.promise])
      }
      this.#step = 'process'
      return this.#workspace?.folder ?? particulars.folder
    } catch (error) {
      throw new CannotStart(detailOf(error))
    }
  }

  #makeWorkspace(
    workspace: PrepareWorkspaceOptions['workspace'],
    onSetUp: PrepareWorkspaceOptions['onSetUp'],
  ): Promise<Workspace> {
    const { launchId } = this.#options.particulars
    const report = (fact: NewFact) => this.#options.report(this.#clean(fact))
    const onOutput = (text: string) => report({ type: 'process-output', launchId, text })
    return prepareWorkspace({
      ...this.#options,
      workspace,
      report,
      onOutput,
      onSetUp,
      signal: this.#startAborted.signal,
    })
  }

  /** Cancels the start. Not becoming ready is no failure then. */
  cancelStart(): void {
    if (this.#phase === 'starting') this.#phase = 'failed'
    this.#startAborted.abort()
    this.#stopWaiting()
  }

  /** Reports that the start failed, unless it has succeeded or was cancelled. */
  reportFailure(failure: Detail, exit?: Exit): void {
    if (this.#phase !== 'starting') return
    this.#phase = 'failed'
    this.#startAborted.abort()
    this.#stopWaiting()
    this.#report({
      type: 'agent-failed',
      step: this.#step,
      ...this.#fieldsFor('error', this.sandbox.explain(failure)),
      ...exit,
    })
  }

  /** Initializes the running process and opens its first context. Reports the result. */
  begin({ to, from }: Pipes, folder: string, inSandbox?: InSandbox): void {
    const { clock, version } = this.#options
    this.#step = 'initialize'
    this.#folder = folder
    this.sandbox.begin(folder, inSandbox)
    const connection = new AcpConnection({
      to,
      from,
      clock,
      version,
      waitForCapacity: () => this.#gate.opened,
      onAnomaly: (anomaly) => this.#writeNote(anomalyText(anomaly), anomaly),
      onWholeError: (text) => this.#writeNote(`an error, whole: ${text.replaceAll('\n', '\\n')}`),
      started: startedAgent(this.#options.particulars),
      isOpenElsewhere: (id) => isOpenElsewhere(id, this.#options),
    })
    this.#connection = connection
    this.#handshake = this.#openFirstContext(connection).catch(async (error: unknown) => {
      this.#stopWaiting()
      const hasGone = error instanceof AcpFailure && error.code === 'ended'
      if (!hasGone) this.#options.stop()
      // The exit code and the last output belong to the failure.
      const exit = (await Promise.race([this.#exited.promise, pause(clock, exitMs)])) ?? undefined
      this.reportFailure(detailOf(error), hasGone ? exit : undefined)
      this.#options.stop()
    })
    // An agent that has closed its output would never exit.
    void connection.ended.then(async () => {
      await this.#handshake
      if (this.#phase !== 'over') this.#options.stop()
    })
  }

  turn(order: TurnOrder): void {
    if (this.#knownOrders.has(order.turnId)) return
    this.#knownOrders.add(order.turnId)
    const running = this.#run(order)
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
  }

  hasOrder = (turnId: string): boolean => this.#knownOrders.has(turnId)

  cancel(turnId: string): void {
    const held = this.#turns.get(turnId)
    if (held) held.context?.cancel()
    else if (this.#opening.has(turnId)) this.#opening.set(turnId, 'cancelled')
    else if (!this.#knownOrders.has(turnId)) {
      // The cancel arrived before the turn: it must not run.
      this.#knownOrders.add(turnId)
      this.#report({
        type: 'turn-ended',
        turnId,
        outcome: 'cancelled',
        stopReason: null,
        error: null,
      })
    }
  }

  settle = (settled: Omit<SettledPermission, 'launchId'>): void => this.#requests.settle(settled)

  /** Sets a mode or an option, once. Changes run one at a time, and each result is reported. */
  configure({ configureId, change, contextId }: Omit<ConfigureOrder, 'launchId'>): void {
    if (this.#knownOrders.has(configureId)) return
    this.#knownOrders.add(configureId)
    this.#configured = this.#configured.then(async () => {
      let error: Detail | null = null
      try {
        const context = this.#contexts.get(contextId ?? this.#options.acp.contextId)?.context
        if (this.#phase !== 'ready' || !context)
          throw new DetailError(statusNotice('cannotBeSpokenTo'))
        await context.configure(change)
      } catch (failure) {
        error = detailOf(failure)
      }
      this.#report({
        type: 'agent-configured',
        configureId,
        contextId,
        change,
        ...this.#fieldsFor('error', error),
      })
    })
  }

  readOutput = (yes: boolean): void => this.#gate.set(yes)

  /** Handles the exit of the process. Resolves when all its output is reported. */
  async end(exit: Exit): Promise<void> {
    this.#exited.resolve(exit)
    this.#stopWaiting()
    this.#gate.set(true)
    const late = pause(this.#options.clock, finalOutputMs)
    await Promise.race([this.#connection?.ended, late])
    await Promise.race([this.#handshake, late])
    // The end of a turn waits for the state of its files.
    await Promise.race([
      Promise.allSettled(this.#running),
      pause(this.#options.clock, finalFilesMs),
    ])
    this.#connection?.close()
    this.#phase = 'over'
  }

  #setStartTimeout(ms: number): void {
    this.#stopWaiting()
    const error = new AcpFailure('timeout', statusNotice('notReadyWithin', { seconds: ms / 1000 }))
    this.#stopWaiting = this.#options.clock.after(ms, () => this.#startTimeout.reject(error))
  }

  async #openFirstContext(connection: AcpConnection): Promise<void> {
    const { acp } = this.#options
    const inTime = <Result>(work: Promise<Result>): Promise<Result> =>
      Promise.race([work, this.#startTimeout.promise])
    const facts = await inTime(connection.initialize())
    this.#step = 'session'
    const { contextId } = acp
    const { opened } = await inTime(
      this.#open(
        connection,
        contextId,
        this.#folder,
        earlierSession(acp.loadAcpSessionId, acp.forks),
      ),
    )
    this.#stopWaiting()
    if (this.#phase !== 'starting') return
    this.#phase = 'ready'
    for (const update of this.#updatesBeforeReady.values()) this.#reportState(contextId, update)
    this.#updatesBeforeReady.clear()
    this.#report(
      readyFact(facts, opened, this.#folder, this.#workspace, (detail) => this.#cut(detail)),
    )
  }

  /** Opens a context with a tool server of its own, whose token names the context. */
  async #open(
    connection: AcpConnection,
    contextId: string,
    folder: string,
    earlier: EarlierAcpSession | null,
  ): Promise<OpenedContext> {
    const before = this.#contexts.get(contextId)?.context
    if (before) connection.release(before)
    const updates = new UpdateCleaner(secretsInTurns(this.#options.particulars))
    const held: HeldContext = { context: undefined, turnId: undefined, folder, updates }
    const isNew = !before && this.#options.particulars.folder === null
    const folders = this.#options.particulars.isolation?.allow.folders ?? []
    const place = {
      folder,
      folders,
      isNew,
      toolServers: [holdfastToolServer(this.#options, contextId)],
    }
    const handlers: ContextHandlers = {
      onUpdate: (update) => this.#update(contextId, held, update),
      onPermission: (request, withdrawn) =>
        this.#requests.permission(this.#reportUpdates(held), request, withdrawn),
      onQuestion: (question, withdrawn) =>
        this.#requests.question(this.#reportUpdates(held), question, withdrawn),
    }
    const found = await connection.reopen(place, earlier, handlers)
    held.context = found.context
    held.note = found.note
    this.#contexts.set(contextId, held)
    return found
  }

  async #run({
    turnId,
    content,
    context: order,
    configure = [],
    leave = [],
    files,
  }: TurnOrder): Promise<void> {
    const end = (ended: EndedTurn): void => {
      const {
        outcome,
        stopReason = null,
        error = null,
        notRun = null,
        broken = null,
        ...more
      } = ended
      const { cancelIgnored = false, usage = null, files: after = null } = more
      // The server may order a turn that did not run once more, of this process too.
      if (notRun) this.#knownOrders.delete(turnId)
      const how = {
        outcome,
        stopReason,
        ...this.#fieldsFor('error', error),
        usage,
        notRun,
        cancelIgnored,
      }
      this.#report({
        type: 'turn-ended',
        turnId,
        ...how,
        broken: broken && textOf(this.#cut(broken) ?? ''),
        files: after,
      })
    }
    const connection = this.#connection
    if (this.#phase !== 'ready' || !connection)
      return end({ outcome: 'failed', error: statusNotice('cannotBeSpokenTo') })
    const contextId = order?.contextId ?? this.#options.acp.contextId
    let prompt = content
    this.#opening.set(turnId, 'wanted')
    if (order?.open) {
      const opened = await this.#openFor(connection, turnId, order.contextId, order.open).catch(
        (error: unknown) => {
          end({ outcome: 'failed', error: detailOf(error), notRun: 'no_context' })
          return undefined
        },
      )
      if (opened === undefined) return void this.#opening.delete(turnId)
      prompt = opened === null ? content : [{ type: 'text', text: opened }, ...content]
    }
    for (const choice of configure) this.configure({ ...choice, contextId })
    await this.#configured
    const held = this.#contexts.get(contextId)
    const folder = held?.folder ?? this.#folder
    const before = await takeBefore(this.#turnFiles, folder, files)
    if (before) this.#report({ type: 'turn-files', turnId, before })
    await this.sandbox.sync()
    const isWanted = this.#opening.get(turnId) === 'wanted'
    this.#opening.delete(turnId)
    if (!isWanted) return end({ outcome: 'cancelled' })
    if (!held?.context || held.turnId !== undefined)
      return end({ outcome: 'failed', error: statusNotice('cannotBeSpokenTo') })
    held.turnId = turnId
    this.#turns.set(turnId, held)
    if (held.note) this.#reportUpdates(held, held.updates?.add(held.note))
    held.note = undefined
    try {
      this.sandbox.beginTurn(turnId)
      const prompted = held.context.prompt(prompt, this.#options.acp.turnWithinMs)
      const { promptRejected, unasked, ...ended } = await prompted.finally(() =>
        this.#reportUpdates(held),
      )
      // A killed agent's child may answer for it: what the turn had done is unknown.
      if (
        unasked &&
        (await Promise.race([this.#exited.promise, pause(this.#options.clock, seenGoneMs)]))
      )
        throw new AcpFailure(
          'ended',
          statusNotice('endedBeforeAnswer', { what: statusNotice('thePrompt') }),
        )
      const broken = promptRejected
        ? null
        : await held.context.whyBroken({ promptRejected, unasked, ...ended })
      await this.sandbox.sync()
      end({
        ...ended,
        broken,
        notRun: promptRejected ? 'refused' : null,
        files: await takeAfter(this.#turnFiles, folder, files, before),
      })
    } catch (error) {
      const { code, detail } =
        error instanceof AcpFailure ? error : { code: 'refused', detail: String(error) }
      if (code === 'flooded') this.#writeNote(`${textOf(detail)} It was ended.`)
      // The agent exited. That is reported, and what the turn had done is unknown, but where a
      // limit has ended it (SB13).
      const after = await takeAfter(this.#turnFiles, folder, files, before)
      const limit = this.sandbox.endedFor
      if (limit || (code !== 'ended' && code !== 'flooded'))
        end({ outcome: 'failed', error: limit ?? detail, files: after })
      else if (after) this.#report({ type: 'turn-files', turnId, after })
    } finally {
      held.turnId = undefined
      this.#turns.delete(turnId)
      for (const { acpSessionId, isDeleted } of leave)
        void connection.leave(acpSessionId, isDeleted)
    }
  }

  /**
   * Opens the context for a turn. Returns the text to send first: the primer of a new one, or the
   * news of a restored one.
   */
  async #openFor(
    connection: AcpConnection,
    turnId: string,
    contextId: string,
    {
      acpSessionId: earlier,
      forks,
      primer,
      news,
      workspace,
      owner,
    }: NonNullable<OpenContext['open']>,
  ): Promise<string | null> {
    const own =
      workspace === null ? (this.#options.particulars.folder ?? this.#folder) : this.#folder
    const folder = workspace ? (await this.#makeWorkspace(workspace, () => {})).folder : own
    this.sandbox.requireWorkplace(folder, owner)
    const { opened } = await this.#open(
      connection,
      contextId,
      folder,
      earlierSession(earlier, forks),
    )
    const { acpSessionId, how, notRestored, modes, modeId, options } = opened
    const offers = {
      images: connection.takesImages,
      modes: [...modes],
      modeId,
      options: [...options],
    }
    const restored = this.#fieldsFor('notRestored', notRestored)
    const began = { turnId, contextId, acpSessionId, how }
    this.#report({ type: 'turn-began', ...began, ...restored, ...offers })
    return how === 'new' ? primer : news
  }

  #update(contextId: string, held: HeldContext, update: AgentUpdate): void {
    const isState = stateKinds.has(update.kind)
    if (isState && this.#phase === 'starting')
      return void this.#updatesBeforeReady.set(update.kind, update)
    if (isState) return this.#reportState(contextId, update)
    this.#reportUpdates(held, held.updates?.add(update))
  }

  #reportState(contextId: string, update: AgentUpdate): void {
    this.#report({ type: 'turn-update', turnId: null, contextId, update: this.#clean(update) })
  }

  /** Returns the turn that they belong to. */
  #reportUpdates(
    { turnId, updates }: HeldContext,
    clean = updates?.flush() ?? [],
  ): string | undefined {
    for (const update of clean)
      this.#report({ type: 'turn-update', turnId: turnId ?? null, update })
    return turnId
  }

  #writeNote(note: string, anomaly?: Anomaly): void {
    const unknown = anomaly && {
      kind: anomaly.kind,
      name: this.#clean(anomaly.name),
      count: anomaly.more,
    }
    this.#report({ type: 'process-output', text: `[Holdfast: ${this.#clean(note)}]\n`, unknown })
  }

  /** A detail as fields of a fact, without secrets and bounded. */
  #fieldsFor<Name extends string, Given extends Detail | null>(name: Name, detail: Given) {
    return detailFields(name, this.#cut(detail) as Given)
  }

  #cut(detail: Detail | null): Detail | null {
    return detail && cutDetail(this.#clean(detail), maxErrorChars)
  }

  #report(fact: WithoutLaunch<NewFact>): void {
    if (this.#phase === 'over') return
    this.#options.report({ ...fact, launchId: this.#options.particulars.launchId } as NewFact)
  }
}

type EndedTurn = Pick<TurnEnd, 'outcome'> &
  Partial<TurnEnd> & {
    notRun?: 'refused' | 'no_context' | null
    broken?: Detail | null
    files?: EndFiles | undefined
  }
