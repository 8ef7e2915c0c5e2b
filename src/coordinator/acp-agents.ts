/**
 * The ACP agents of this machine by launch. Passes each its orders, also those sent while the link
 * was down (turns/link.ts).
 */
import { dirname, join } from 'node:path'
import { type Clock, pause } from '../platform/time/clock.ts'
import type {
  CoordinatorAnswer,
  CoordinatorRequest,
} from '../protocol/processes/coordinator-requests.ts'
import type { LaunchParticulars } from '../protocol/processes/link.ts'
import { detailOf } from '../protocol/status-texts.ts'
import type {
  AcpParticulars,
  RunningTurn,
  SettledPermission,
  TurnOrder,
} from '../protocol/turns/link.ts'
import type { AcpAgentOptions } from './acp/agent-options.ts'
import type { AcpAgent } from './acp-agent.ts'
import { CannotStart } from './agent-process.ts'
import { FileStates } from './file-states/file-states.ts'
import type { StepMachine } from './landing/run-step.ts'
import { answerRequest } from './worktrees/answer-request.ts'
import { Git } from './worktrees/git.ts'
import { Occupancy } from './worktrees/occupancy.ts'
import { prepareWorkspace } from './worktrees/prepare-workspace.ts'

const retryMs = 1000

export interface AcpAgentsOptions
  extends Pick<AcpAgentOptions, 'program' | 'version' | 'worktreesFolder' | 'folderId' | 'report'> {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly serverUrl: () => string
  /**
   * Fetches a turn's content. Undefined when the turn is over; rejects when the server cannot be
   * reached.
   */
  readonly fetchCredential: StepMachine['credential']
  readonly fetchTurn: (launchId: string, turnId: string) => Promise<TurnOrder | undefined>
}

export class AcpAgents {
  readonly #options: AcpAgentsOptions
  readonly #agents = new Map<string, AcpAgent>()
  readonly git: Git
  readonly #occupancy = new Occupancy()
  readonly #fileStates: FileStates
  readonly #fetching = new Set<string>()
  #readsOutput = true
  /** Loaded on first use. */
  #module: typeof import('./acp-agent.ts') | undefined

  constructor(options: AcpAgentsOptions) {
    this.#options = options
    this.git = new Git({ ...options, folder: join(options.worktreesFolder, '.states') })
    this.#fileStates = new FileStates(this.git)
  }

  async add(
    particulars: LaunchParticulars,
    acp: AcpParticulars,
    stop: () => void,
  ): Promise<AcpAgent> {
    // The ACP library is large, and machines whose agents pull do not need it.
    this.#module ??= await import('./acp-agent.ts')
    const serverUrl = this.#options.serverUrl()
    const shared = { git: this.git, fileStates: this.#fileStates, occupancy: this.#occupancy }
    const agent = new this.#module.AcpAgent({
      ...this.#options,
      ...shared,
      particulars,
      acp,
      serverUrl,
      stop,
    })
    agent.readOutput(this.#readsOutput)
    this.#agents.set(particulars.launchId, agent)
    return agent
  }

  /** Returns the folder of a session, else the project's. Rejects with CannotStart. */
  async folderFor(particulars: LaunchParticulars, signal: AbortSignal): Promise<string | null> {
    const { launchId, workspace, folder } = particulars
    if (!workspace) return folder
    const { report } = this.#options
    const onOutput = (text: string) => report({ type: 'process-output', launchId, text })
    const shared = { git: this.git, fileStates: this.#fileStates, occupancy: this.#occupancy }
    const wanted = { particulars, workspace, signal, onOutput, onSetUp: () => {} }
    const made = prepareWorkspace({ ...this.#options, ...shared, ...wanted })
    return (await made.catch((error) => Promise.reject(new CannotStart(detailOf(error))))).folder
  }

  remove(launchId: string): void {
    this.#agents.delete(launchId)
    this.#occupancy.leave(launchId)
  }

  /** Frees the workspace of a launch when all that its process started has ended. */
  leaveAfter(launchId: string, gone: Promise<unknown>): void {
    this.#occupancy.leaveAfter(launchId, gone)
  }

  of({ launchId }: { readonly launchId: string }): AcpAgent | undefined {
    return this.#agents.get(launchId)
  }

  /** Catches up after a reconnect: known turns go on, unknown ones are fetched and run. */
  synchronize(turns: readonly RunningTurn[], permissions: readonly SettledPermission[]): void {
    for (const settled of permissions) this.of(settled)?.settle(settled)
    for (const { launchId, turnId, cancelOrdered } of turns) {
      const agent = this.#agents.get(launchId)
      if (cancelOrdered) agent?.cancel(turnId)
      else if (agent && !agent.hasOrder(turnId)) void this.#fetch(agent, launchId, turnId)
    }
  }

  async answer(ask: CoordinatorRequest): Promise<CoordinatorAnswer> {
    const { worktreesFolder, clock } = this.#options
    // SB6: what an agent has committed in its sandbox is seen outside.
    for (const agent of this.#agents.values())
      if ('top' in ask && agent.sandbox.isAt(ask.top)) await agent.sandbox.sync()
    const { git } = this
    const context = {
      git,
      occupancy: this.#occupancy,
      fileStates: this.#fileStates,
      worktreesFolder,
      clock,
      landing: {
        env: this.#options.env,
        dataFolder: dirname(worktreesFolder),
        credential: this.#options.fetchCredential,
      },
    }
    if (ask.kind !== 'files-restore') return answerRequest(context, ask)
    const thaws = await Promise.all(
      [...this.#agents.values()].map(({ sandbox }) => sandbox.freezeIn(ask.folder)),
    )
    return answerRequest(context, ask).finally(() => {
      for (const thaw of thaws) thaw()
    })
  }

  readOutput(yes: boolean): void {
    this.#readsOutput = yes
    for (const agent of this.#agents.values()) agent.readOutput(yes)
  }

  /** Retries until the server answers, because nobody else delivers the turn. */
  async #fetch(agent: AcpAgent, launchId: string, turnId: string): Promise<void> {
    if (this.#fetching.has(turnId)) return
    this.#fetching.add(turnId)
    const { clock, fetchTurn } = this.#options
    try {
      while (this.#agents.get(launchId) === agent && !agent.hasOrder(turnId)) {
        const order = await fetchTurn(launchId, turnId).catch(() => 'unavailable' as const)
        if (order !== 'unavailable') return order && agent.turn(order)
        await pause(clock, retryMs)
      }
    } finally {
      this.#fetching.delete(turnId)
    }
  }
}
