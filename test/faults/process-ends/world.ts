/**
 * A coordinator of a build as a process of its own, with a stand-in for its server: what is started
 * through it, what is left of it, and the bystanders that nothing may happen to.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  folderIdOf,
  folderVariable,
  launchVariable,
} from '../../../src/platform/processes/launch-mark.ts'
import type { LiveProcess } from '../../../src/platform/processes/processes.ts'
import { script } from '../../support/launch-particulars.ts'
import { LinkServer } from '../../support/link-server.ts'
import { machine, runScript, type Started } from '../../support/script-process.ts'
import { pieceOf } from '../build.ts'

const lookEveryMs = 50
const otherHoldfast = 'another Holdfast'

export class World {
  readonly server = new LinkServer()
  readonly data: string
  readonly folderId: string
  readonly #build: string
  #coordinator: ChildProcess | undefined

  private constructor(build: string, data: string, folderId: string) {
    this.#build = build
    this.data = data
    this.folderId = folderId
  }

  static async open(build: string): Promise<World> {
    const data = await mkdtemp(join(tmpdir(), 'holdfast-process-ends-'))
    const world = new World(build, data, await folderIdOf(data))
    await world.server.start()
    return world
  }

  /** Resolves when it has greeted. */
  async startCoordinator(): Promise<void> {
    const { url, token, hellos } = this.server
    const before = hellos.length
    const program = await pieceOf(this.#build, 'coordinator')
    const args = [
      program,
      'coordinator',
      '--server',
      url,
      '--data',
      this.data,
      '--log-level',
      'warn',
    ]
    const env = { ...process.env, HOLDFAST_TOKEN: token }
    const child = spawn(process.execPath, args, {
      env,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    this.#coordinator = child
    const ended = once(child, 'exit').then(([code]) =>
      Promise.reject(new Error(`The coordinator ended with ${code} at its start`)),
    )
    ended.catch(() => {})
    await Promise.race([this.server.until(() => hellos.length > before), ended])
  }

  signalCoordinator(...signals: readonly NodeJS.Signals[]): void {
    for (const signal of signals) this.#coordinator?.kill(signal)
  }

  async coordinatorEnds(): Promise<void> {
    const child = this.#coordinator
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }

  /** Resolves when it runs and has said so. */
  async launch(family: string): Promise<{ launchId: string; pid: number }> {
    const { server } = this
    const launchId = server.order(script(family))
    await server.until(() =>
      server
        .factsOf(launchId, 'process-output')
        .some((fact) => fact.type === 'process-output' && fact.text.includes('up\n')),
    )
    const [started] = server.factsOf(launchId, 'process-started')
    return { launchId, pid: started?.type === 'process-started' ? started.pid : 0 }
  }

  /** Everything on the machine that carries the mark of one of these launches. */
  async marked(launchIds: readonly string[]): Promise<LiveProcess[]> {
    const list = await machine.list()
    return list.filter(
      ({ mark }) => mark?.folderId === this.folderId && launchIds.includes(mark.launchId),
    )
  }

  /** Also those without a mark, as long as their parents live. */
  async familyOf(launchIds: readonly string[], roots: readonly number[]): Promise<LiveProcess[]> {
    const list = await machine.list()
    const family = new Set(roots)
    for (let before = -1; before < family.size; ) {
      before = family.size
      for (const { pid, parent, group } of list)
        if (family.has(parent) || roots.includes(group)) family.add(pid)
    }
    return list.filter(
      ({ pid, mark }) =>
        family.has(pid) || (mark?.folderId === this.folderId && launchIds.includes(mark.launchId)),
    )
  }

  /**
   * The same words, the mark in its arguments, and the mark of another Holdfast in its environment.
   */
  lookAlike(family: string, launchId: string): Promise<Started> {
    const args = [`${launchVariable}=${launchId}`, `${folderVariable}=${this.folderId}`]
    return runScript(family, { mark: { launchId, folderId: otherHoldfast }, args })
  }

  /** Also what they have started, wherever it has gone. */
  async endBystanders(bystanders: readonly Started[], launchIds: readonly string[]): Promise<void> {
    for (const each of bystanders) {
      each.kill()
      quietly(() => process.kill(-each.pid, 'SIGKILL'))
    }
    for (const { pid, mark } of await machine.list()) {
      if (mark?.folderId === otherHoldfast && launchIds.includes(mark.launchId))
        quietly(() => process.kill(pid, 'SIGKILL'))
    }
  }

  /**
   * Waits until none of these live and nothing carries the mark; gives what is left when the time
   * is over.
   */
  async left(
    launchIds: readonly string[],
    family: readonly LiveProcess[],
    withinMs: number,
  ): Promise<number[]> {
    const until = performance.now() + withinMs
    for (;;) {
      const still = family
        .filter(({ pid, birth }) => machine.birthOf(pid) === birth)
        .map(({ pid }) => pid)
      const left = [...new Set([...still, ...(await this.marked(launchIds)).map(({ pid }) => pid)])]
      if (left.length === 0 || performance.now() > until) return left
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    }
  }

  async close(): Promise<void> {
    this.signalCoordinator('SIGTERM', 'SIGINT')
    await this.coordinatorEnds()
    const list = await machine.list()
    // A build that is broken on purpose.
    for (const { pid, mark } of list)
      if (mark?.folderId === this.folderId) quietly(() => process.kill(pid, 'SIGKILL'))
    await this.server.vanish()
    await rm(this.data, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** What has gone meanwhile needs no signal. */
function quietly(act: () => void): void {
  try {
    act()
  } catch {}
}
