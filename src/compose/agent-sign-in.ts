/**
 * Signs ACP agents of this machine in and out (AC13), outside of any launch: an agent is started in
 * an empty folder, asked what it offers, and ended. One attempt for each agent; a later one ends an
 * earlier one.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AcpConnection, type Visit } from '../coordinator/acp/connection.ts'
import { failureOf } from '../coordinator/acp/failure.ts'
import type { AgentFacts } from '../coordinator/acp/open-acp-session.ts'
import { commandLine } from '../coordinator/acp/sign-in.ts'
import { inheritedFrom } from '../coordinator/agent-environment.ts'
import { Refusal } from '../domain/errors.ts'
import { textOf } from '../domain/notices.ts'
import { refusalText } from '../domain/refusal-texts.ts'
import { findPackageRoot } from '../platform/files/package-root.ts'
import { programOf } from '../platform/processes/program-of.ts'
import { thisProgram } from '../platform/processes/this-program.ts'
import { systemClock } from '../platform/time/clock.ts'
import type { AgentInspection, SignInAttempt } from '../protocol/agents/sign-in.ts'
import type { AgentStart, SignIns } from '../server/dependencies.ts'

/** A person who signs in elsewhere, such as in a browser, has this long. */
const personMs = 10 * 60_000
/** An agent whose input has ended has this long to go. */
const goneMs = 2000
/** Attempts that are remembered, each of another agent. */
const maxAttempts = 100

interface StartedAgent {
  readonly connection: AcpConnection
  readonly facts: AgentFacts
  readonly close: () => Promise<void>
}

export class AgentSignIns implements SignIns {
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #attempts = new Map<
    string,
    { attempt: SignInAttempt; readonly end: () => Promise<void> }
  >()

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env
  }

  async inspect(start: AgentStart, folder?: string): Promise<AgentInspection> {
    const { connection, facts, close } = await this.#start(start)
    const ways = facts.signInWays.map(({ id, name, description, terminal }) => ({
      id,
      name,
      description,
      command: terminal && commandLine(terminal, start),
    }))
    const acpSessions = facts.abilities.list
      ? await connection.listAcpSessions(folder).catch(() => null)
      : null
    await close()
    return { ways, signOut: facts.abilities.logout, acpSessions }
  }

  async signOut(start: AgentStart): Promise<void> {
    const { connection, facts, close } = await this.#start(start)
    const left = facts.abilities.logout
      ? connection.logout()
      : Promise.reject(new Refusal('wrong_state', refusalText('noSignOut')))
    await left.catch(refuse).finally(close)
  }

  attempt = (agentId: string): SignInAttempt | undefined => this.#attempts.get(agentId)?.attempt

  async signIn(agentId: string, start: AgentStart, method: string): Promise<SignInAttempt> {
    const update = (change: Partial<SignInAttempt>): void => {
      entry.attempt = { ...entry.attempt, ...change }
    }
    const { connection, facts, close } = await this.#start(start, (visit) => update({ visit }))
    const begunAt = new Date(systemClock.now()).toISOString()
    const attempt: SignInAttempt = { method, state: 'waiting', begunAt, visit: null, error: null }
    const entry = { attempt, end: close }
    const { terminal } = facts.signInWays.find(({ id }) => id === method) ?? { terminal: undefined }
    if (terminal !== null) {
      await close()
      if (!terminal)
        throw new Refusal('invalid_request', refusalText('noSignInWay', { id: method }))
      throw new Refusal(
        'wrong_state',
        refusalText('signInAtTerminal', { command: commandLine(terminal, start) }),
      )
    }
    await this.#attempts.get(agentId)?.end()
    if (this.#attempts.size >= maxAttempts)
      this.#attempts.delete(this.#attempts.keys().next().value ?? '')
    this.#attempts.set(agentId, entry)
    void connection
      .authenticate(method, personMs)
      .then(
        () => update({ state: 'signed_in', visit: null }),
        (error: unknown) =>
          update({ state: 'failed', visit: null, error: textOf(failureOf(error, method).detail) }),
      )
      .finally(close)
    return entry.attempt
  }

  async close(): Promise<void> {
    await Promise.all([...this.#attempts.values()].map(({ end }) => end()))
  }

  async #start(
    { command, args, env }: AgentStart,
    onVisit?: (visit: Visit) => void,
  ): Promise<StartedAgent> {
    const [file, words] = programOf(command, args, thisProgram())
    // What lies in a folder may change what an agent does at its start.
    const cwd = mkdtempSync(join(tmpdir(), 'holdfast-sign-in-'))
    const variables = { ...inheritedFrom(this.#env), ...env }
    const child = spawn(file, words, {
      cwd,
      env: variables,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    })
    const exited = once(child, 'exit').finally(() => rmSync(cwd, { recursive: true, force: true }))
    const failed = exited.then((): never => {
      throw new Error('it exited at once')
    })
    const { version } = findPackageRoot()
    const pipes = { to: child.stdin, from: child.stdout }
    const connection = new AcpConnection({
      ...pipes,
      clock: systemClock,
      version,
      onAnomaly: () => {},
      onVisit,
    })
    const close = async (): Promise<void> => {
      connection.close()
      const late = setTimeout(() => child.kill('SIGKILL'), goneMs)
      await exited.catch(() => {})
      clearTimeout(late)
      killGroup(child.pid)
    }
    try {
      return { connection, facts: await Promise.race([connection.initialize(), failed]), close }
    } catch (error) {
      await close()
      return refuse(error)
    } finally {
      failed.catch(() => {})
    }
  }
}

/** What an agent has started and left behind: all of it is in a group of its own. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing was left.
  }
}

function refuse(error: unknown): never {
  if (error instanceof Refusal) throw error
  throw new Refusal(
    'wrong_state',
    refusalText('notInspected', { why: error instanceof Error ? error.message : String(error) }),
  )
}
