/**
 * An ACP agent as a real process, with our side of the conversation and everything that was
 * reported of it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { AcpConnection } from '../../src/coordinator/acp/connection.ts'
import type { AcpContext, TurnEnd } from '../../src/coordinator/acp/context.ts'
import type { Anomaly } from '../../src/coordinator/acp/failure.ts'
import type {
  AgentFacts,
  OpenedAcpSession,
  StartedAgent,
} from '../../src/coordinator/acp/open-acp-session.ts'
import type { PermissionAnswer } from '../../src/coordinator/acp/permissions.ts'
import { type Clock, systemClock } from '../../src/platform/time/clock.ts'
import type { AgentUpdate, PermissionRequest } from '../../src/protocol/turns/agent-update.ts'
import type { Question, QuestionAnswer } from '../../src/protocol/turns/question.ts'
import { main } from './built-product.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface AgentCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const demoAcp: AgentCommand = { file: process.execPath, args: [main, 'demo-acp'] }
/** A script of test/coordinator/acp, run by this very Node. */
export const scripted = (source: string): AgentCommand => ({
  file: process.execPath,
  args: ['-e', source],
})

export interface AcpAgentOptions {
  readonly command?: AgentCommand
  readonly folder?: string
  /** Where the demo agent keeps its talks. */
  readonly state?: string
  readonly clock?: Clock
  readonly answer?: (
    request: PermissionRequest,
    withdrawn: AbortSignal,
  ) => Promise<PermissionAnswer> | PermissionAnswer
  readonly answerQuestion?: (
    question: Question,
    withdrawn: AbortSignal,
  ) => Promise<QuestionAnswer> | QuestionAnswer
  readonly room?: () => Promise<void> | undefined
  readonly started?: StartedAgent
  /** Further folders for it. */
  readonly folders?: readonly string[]
}

export class AcpAgent {
  readonly child: ChildProcess
  readonly connection: AcpConnection
  readonly folder: string
  readonly state: string
  readonly updates: AgentUpdate[] = []
  readonly troubles: Anomaly[] = []
  readonly wholeErrors: string[] = []
  readonly questions: PermissionRequest[] = []
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  stderr = ''
  #heard: (() => void)[] = []
  readonly #options: AcpAgentOptions
  #context: AcpContext | undefined

  constructor(options: AcpAgentOptions = {}) {
    const { command = demoAcp, clock = systemClock, room } = options
    this.#options = options
    this.folder = options.folder ?? temporaryFolder()
    this.state = options.state ?? temporaryFolder()
    const env = { ...process.env, XDG_STATE_HOME: this.state, ...command.env }
    // A group of its own, so that nothing it starts outlives the test.
    const child = spawn(command.file, command.args, {
      cwd: this.folder,
      env,
      stdio: 'pipe',
      detached: true,
    })
    this.child = child
    onTestFinished(() => this.kill())
    child.stderr.on('data', (bytes: Buffer) => {
      this.stderr = (this.stderr + bytes.toString()).slice(-100_000)
    })
    this.exit = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
    this.connection = new AcpConnection({
      from: child.stdout,
      to: child.stdin,
      clock,
      version: '0.0.0',
      started: options.started,
      onWholeError: (text) => void this.wholeErrors.push(text),
      ...(room ? { waitForCapacity: room } : {}),
      onAnomaly: (trouble) => {
        this.troubles.push(trouble)
        this.#wake()
      },
    })
  }

  /** Greeted, and with a new ACP session. */
  async ready(): Promise<{ facts: AgentFacts; opened: OpenedAcpSession }> {
    const facts = await this.connection.initialize()
    return { facts, opened: await this.open() }
  }

  /** Opens another context, which gets the prompts from then on. */
  async open(): Promise<OpenedAcpSession> {
    return this.#hold(await this.connection.open(this.#place, this.#handlers))
  }

  async reopen(acpSessionId: string, forks = false): Promise<OpenedAcpSession> {
    return this.#hold(
      await this.connection.reopen(this.#place, { acpSessionId, forks }, this.#handlers),
    )
  }

  get context(): AcpContext {
    if (!this.#context) throw new Error('No context was opened')
    return this.#context
  }

  say(text: string): Promise<TurnEnd> {
    return this.context.prompt([{ type: 'text', text }])
  }

  get #place() {
    return { folder: this.folder, folders: this.#options.folders ?? [], toolServers: [] }
  }

  #hold({ context, opened }: { context: AcpContext; opened: OpenedAcpSession }): OpenedAcpSession {
    this.#context = context
    return opened
  }

  readonly #handlers = {
    onUpdate: (update: AgentUpdate) => {
      this.updates.push(update)
      this.#wake()
    },
    onPermission: async (
      request: PermissionRequest,
      withdrawn: AbortSignal,
    ): Promise<PermissionAnswer> => {
      this.questions.push(request)
      this.#wake()
      return this.#options.answer?.(request, withdrawn) ?? { choose: 'allow' }
    },
    onQuestion: async (question: Question, withdrawn: AbortSignal): Promise<QuestionAnswer> =>
      this.#options.answerQuestion?.(question, withdrawn) ?? { action: 'decline', content: null },
  }

  /** Everything that was said so far. */
  get text(): string {
    return this.updates.map((update) => (update.kind === 'text' ? update.text : '')).join('')
  }

  /** Resolves when this holds; looked at again whenever something is heard. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#heard.push(resolve))
  }

  kill(): void {
    this.connection.close()
    try {
      if (this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGKILL')
    } catch {
      // The process has ended.
    }
  }

  #wake(): void {
    for (const wake of this.#heard.splice(0)) wake()
  }
}
