/**
 * One agent that is spoken to over ACP (AG2, AC1-AC4): its workspace, its greeting, then turn after turn as they are ordered. It tells what
 * happens and decides nothing. Everything is told once; being ordered the same twice changes nothing.
 *
 *   workspace ──▶ process ──▶ initialize ──▶ session ──▶ ready ──turn ordered──▶ running ──▶ ready
 *       └────────────┴─────────────┴────────────┴──▶ failed, with the step it was in; its process is ended
 */
import { randomUUID } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import type { OwnProgram } from '../platform/program-of.ts'
import type { AgentUpdate, PermissionRequest } from '../protocol/agent-update.ts'
import type { LaunchParticulars } from '../protocol/link.ts'
import type { AcpParticulars, ConfigureOrder, FailureStep, SettledPermission, TurnOrder } from '../protocol/link-turns.ts'
import { say } from '../protocol/sentences.ts'
import { AcpConversation } from './acp/conversation.ts'
import { AcpFailure } from './acp/failure.ts'
import type { AgentFacts, Opened, ToolServer } from './acp/opening.ts'
import type { PermissionAnswer } from './acp/permissions.ts'
import { troubleInWords } from './acp/troubles.ts'
import { CannotStart, type Pipes } from './agent-process.ts'
import { cleaner } from './clean-update.ts'
import { OutputGate } from './output-gate.ts'
import type { NewFact } from './spool.ts'
import { makeWorkplace, type WorkplaceParts } from './workplace.ts'
import type { Workspace } from './worktrees/make-workspace.ts'

export interface SpokenAgentParts extends Pick<WorkplaceParts, 'git' | 'worktreesFolder' | 'occupancy' | 'env' | 'keeper'> {
  readonly particulars: LaunchParticulars
  readonly acp: AcpParticulars
  readonly serverUrl: string
  readonly program: OwnProgram
  readonly version: string
  readonly clock: Clock
  readonly tell: (fact: NewFact) => void
  /** Ends its process, and with it all of this. */
  readonly stop: () => void
}

/** Turns that are over and may be ordered once more by an old message. */
const mostRemembered = 1000
const longestWords = 4000
/** For what it has said last to come out of its pipe. */
const lastWordsMs = 200

interface Question {
  readonly resolve: (answer: PermissionAnswer) => void
}

export class SpokenAgent {
  readonly #parts: SpokenAgentParts
  readonly #gate = new OutputGate()
  readonly #clean: <Value>(value: Value) => Value
  readonly #questions = new Map<string, Question>()
  readonly #known = new Set<string>()
  /** Rejects when the start has taken too long. */
  readonly #late = Promise.withResolvers<never>()
  readonly #unwanted = new AbortController()
  #stopWaiting = (): void => {}
  #step: Exclude<FailureStep, 'running'> = 'workspace'
  #place: Workspace | undefined
  #conversation: AcpConversation | undefined
  #phase: 'starting' | 'ready' | 'failed' | 'over' = 'starting'
  #turnId: string | undefined
  #begun: Promise<void> | undefined
  #configured: Promise<void> = Promise.resolve()
  /** What it says of itself while it starts, the last of each kind: told with the news that it is ready, which would else wait behind it. */
  readonly #early = new Map<AgentUpdate['kind'], AgentUpdate>()

  constructor(parts: SpokenAgentParts) {
    this.#parts = parts
    this.#clean = cleaner(parts.particulars)
    this.#late.promise.catch(() => {})
    this.#allow(parts.acp.startWithinMs)
  }

  /** Where its process is to be started; rejects with CannotStart. null: where any other would be. */
  async makePlace(): Promise<string | null> {
    const { acp, particulars } = this.#parts
    const { workspace, startWithinMs } = acp
    if (!workspace) return particulars.folder
    try {
      const made = makeWorkplace({
        ...this.#parts,
        workspace,
        tell: (fact) => this.#parts.tell(this.#clean(fact)),
        onOutput: (text) => this.#parts.tell({ type: 'process-output', launchId: particulars.launchId, text: this.#clean(text) }),
        onSetUp: (isRunning) => (isRunning ? this.#stopWaiting() : this.#allow(startWithinMs)),
        signal: this.#unwanted.signal,
      })
      this.#place = await Promise.race([made, this.#late.promise])
      this.#step = 'process'
      return this.#place.folder
    } catch (error) {
      throw new CannotStart(error instanceof Error ? error.message : String(error))
    }
  }

  /** It is not wanted any more: that it does not become ready is no failure. */
  letGo(): void {
    if (this.#phase === 'starting') this.#phase = 'failed'
    this.#unwanted.abort()
    this.#stopWaiting()
  }

  /** It did not come to a conversation. */
  failed(words: string): void {
    if (this.#phase !== 'starting') return
    this.#phase = 'failed'
    // A place that is still being made is not made runnable for nobody.
    this.#unwanted.abort()
    this.#stopWaiting()
    const error = this.#clean(words).slice(0, longestWords)
    this.#tell({ type: 'agent-failed', step: this.#step, error })
  }

  /** Its process runs: greets it and opens a session; whatever comes of that is told. */
  begin({ to, from }: Pipes, folder: string): void {
    const { clock, version } = this.#parts
    this.#step = 'initialize'
    const conversation = new AcpConversation({
      to,
      from,
      clock,
      version,
      room: () => this.#gate.opened,
      onUpdate: (update) => this.#update(update),
      onPermission: (request, withdrawn) => this.#ask(request, withdrawn),
      onTrouble: (trouble) => this.#say(troubleInWords(trouble)),
    })
    this.#conversation = conversation
    this.#begun = this.#greet(conversation, folder).catch((error: unknown) => {
      if (this.#phase !== 'starting') return
      this.failed(error instanceof Error ? error.message : String(error))
      this.#parts.stop()
    })
    // One that closes its output has nothing more to say, and would stay for ever.
    void conversation.ended.then(() => {
      if (this.#phase !== 'over') this.#parts.stop()
    })
  }

  /** Runs this turn, once. */
  turn({ turnId, content }: TurnOrder): void {
    if (this.#known.has(turnId)) return
    this.#remember(turnId)
    void this.#run(turnId, content)
  }

  /** Whether this turn was ordered before. */
  knows(turnId: string): boolean {
    return this.#known.has(turnId)
  }

  cancel(turnId: string): void {
    if (this.#turnId === turnId) this.#conversation?.cancel()
    else if (!this.#known.has(turnId)) {
      // It is not to be run at all.
      this.#remember(turnId)
      this.#tell({ type: 'turn-ended', turnId, outcome: 'cancelled', stopReason: null, error: null })
    }
  }

  settle({ askId, optionId }: Pick<SettledPermission, 'askId' | 'optionId'>): void {
    this.#questions.get(askId)?.resolve(optionId === null ? { choose: 'deny' } : { optionId })
  }

  /** Sets its mode or an option, once, one after the other; what came of it is told. */
  configure({ configureId, change }: Pick<ConfigureOrder, 'configureId' | 'change'>): void {
    if (this.#known.has(configureId)) return
    this.#remember(configureId)
    this.#configured = this.#configured.then(async () => {
      let error: string | null = null
      try {
        if (this.#phase !== 'ready' || !this.#conversation) throw new Error(say('cannotBeSpokenTo'))
        await this.#conversation.configure(change)
      } catch (failure) {
        const words = failure instanceof Error ? failure.message : String(failure)
        error = this.#clean(words).slice(0, longestWords)
      }
      this.#tell({ type: 'agent-configured', configureId, change, error })
    })
  }

  /** An agent that writes waits until it may be read again. */
  readOutput(yes: boolean): void {
    this.#gate.set(yes)
  }

  /** Its process has ended. Resolves when all it said is told. */
  async end(): Promise<void> {
    this.#stopWaiting()
    this.#gate.set(true)
    const { clock } = this.#parts
    const late = new Promise<void>((resolve) => clock.after(lastWordsMs, resolve))
    await Promise.race([this.#conversation?.ended, late])
    await Promise.race([this.#begun, late])
    this.#conversation?.close()
    this.#phase = 'over'
  }

  #allow(ms: number): void {
    this.#stopWaiting()
    const words = say('notReadyWithin', { seconds: ms / 1000 })
    this.#stopWaiting = this.#parts.clock.after(ms, () => this.#late.reject(new AcpFailure('timeout', words)))
  }

  async #greet(conversation: AcpConversation, folder: string): Promise<void> {
    const { acp, clock } = this.#parts
    const inTime = <Result>(work: Promise<Result>): Promise<Result> => Promise.race([work, this.#late.promise])
    const facts = await inTime(conversation.initialize())
    this.#step = 'session'
    const place = { folder, toolServers: [this.#ourTools()] }
    const openedAt = Date.parse(acp.lastOpenedAt ?? '') || clock.now()
    const patience = acp.loadAcpSessionId === null ? 0 : conversation.waitsBeforeLoad(openedAt)
    if (patience > 0) {
      this.#say(
        `waiting ${Math.ceil(patience / 1000)} s, because this agent loads no session in the minute in which it was opened`,
      )
      this.#allow(acp.startWithinMs + patience)
    }
    const opened = await inTime(
      acp.loadAcpSessionId === null ? conversation.open(place) : conversation.reopen(place, acp.loadAcpSessionId, openedAt),
    ).catch((error: unknown) => {
      throw withSignIn(error, facts)
    })
    this.#stopWaiting()
    if (this.#phase !== 'starting') return
    this.#phase = 'ready'
    this.#tellReady(facts, opened, folder)
  }

  #tellReady(facts: AgentFacts, opened: Opened, folder: string): void {
    const place = this.#place
    for (const update of this.#early.values()) this.#update(update)
    this.#early.clear()
    this.#tell({
      type: 'agent-ready',
      acpSessionId: opened.acpSessionId,
      how: opened.how,
      notRestored: opened.notRestored?.slice(0, longestWords) ?? null,
      workspace: folder,
      branch: place?.kind === 'worktree' ? place.branch : null,
      note: place?.kind === 'plain' ? place.why.slice(0, longestWords) : null,
      agentName: facts.name,
      agentVersion: facts.version,
      images: facts.images,
      modes: [...opened.modes],
      modeId: opened.modeId,
      options: [...opened.options],
    })
  }

  /** AC2: ours, with the launch token, so that it can record approaches, checkpoints and tasks. */
  #ourTools(): ToolServer {
    const { serverUrl, program, particulars } = this.#parts
    const [command, ...args] = program
    const { launchToken } = particulars
    const env = { HOLDFAST_URL: serverUrl, HOLDFAST_LAUNCH_TOKEN: launchToken, HOLDFAST_TOKEN: launchToken }
    return { name: 'holdfast', url: `${serverUrl}/mcp`, bearer: launchToken, program: { command, args: [...args, 'mcp'], env } }
  }

  async #run(turnId: string, content: TurnOrder['content']): Promise<void> {
    const end = (outcome: 'answered' | 'cancelled' | 'failed', stopReason: string | null, error: string | null): void =>
      this.#tell({
        type: 'turn-ended',
        turnId,
        outcome,
        stopReason,
        error: error === null ? null : this.#clean(error).slice(0, longestWords),
      })
    if (this.#phase !== 'ready' || !this.#conversation || this.#turnId !== undefined)
      return end('failed', null, say('cannotBeSpokenTo'))
    this.#turnId = turnId
    try {
      const ended = await this.#conversation.prompt(content, this.#parts.acp.turnWithinMs)
      end(ended.outcome, ended.stopReason, ended.error)
    } catch (error) {
      const { code, message } = error instanceof AcpFailure ? error : { code: 'refused', message: String(error) }
      if (code === 'flooded') this.#say(`${message} It was ended.`)
      // It has gone with the turn open; its exit says so, and nobody knows what it had done.
      if (code !== 'ended' && code !== 'flooded') end('failed', null, message)
    } finally {
      this.#turnId = undefined
    }
  }

  #update(update: AgentUpdate): void {
    const isState = update.kind === 'mode' || update.kind === 'options' || update.kind === 'commands' || update.kind === 'usage'
    if (isState && this.#phase === 'starting') return void this.#early.set(update.kind, update)
    const turnId = isState ? null : (this.#turnId ?? null)
    this.#tell({ type: 'turn-update', turnId, update: this.#clean(update) })
  }

  async #ask(request: PermissionRequest, withdrawn: AbortSignal): Promise<PermissionAnswer> {
    const turnId = this.#turnId
    if (turnId === undefined) return { choose: 'cancelled' }
    const askId = randomUUID()
    const { digest, likeness } = request
    const { promise, resolve } = Promise.withResolvers<PermissionAnswer>()
    this.#questions.set(askId, { resolve })
    const withdraw = (): void => {
      resolve({ choose: 'cancelled' })
      if (this.#questions.delete(askId)) this.#tell({ type: 'permission-withdrawn', askId })
    }
    withdrawn.addEventListener('abort', withdraw, { once: true })
    this.#tell({ type: 'permission-asked', turnId, askId, request: { ...this.#clean(request), digest, likeness } })
    const answer = await promise
    this.#questions.delete(askId)
    withdrawn.removeEventListener('abort', withdraw)
    return answer
  }

  #remember(turnId: string): void {
    if (this.#known.size >= mostRemembered) this.#known.delete(this.#known.values().next().value ?? '')
    this.#known.add(turnId)
  }

  /** Between what it wrote itself, for the person who looks for the reason. */
  #say(words: string): void {
    this.#tell({ type: 'process-output', text: `[Holdfast: ${this.#clean(words)}]\n` })
  }

  #tell(fact: WithoutLaunch<NewFact>): void {
    if (this.#phase === 'over') return
    this.#parts.tell({ ...fact, launchId: this.#parts.particulars.launchId } as NewFact)
  }
}

type WithoutLaunch<Fact> = Fact extends { launchId: string } ? Omit<Fact, 'launchId'> : never

/** SE4: what to do about it, as far as the agent says. */
function withSignIn(error: unknown, { signInMethods }: AgentFacts): unknown {
  if (!(error instanceof AcpFailure) || error.code !== 'sign_in' || signInMethods.length === 0) return error
  const ways = signInMethods.map(({ name, description }) => (description ? `${name} (${description})` : name)).join('; ')
  return new AcpFailure('sign_in', say('signInFirst', { why: error.message, ways }))
}
