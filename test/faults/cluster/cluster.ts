/**
 * A cluster of the real product on one machine: nodes on one PostgreSQL behind a balancer, and
 * coordinators that know only the balancer's address. Each has a data folder of its own. Everything
 * can be killed, stopped, continued, drained and started again on its port.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../../../src/client/client.ts'
import { folderIdOf } from '../../../src/platform/processes/launch-mark.ts'
import { type Balancer, startBalancer } from '../../support/balancer.ts'
import { machine } from '../../support/script-process.ts'
import { pieceOf } from '../build.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

export interface ClusterOptions {
  readonly build: string
  readonly url: string
  readonly nodes: number
  readonly coordinators: number
  readonly env?: Readonly<Record<string, string>>
  /** What a node is given instead, to stand something between it and its database. */
  readonly urlOf?: (node: number) => string
}

export const token = 'a-token-that-all-nodes-share-0123456789'

interface Node {
  readonly data: string
  build: string
  port: number
  process: ServerProcess
}

interface Coordinator {
  readonly id: string
  readonly data: string
  readonly tokenFile: string
  child: ChildProcess
}

export class Cluster {
  readonly balancer: Balancer
  readonly client: Client
  readonly coordinators: Coordinator[] = []
  readonly #options: ClusterOptions
  readonly #folder: string
  readonly #nodes: Node[] = []

  private constructor(options: ClusterOptions, balancer: Balancer, folder: string) {
    this.#options = options
    this.balancer = balancer
    this.#folder = folder
    this.client = createClient({ url: balancer.url, token })
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-cluster-'))
    const cluster = new Cluster(options, await startBalancer(), folder)
    try {
      for (let node = 0; node < options.nodes; node++) {
        const data = join(folder, `node-${node}`)
        cluster.#nodes.push({
          data,
          build: options.build,
          port: 0,
          process: await cluster.#startNode(node, options.build, data, 0),
        })
      }
      await Promise.all(cluster.#nodes.map((_, node) => cluster.#isReady(node)))
      for (let n = 0; n < options.coordinators; n++) await cluster.#join(n)
      return cluster
    } catch (error) {
      await cluster.end()
      throw error
    }
  }

  get size(): number {
    return this.#nodes.length
  }

  portOf(node: number): number {
    return this.#nodes[node]?.port ?? 0
  }

  /** A client of this node alone. */
  clientOf(node: number): Client {
    return createClient({ url: `http://127.0.0.1:${this.portOf(node)}`, token })
  }

  signal(node: number, signal: NodeJS.Signals): void {
    this.#nodes[node]?.process.child.kill(signal)
  }

  /** Exit code; null when it was killed. */
  async ended(node: number): Promise<number | null> {
    const found = this.#nodes[node]
    await found?.process.exited
    return found?.process.child.exitCode ?? null
  }

  /** Again, on the port it had; as another version, if one is named. */
  async restart(node: number, build?: string): Promise<void> {
    const found = this.#nodes[node]
    if (!found) return
    found.build = build ?? found.build
    found.process = await this.#startNode(node, found.build, found.data, found.port)
    await this.#isReady(node)
  }

  signalCoordinator(n: number, signal: NodeJS.Signals): void {
    this.coordinators[n]?.child.kill(signal)
  }

  /** As another version, if one is named. */
  async restartCoordinator(n: number, build = this.#options.build): Promise<void> {
    const found = this.coordinators[n]
    if (!found) return
    await gone(found.child)
    found.child = await this.#startCoordinator(build, found.data, found.tokenFile)
  }

  /** Launches whose processes run more than once, on whichever machine of the cluster. */
  async launchesRunningTwice(): Promise<string[]> {
    const folderIds = await Promise.all(this.coordinators.map(({ data }) => folderIdOf(data)))
    const all = (await machine.list()).filter(
      ({ mark }) => mark && folderIds.includes(mark.folderId),
    )
    const launchOf = new Map(all.map(({ pid, mark }) => [pid, mark?.launchId]))
    // What an agent itself has started carries its mark too.
    const first = all.filter(({ parent, mark }) => launchOf.get(parent) !== mark?.launchId)
    const counts = Map.groupBy(first, ({ mark }) => mark?.launchId ?? '')
    return [...counts].filter(([, processes]) => processes.length > 1).map(([launchId]) => launchId)
  }

  async end(): Promise<void> {
    // Two different signals are a first and a second one: its agents are killed, and it goes.
    for (const { child } of this.coordinators)
      for (const signal of ['SIGCONT', 'SIGTERM', 'SIGINT'] as const) child.kill(signal)
    await Promise.all(this.coordinators.map(({ child }) => gone(child)))
    for (const { process: node } of this.#nodes) {
      node.child.kill('SIGKILL')
      await node.exited
    }
    await this.balancer.close()
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  #startNode(node: number, build: string, data: string, port: number): Promise<ServerProcess> {
    const { url, urlOf, env } = this.#options
    const settings = {
      DATABASE_URL: urlOf?.(node) ?? url,
      HOLDFAST_TOKEN: token,
      HOLDFAST_PUBLIC_URL: this.balancer.url,
      ...env,
    }
    return startServer(build, data, port, settings)
  }

  async #isReady(node: number): Promise<void> {
    const found = this.#nodes[node]
    if (!found) return
    found.port = Number(new URL((await found.process.ready).url).port)
    this.balancer.use(this.#nodes.map(({ port }) => port).filter((port) => port > 0))
  }

  async #join(n: number): Promise<void> {
    const made = await this.client.post('/api/tokens', {
      body: { name: `machine ${n}`, kind: 'coordinator' },
    })
    const data = join(this.#folder, `coordinator-${n}`)
    const tokenFile = join(this.#folder, `token-${n}`)
    await writeFile(tokenFile, made.token, { mode: 0o600 })
    const child = await this.#startCoordinator(this.#options.build, data, tokenFile)
    this.coordinators.push({ id: made.id, data, tokenFile, child })
  }

  async #startCoordinator(build: string, data: string, tokenFile: string): Promise<ChildProcess> {
    const args = [
      'coordinator',
      '--server',
      this.balancer.url,
      '--token-file',
      tokenFile,
      '--data',
      data,
    ]
    const program = await pieceOf(build, 'main')
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const kill = (): void => void child.kill('SIGKILL')
    process.once('exit', kill)
    child.once('exit', () => process.off('exit', kill))
    return child
  }
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
