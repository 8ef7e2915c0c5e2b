/** Context of a command: terminal, configuration, server connection, and output for people and programs. */
import { type Client, createClient } from '../client/client.ts'
import { type CheckedConfig, type ConfigFlags, checkConfig, type LoadedConfig, loadConfig } from '../platform/config/config.ts'
import type { Page } from '../protocol/page.ts'
import type { CommandSpec, Given } from './command.ts'
import { confirm } from './confirm.ts'
import { type Connection, findConnection } from './connect.ts'
import { usage } from './failure.ts'
import { ofOlderServer } from './older-server.ts'
import { asTyped } from './program-name.ts'
import { noProgress, type Progress, startProgress } from './progress.ts'
import { type Paint, painter, type Terminal, widthOf } from './terminal.ts'

/** More than a person reads; `--limit` asks for more. */
const defaultLimit = 200
const largestLimit = 100_000

interface ContextOptions {
  readonly terminal: Terminal
  readonly given: Given
  readonly allCommands: () => Promise<CommandSpec[]>
  /** Shows progress while the command waits for a server; false for the server itself. */
  readonly progress: boolean
}

export class CommandContext {
  readonly terminal: Terminal
  readonly paint: Paint
  /** Loads the whole command tree. */
  readonly allCommands: () => Promise<CommandSpec[]>
  readonly #given: Given
  readonly #progress: Progress
  #connection: Promise<Connection> | undefined

  constructor({ terminal, given, allCommands, progress }: ContextOptions) {
    this.terminal = terminal
    this.allCommands = allCommands
    this.paint = painter(terminal.stdout, terminal.env)
    this.#given = given
    this.#progress = progress ? startProgress(terminal, 'Waiting for an answer') : noProgress
  }

  get json(): boolean {
    return this.#given.flag('json')
  }

  get width(): number | undefined {
    return widthOf(this.terminal.stdout)
  }

  config(): LoadedConfig {
    return loadConfig(this.#configSources())
  }

  checkedConfig(): CheckedConfig {
    return checkConfig(this.#configSources())
  }

  #configSources(): { flags: ConfigFlags; env: Terminal['env']; cwd: string } {
    const flags: ConfigFlags = { data: this.#given.text('data'), config: this.#given.text('config') }
    return { flags, env: this.terminal.env, cwd: this.terminal.cwd }
  }

  connection(): Promise<Connection> {
    this.#connection ??= findConnection(this.terminal, this.config(), {
      server: this.#given.text('server'),
      tokenFile: this.#given.text('token-file'),
    })
    return this.#connection
  }

  async client(): Promise<Client> {
    return createClient(await this.connection())
  }

  /** Reports a failure, naming an older server where that is the cause. */
  async failWith(error: unknown): Promise<never> {
    const connection = await this.#connection?.catch(() => undefined)
    throw (connection && (await ofOlderServer(error, connection))) ?? error
  }

  /** Prints the answer of a command: JSON for programs, text for people. */
  answer(data: unknown, words: () => string): void {
    this.terminal.stdout.write(this.json ? `${JSON.stringify(data, null, 2)}\n` : `${words()}\n`)
  }

  /** Prints what was done, above an answer; programs only get the answer. */
  done(words: string): void {
    if (!this.json) this.terminal.stdout.write(this.#tick(words))
  }

  /** Prints what was done, where there is no other answer. */
  finished(data: unknown, words: string): void {
    this.terminal.stdout.write(this.json ? `${JSON.stringify(data, null, 2)}\n` : this.#tick(words))
  }

  #tick(words: string): string {
    return `${this.paint('green', '✓')} ${words}\n`
  }

  /** Adapts commands in our own hints to how this program was called; never used for text of others. */
  hint(words: string): string {
    return asTyped(words, this.terminal.env)
  }

  /** Prints a note beside the answer. */
  note(words: string): void {
    this.#progress.pause()
    this.terminal.stderr.write(`${painter(this.terminal.stderr, this.terminal.env)('dim', words)}\n`)
    this.#progress.resume()
  }

  /**
   * Calls back when the reader of the output closes it (`| head`), for commands without an end. Returns a function that stops
   * listening.
   */
  onUnread(callback: () => void): () => void {
    const { stdout } = this.terminal
    stdout.on?.('error', callback)
    return () => stdout.off?.('error', callback)
  }

  async confirm(question: string, loss: string): Promise<void> {
    if (this.#given.flag('yes')) return
    this.#progress.pause()
    await confirm(this.terminal, question, loss)
    this.#progress.resume()
  }

  /** Reads at most `--limit` items of a list, and whether there are more. */
  async list<Item>(items: AsyncGenerator<Item, void, undefined>): Promise<Page<Item> & { more: boolean }> {
    const limit = this.limitOr(defaultLimit)
    const found: Item[] = []
    for await (const item of items) {
      if (found.length === limit) return { items: found, nextCursor: null, more: true }
      found.push(item)
    }
    return { items: found, nextCursor: null, more: false }
  }

  limitOr(otherwise: number): number {
    const typed = this.#given.text('limit')
    if (typed === undefined) return otherwise
    const limit = Number(typed)
    if (Number.isInteger(limit) && limit >= 1 && limit <= largestLimit) return limit
    throw usage(`--limit must be a whole number from 1 to ${largestLimit}.`, `Leave it out to see ${otherwise}.`)
  }

  end(): void {
    this.#progress.end()
  }
}
