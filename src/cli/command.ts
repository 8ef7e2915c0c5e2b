/** Description of a command as data: words, options, examples and function. Parsing, --help and completion are built from it. */
import type { CommandContext } from './context.ts'

export interface Operand {
  /** `project` is shown as <project>, `[name]` may be left out, `[command...]` takes the rest. */
  readonly name: string
  readonly about: string
}

export interface CommandOption {
  /** As shown and typed: `--path <folder>`, `--yes`. */
  readonly flags: string
  readonly about: string
  /** May be given several times. */
  readonly many?: true
  readonly choices?: readonly string[]
  /** Offered by completion, but validated elsewhere. */
  readonly offers?: readonly string[]
  /** Kind of value that completion offers. */
  readonly value?: 'folder' | 'file'
}

export interface CommandSpec {
  readonly name: string
  readonly summary: string
  readonly operands?: readonly Operand[]
  readonly options?: readonly CommandOption[]
  /** Arguments to type, and what they do. */
  readonly examples: readonly (readonly [typed: string, does: string])[]
  /** Commands of a group, which does nothing itself; `isDefault` marks the one used when none is named. */
  readonly commands?: readonly CommandSpec[]
  readonly isDefault?: true
  /** Works without a server, so it takes no address and no credential. */
  readonly local?: true
  readonly run?: (context: CommandContext, given: Given) => Promise<void>
}

/** Operands and options given to a command. */
export class Given {
  readonly #operands: readonly (string | string[] | undefined)[]
  readonly #options: Readonly<Record<string, unknown>>

  constructor(operands: readonly (string | string[] | undefined)[], options: Readonly<Record<string, unknown>>) {
    this.#operands = operands
    this.#options = options
  }

  /** Returns a required operand; the parser has checked it. */
  operand(index: number): string {
    return String(this.#operands[index])
  }

  optionalOperand(index: number): string | undefined {
    const value = this.#operands[index]
    return typeof value === 'string' ? value : undefined
  }

  /** Returns all remaining operands, for `[command...]`. */
  rest(index: number): readonly string[] {
    const value = this.#operands[index]
    return Array.isArray(value) ? value : []
  }

  text(option: string): string | undefined {
    const value = this.#options[camelCase(option)]
    return typeof value === 'string' ? value : undefined
  }

  list(option: string): readonly string[] {
    const value = this.#options[camelCase(option)]
    return Array.isArray(value) ? value : []
  }

  flag(option: string): boolean {
    return this.#options[camelCase(option)] === true
  }

  /** Returns undefined when the option was not given. */
  raw(option: string): string | boolean | undefined {
    const value = this.#options[camelCase(option)]
    return typeof value === 'string' || typeof value === 'boolean' ? value : undefined
  }
}

/** Name of an option in the parser: `--max-processes` is `maxProcesses`. */
const camelCase = (option: string): string => option.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
