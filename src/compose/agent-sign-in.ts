/**
 * Signs an ACP agent of this machine in or out (AC9), outside of any launch: the agent is started, asked what it offers, and ended.
 * A way that needs a terminal runs in the person's own.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { AcpConnection } from '../coordinator/acp/connection.ts'
import type { SignInWay } from '../coordinator/acp/sign-in.ts'
import { commandLine } from '../coordinator/acp/sign-in.ts'
import { findPackageRoot } from '../platform/files/package-root.ts'
import { programOf } from '../platform/processes/program-of.ts'
import { thisProgram } from '../platform/processes/this-program.ts'
import { systemClock } from '../platform/time/clock.ts'

/** A person who signs in elsewhere, such as in a browser, has this long. */
const personMs = 10 * 60_000
/** An agent whose input has ended has this long to go. */
const goneMs = 2000

interface Started {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

export class AgentSignIn {
  readonly #started: Started
  readonly #connection: AcpConnection
  readonly #exited: Promise<unknown>
  readonly #kill: () => void
  ways: readonly SignInWay[] = []
  canSignOut = false

  constructor(started: Started) {
    this.#started = started
    const [file, args] = programOf(started.command, started.args, thisProgram())
    const child = spawn(file, args, { env: started.env, stdio: ['pipe', 'pipe', 'ignore'] })
    this.#exited = once(child, 'exit')
    this.#exited.catch(() => {})
    this.#kill = () => void child.kill('SIGKILL')
    const { version } = findPackageRoot()
    this.#connection = new AcpConnection({
      to: child.stdin,
      from: child.stdout,
      clock: systemClock,
      version,
      onAnomaly: () => {},
    })
  }

  async open(): Promise<void> {
    const failed = this.#exited.then((): never => {
      throw new Error('It exited at once.')
    })
    const { signInWays, abilities } = await Promise.race([this.#connection.initialize(), failed])
    this.ways = signInWays
    this.canSignOut = abilities.logout
  }

  /** Resolves with whether it worked. */
  async signIn({ id, terminal }: SignInWay, onTerminal: (line: string) => void): Promise<boolean> {
    if (!terminal) return this.#connection.authenticate(id, personMs).then(() => true)
    await this.close()
    onTerminal(commandLine(terminal, this.#started))
    const [own, ownArgs] = programOf(this.#started.command, this.#started.args, thisProgram())
    const [file, args] = terminal.command === null ? [own, ownArgs] : [terminal.command, []]
    const env = { ...this.#started.env, ...terminal.env }
    const [code] = await once(spawn(file, [...args, ...terminal.args], { env, stdio: 'inherit' }), 'exit')
    return code === 0
  }

  signOut = (): Promise<unknown> => this.#connection.logout()

  async close(): Promise<void> {
    this.#connection.close()
    const late = setTimeout(this.#kill, goneMs)
    await this.#exited.catch(() => {})
    clearTimeout(late)
  }
}
