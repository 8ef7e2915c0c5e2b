/** An ACP agent as a real process, with our side of the conversation and everything that was reported of it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { AcpConversation, type TurnEnd } from '../../src/coordinator/acp/conversation.ts'
import type { AgentFacts, Opened } from '../../src/coordinator/acp/opening.ts'
import type { PermissionAnswer } from '../../src/coordinator/acp/permissions.ts'
import type { Trouble } from '../../src/coordinator/acp/troubles.ts'
import { type Clock, systemClock } from '../../src/platform/clock.ts'
import type { AgentUpdate, PermissionRequest } from '../../src/protocol/agent-update.ts'
import { main } from './built-product.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface AgentCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const demoAcp: AgentCommand = { file: process.execPath, args: [main, 'demo-acp'] }
/** A script of test/coordinator/acp, run by this very Node. */
export const scripted = (source: string): AgentCommand => ({ file: process.execPath, args: ['-e', source] })

export interface AcpAgentOptions {
  readonly command?: AgentCommand
  readonly folder?: string
  /** Where the demo agent keeps its talks. */
  readonly state?: string
  readonly clock?: Clock
  readonly answer?: (request: PermissionRequest, withdrawn: AbortSignal) => Promise<PermissionAnswer> | PermissionAnswer
  readonly room?: () => Promise<void> | undefined
}

export class AcpAgent {
  readonly child: ChildProcess
  readonly conversation: AcpConversation
  readonly folder: string
  readonly state: string
  readonly updates: AgentUpdate[] = []
  readonly troubles: Trouble[] = []
  readonly questions: PermissionRequest[] = []
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  stderr = ''
  #heard: (() => void)[] = []

  constructor(options: AcpAgentOptions = {}) {
    const { command = demoAcp, clock = systemClock, answer, room } = options
    this.folder = options.folder ?? temporaryFolder()
    this.state = options.state ?? temporaryFolder()
    const env = { ...process.env, XDG_STATE_HOME: this.state, ...command.env }
    // A group of its own, so that nothing it starts outlives the test.
    const child = spawn(command.file, command.args, { cwd: this.folder, env, stdio: 'pipe', detached: true })
    this.child = child
    onTestFinished(() => this.kill())
    child.stderr.on('data', (bytes: Buffer) => {
      this.stderr = (this.stderr + bytes.toString()).slice(-100_000)
    })
    this.exit = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
    this.conversation = new AcpConversation({
      from: child.stdout,
      to: child.stdin,
      clock,
      version: '0.0.0',
      ...(room ? { room } : {}),
      onUpdate: (update) => {
        this.updates.push(update)
        this.#wake()
      },
      onTrouble: (trouble) => {
        this.troubles.push(trouble)
        this.#wake()
      },
      onPermission: async (request, withdrawn) => {
        this.questions.push(request)
        this.#wake()
        return answer ? answer(request, withdrawn) : { choose: 'allow' }
      },
    })
  }

  /** Greeted, and with a new ACP session. */
  async ready(): Promise<{ facts: AgentFacts; opened: Opened }> {
    const facts = await this.conversation.initialize()
    return { facts, opened: await this.conversation.open({ folder: this.folder, toolServers: [] }) }
  }

  say(text: string): Promise<TurnEnd> {
    return this.conversation.prompt([{ type: 'text', text }])
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
    this.conversation.close()
    try {
      if (this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGKILL')
    } catch {
      // It has gone.
    }
  }

  #wake(): void {
    for (const wake of this.#heard.splice(0)) wake()
  }
}
