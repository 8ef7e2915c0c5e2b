/**
 * A server and a coordinator of a build as processes, a small repository of a person, and the demo
 * agent in a chat that works in it. Either process can be killed and started again; what is stored
 * and what is on disk is read without asking them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Client, createClient } from '../../../src/client/client.ts'
import { webKey } from '../../../src/domain/conversations/key.ts'
import { folderIdOf } from '../../../src/platform/processes/launch-mark.ts'
import { atTheEnd } from '../../support/at-the-end.ts'
import { machine } from '../../support/script-process.ts'
import { pieceOf } from '../build.ts'
import { eventually } from '../eventually.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { GitShim } from './git-shim.ts'
import { PersonsRepository } from './repository.ts'

export const agentId = 'talker'

export interface StoredTurn {
  readonly id: string
  readonly state: string
  readonly before: string | null
  readonly after: string | null
  readonly rewound: boolean
  /** The number of what was said. */
  readonly said: string | undefined
}

export interface StoredOperation {
  readonly id: string
  readonly kind: 'rewind' | 'undo' | 'fork'
  readonly state: 'asked' | 'done' | 'refused'
  /** The conversation that a fork makes. */
  readonly forkKey: string
  readonly result: {
    readonly outcome?: string
    readonly token?: string
    readonly before?: { tree: string }
    readonly folder?: string
  }
}

export class Scene {
  readonly shim: GitShim
  readonly #build: string
  readonly #folder: string
  #server: ServerProcess | undefined
  #coordinator: ChildProcess | undefined
  #port = 0
  #database: DatabaseSync | undefined
  client: Client = createClient({ url: 'http://127.0.0.1:9', token: '' })
  projectId = ''
  repository: PersonsRepository = new PersonsRepository('', '')

  private constructor(build: string, folder: string) {
    this.#build = build
    this.#folder = folder
    this.shim = new GitShim(folder)
  }

  /** `agent`: how it is started, when it is not the demo agent. */
  static async open(build: string, agent?: (scene: Scene) => object): Promise<Scene> {
    const scene = new Scene(
      build,
      realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-file-kills-'))),
    )
    await scene.startServer()
    const { token } = await scene.client.post('/api/tokens', {
      body: { name: 'machine', kind: 'coordinator' },
    })
    writeFileSync(join(scene.#folder, 'token'), `${token}\n`, { mode: 0o600 })
    await scene.startCoordinator()
    const entry = {
      id: agentId,
      name: 'Talker',
      protocol: 'acp' as const,
      command: 'holdfast',
      args: ['demo-acp'],
    }
    await scene.client.post('/api/agents', { body: { ...entry, ...agent?.(scene) } })
    return scene
  }

  get key(): string {
    return webKey(this.projectId, agentId)
  }

  get data(): string {
    return join(this.#folder, 'data')
  }

  get pids(): { readonly server: number; readonly coordinator: number } {
    return { server: this.#server?.child.pid ?? 0, coordinator: this.#coordinator?.pid ?? 0 }
  }

  get #env(): Record<string, string> {
    const { PATH: path = '', TMPDIR: temporary = tmpdir() } = process.env
    const home = join(this.#folder, 'home')
    return { PATH: `${this.shim.bin}:${path}`, HOME: home, XDG_STATE_HOME: home, TMPDIR: temporary }
  }

  async startServer(): Promise<void> {
    this.#server = await startServer(this.#build, this.data, this.#port, this.#env)
    const { url, token } = await this.#server.ready
    this.#port = Number(new URL(url).port)
    this.client = createClient({ url, token })
  }

  /** The coordinator connects on its own. */
  async startCoordinator(): Promise<void> {
    const args = [
      await pieceOf(this.#build, 'main'),
      'coordinator',
      '--data',
      this.data,
      '--log-level',
      'error',
    ]
    const child = spawn(process.execPath, [...args, '--token-file', join(this.#folder, 'token')], {
      env: this.#env,
      cwd: this.#folder,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const ended = atTheEnd(() => child.kill('SIGKILL'))
    child.once('exit', ended)
    this.#coordinator = child
  }

  /** Starts again what is no longer there. */
  async revive(): Promise<void> {
    if (isGone(this.#server?.child)) await this.startServer()
    if (isGone(this.#coordinator)) await this.startCoordinator()
  }

  /** Resolves when it is gone, also when it was killed otherwise. */
  async kill(who: 'server' | 'coordinator', byUs = true): Promise<void> {
    const child = who === 'server' ? this.#server?.child : this.#coordinator
    if (!child || isGone(child)) return
    const exit = once(child, 'exit')
    if (byUs) child.kill('SIGKILL')
    await exit
  }

  /** A project of its own, with a repository in which the person has begun something. */
  async newProject(n: number): Promise<void> {
    this.repository = new PersonsRepository(
      join(this.#folder, `repository-${n}`),
      join(this.#folder, 'home'),
    )
    this.repository.make()
    const { id: projectId } = await this.client.post('/api/projects', {
      body: { name: `files ${n}`, path: this.repository.folder },
    })
    this.projectId = projectId
    const settings = { 'chat.workplace': 'checkout' as const }
    await this.client.patch('/api/projects/{projectId}', {
      params: { projectId },
      body: { settings },
    })
    await this.client.put('/api/projects/{projectId}/agents/{agentId}', {
      params: { projectId, agentId },
      body: {},
    })
  }

  turns(): StoredTurn[] {
    const sql = `select t.id, t.state, t.content, f.before_state, f.after_state, f.rewound_by from turns t
      left join turn_files f on f.turn_id = t.id where t.conversation_key = ? order by t.created_at, t.id`
    return this.#all(sql, this.key).map((row) => ({
      id: String(row['id']),
      state: String(row['state']),
      before: treeIn(row['before_state']),
      after: treeIn(row['after_state']),
      rewound: row['rewound_by'] !== null,
      said: /said (\d+)\./.exec(String(row['content']))?.[1],
    }))
  }

  operations(): StoredOperation[] {
    const sql =
      'select id, kind, state, ask, result from file_operations where conversation_key = ? order by asked_at, id'
    return this.#all(sql, this.key).map(
      ({ ask, result, ...row }) =>
        ({
          ...row,
          forkKey: JSON.parse(String(ask)).plan.forkKey ?? '',
          result: JSON.parse(String(result ?? '{}')) ?? {},
        }) as unknown as StoredOperation,
    )
  }

  /** What is said and was not taken back. */
  messages(key = this.key): string[] {
    const sql =
      'select content from messages where conversation_key = ? and rewound_by is null order by seq'
    return this.#all(sql, key).map(({ content }) => String(content))
  }

  /** No turn runs, no operation is open, and each turn that has a state before has one after. */
  isQuiet(): boolean {
    return (
      this.operations().every(({ state }) => state !== 'asked') &&
      this.turns().every(
        ({ state, before, after, rewound }) =>
          !['queued', 'running'].includes(state) && (before === null || after !== null || rewound),
      )
    )
  }

  untilQuiet(withinMs?: number): Promise<true> {
    return eventually(
      'an end of everything that was begun',
      async () => this.isQuiet() || undefined,
      withinMs,
    )
  }

  async close(): Promise<void> {
    this.#database?.close()
    await this.kill('server')
    await this.kill('coordinator')
    const folderId = await folderIdOf(this.data)
    for (const { pid, mark } of await machine.list())
      if (mark?.folderId === folderId) process.kill(pid, 'SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** The rows of a query with one parameter. */
  rows(sql: string): Record<string, unknown>[] {
    return this.#all(sql, this.key)
  }

  #all(sql: string, key: string): Record<string, unknown>[] {
    this.#database ??= new DatabaseSync(join(this.data, 'holdfast.db'), { readOnly: true })
    return this.#database.prepare(sql).all(key) as Record<string, unknown>[]
  }
}

const isGone = (child: ChildProcess | undefined): boolean =>
  !child || child.exitCode !== null || child.signalCode !== null

const treeIn = (text: unknown): string | null =>
  typeof text === 'string' ? (JSON.parse(text) as { tree: string }).tree : null
