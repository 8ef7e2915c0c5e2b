/**
 * Context of a command: what was typed, configuration, server connection, and output for people and
 * programs.
 */
import { createInterface } from 'node:readline/promises'
import { type Client, createClient } from '../client/client.ts'
import type { Instant } from '../domain/instant.ts'
import {
  type CheckedConfig,
  type ConfigFlags,
  checkConfig,
  type LoadedConfig,
  loadConfig,
} from '../platform/config/config.ts'
import { visible } from '../platform/log/visible.ts'
import { systemClock } from '../platform/time/clock.ts'
import { type NamedCommand, readOptions, type Typed } from './command.ts'
import { type Connection, findConnection } from './connect.ts'
import { CommandFailure, declined, usage } from './failure.ts'
import { ofOlderServer } from './older-server.ts'
import { type SharedOptions, sharedOptions } from './options-everywhere.ts'
import { asTyped } from './program-name.ts'
import { noProgress, type Progress, startProgress } from './progress.ts'
import { type Column, fields, table } from './table.ts'
import { isInteractive, type Paint, painter, type Terminal, widthOf } from './terminal.ts'
import { exact, relative } from './times.ts'

// Asks once before something irreversible, only where somebody can answer (CL2).

/** Resolves when confirmed; throws otherwise. `loss` names what will be lost. */
async function confirm(terminal: Terminal, question: string, loss: string): Promise<void> {
  if (!isInteractive(terminal))
    throw usage(
      `${question} ${loss} Nobody is here to answer.`,
      'Add --yes to do it without being asked.',
    )
  const paint = painter(terminal.stderr, terminal.env)
  const lines = createInterface({
    input: terminal.stdin,
    output: terminal.stderr as NodeJS.WritableStream,
  })
  try {
    let answered = false
    let exit: 'failed' | 'interrupted' = 'failed'
    lines.once('SIGINT', () => {
      exit = 'interrupted'
      lines.close()
    })
    const stopped = new Promise<string>((resolve) => {
      lines.once('close', () => {
        // Ends the line of a question left without Enter.
        if (!answered) terminal.stderr.write('\n')
        resolve('')
      })
    })
    const answer = await Promise.race([
      lines.question(`${paint('bold', question)} ${loss} ${paint('dim', '[y/N]')} `),
      stopped,
    ])
    answered = true
    if (!/^y(es)?$/i.test(answer.trim()))
      throw new CommandFailure(
        exit,
        'Nothing was changed.',
        'Answer y to go on, or add --yes.',
        declined,
      )
  } finally {
    lines.close()
  }
}

/** More than a person reads; `--limit` asks for more. */
const defaultLimit = 200
const largestLimit = 100_000

interface ContextOptions {
  readonly terminal: Terminal
  readonly options: Readonly<Record<string, Typed>>
  readonly allCommands: () => Promise<NamedCommand[]>
  /** Shows progress while the command waits for a server; false for the server itself. */
  readonly progress: boolean
}

interface List<Item, Row> {
  /** Said where there is nothing; commands in it are adapted to how this program was called. */
  readonly empty: string
  readonly columns: readonly Column<Row>[]
  /** Leaves out the others. */
  readonly where?: (item: Item) => boolean
  readonly order?: (a: Item, b: Item) => number
  /** Rows of the table, where they are not the items. */
  readonly rows?: (items: readonly Item[]) => readonly Row[]
  /** A line below the table. */
  readonly below?: (items: readonly Item[]) => string
  /** Called with the printed items, for notes beside the table. */
  readonly beside?: (items: readonly Item[]) => void
}

export class CommandContext {
  /** Options that many commands have, whichever of them this one has. */
  readonly shared: SharedOptions
  readonly terminal: Terminal
  readonly paint: Paint
  /** Client of the server, which is looked for at the first request. */
  readonly client: Client = lazyClient(async () => createClient(await this.connection()))
  readonly allCommands: () => Promise<NamedCommand[]>
  readonly #progress: Progress
  #connection: Promise<Connection> | undefined

  constructor({ terminal, options, allCommands, progress }: ContextOptions) {
    this.shared = readOptions(sharedOptions, options)
    this.terminal = terminal
    this.allCommands = allCommands
    this.paint = painter(terminal.stdout, terminal.env)
    this.#progress = progress ? startProgress(terminal, 'Waiting for an answer') : noProgress
  }

  get json(): boolean {
    return this.shared.json
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
    const { data, config } = this.shared
    const flags: ConfigFlags = { data, config }
    return { flags, env: this.terminal.env, cwd: this.terminal.cwd }
  }

  connection(): Promise<Connection> {
    const { server, tokenFile } = this.shared
    this.#connection ??= findConnection(this.terminal, this.config(), { server, tokenFile })
    return this.#connection
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

  /**
   * Adapts commands in our own hints to how this program was called; never used for text of others.
   */
  hint(words: string): string {
    return asTyped(words, this.terminal.env)
  }

  note(words: string): void {
    this.#progress.pause()
    this.terminal.stderr.write(
      `${painter(this.terminal.stderr, this.terminal.env)('dim', words)}\n`,
    )
    this.#progress.resume()
  }

  /**
   * Calls back when the reader of the output closes it (`| head`). Returns a function that stops
   * listening.
   */
  onUnread(callback: () => void): () => void {
    const { stdout } = this.terminal
    stdout.on?.('error', callback)
    return () => stdout.off?.('error', callback)
  }

  async confirm(question: string, loss: string): Promise<void> {
    if (this.shared.yes) return
    this.#progress.pause()
    await confirm(this.terminal, question, loss)
    this.#progress.resume()
  }

  /** Prints at most `--limit` items, and says when there are more. */
  async printList<Item, Row = Item>(
    all: AsyncIterable<Item>,
    { where, order, rows, below, beside, ...list }: List<Item, Row>,
  ): Promise<void> {
    const { items, more } = await this.firstOf(all, where)
    const shown = order ? items.toSorted(order) : items
    this.answer({ items: shown, nextCursor: null }, () => {
      const text = this.table(rows ? rows(shown) : (shown as unknown as readonly Row[]), list)
      return below && items.length > 0 ? `${text}\n${below(items)}` : text
    })
    beside?.(items)
    if (more) this.noteMore()
  }

  /** Reads at most `--limit` items, and whether there are more. */
  async firstOf<Item>(
    all: AsyncIterable<Item>,
    where?: (item: Item) => boolean,
  ): Promise<{ items: Item[]; more: boolean }> {
    const limit = this.limitOr(defaultLimit)
    const items: Item[] = []
    for await (const item of all) {
      if (where && !where(item)) continue
      if (items.length === limit) return { items, more: true }
      items.push(item)
    }
    return { items, more: false }
  }

  noteMore(): void {
    if (!this.json) this.note('There are more; --limit N shows them.')
  }

  table<Row>(
    rows: readonly Row[],
    { empty, columns }: Pick<List<Row, Row>, 'empty' | 'columns'>,
  ): string {
    return rows.length === 0 ? this.hint(empty) : table(rows, columns, this.paint, this.width)
  }

  fields(pairs: readonly (readonly [name: string, value: string])[]): string {
    return fields(pairs, this.paint)
  }

  /** Formats one thing: its title, its fields, and lines below. */
  details(
    title: string,
    pairs: readonly (readonly [name: string, value: string])[],
    ...lines: readonly string[]
  ): string {
    return [this.paint('bold', visible(title)), this.fields(pairs), ...lines].join('\n')
  }

  /** `3 min ago`, `in 2 d`. */
  ago(at: Instant): string {
    return relative(at, systemClock.now())
  }

  /** The time and how long ago that is; – where there is none. */
  time(at: Instant | null): string {
    return at === null ? '–' : exact(at, systemClock.now())
  }

  limitOr(otherwise: number): number {
    const typed = this.shared.limit
    if (typed === undefined) return otherwise
    const limit = Number(typed)
    if (Number.isInteger(limit) && limit >= 1 && limit <= largestLimit) return limit
    throw usage(
      `--limit must be a whole number from 1 to ${largestLimit}.`,
      `Leave it out to see ${otherwise}.`,
    )
  }

  end(): void {
    this.#progress.end()
  }
}

/** A client that looks for its server at the first request; its address is known after that. */
function lazyClient(connect: () => Promise<Client>): Client {
  let found: Client | undefined
  const connected = async (): Promise<Client> => (found ??= await connect())
  const later = {
    get url() {
      return found?.url ?? ''
    },
    async *pages(...request: Parameters<Client['pages']>) {
      yield* (await connected()).pages(...request)
    },
  }
  const call =
    (name: keyof Client) =>
    async (...request: [never, never]) =>
      ((await connected())[name] as Client['open'])(...request)
  return new Proxy(later, {
    get: (own, name) => Reflect.get(own, name) ?? call(name as keyof Client),
  }) as unknown as Client
}
