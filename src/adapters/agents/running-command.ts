/**
 * A command that runs for a person who watches: keeps the end of what it writes, reads the address
 * and the code out of it, passes on a line, and ends it with everything it has started.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { killGroup } from '../../platform/processes/signals.ts'

/** Characters of its output that are kept, the newest. */
const maxOutput = 16 * 1024

export class RunningCommand {
  readonly #child: ChildProcess
  #written = ''
  /** Why it could not be started. */
  problem: string | undefined
  /** The exit code; null where it was killed or never began. */
  readonly exited: Promise<number | null>

  constructor({
    file,
    args,
    env,
  }: {
    readonly file: string
    readonly args: readonly string[]
    readonly env: Readonly<Record<string, string | undefined>>
  }) {
    const child = spawn(file, args, {
      cwd: '/',
      env: { ...env, NO_COLOR: '1', TERM: 'dumb' },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => this.#keep(text))
    // The command may have gone when a line is passed on.
    child.stdin.on('error', () => {})
    this.exited = new Promise((resolve) => {
      child.once('close', (code) => resolve(code))
      child.once('error', (error) => {
        this.problem = error.message
        resolve(null)
      })
    })
  }

  get output(): string {
    return plain(this.#written)
  }

  /** What it asks a person to open: the newest address it has written, and the code beside it. */
  get visit(): { url: string; code: string | null } | null {
    const text = this.output
    const url = [...text.matchAll(/https:\/\/[^\s'"<>]+/g)].map(([each]) => each).findLast(isUrl)
    if (!url) return null
    const [code] = /\b[A-Z0-9]{4}-[A-Z0-9]{4,6}\b/.exec(text.replaceAll(url, ' ')) ?? []
    return { url, code: code ?? null }
  }

  write(text: string): void {
    this.#child.stdin?.write(`${text}\n`)
  }

  kill(): void {
    killGroup(this.#child)
  }

  #keep(text: string): void {
    this.#written = (this.#written + text).slice(-maxOutput)
  }
}

/** Without colours, and without what else a terminal would do. */
const plain = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll('\r\n', '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')

const isUrl = (text: string): boolean => URL.canParse(text)
