/**
 * A command as data: its words, its options, its examples, and what it does. --help, completion and parsing all come from this
 * one description.
 */
import type { CommandContext } from './context.ts'

export interface Operand {
  /** `project` is shown as <project>, `[name]` may be left out, `[command...]` takes the rest. */
  readonly name: string
  readonly about: string
}

export interface CommandOption {
  /** As it is shown and typed: `--path <folder>`, `--yes`. */
  readonly flags: string
  readonly about: string
  /** May be given several times. */
  readonly many?: true
  readonly choices?: readonly string[]
  /** Offered by completion, but checked elsewhere. */
  readonly offers?: readonly string[]
  /** What completion offers for its value. */
  readonly value?: 'folder' | 'file'
}

export interface CommandSpec {
  readonly name: string
  readonly summary: string
  readonly operands?: readonly Operand[]
  readonly options?: readonly CommandOption[]
  /** What to type behind the program's name, and what it does. */
  readonly examples: readonly (readonly [typed: string, does: string])[]
  /** A command with commands of its own does nothing itself; `isDefault` is the one that is meant when none is named. */
  readonly commands?: readonly CommandSpec[]
  readonly isDefault?: true
  /** Works without a server, so it takes no address and no credential. */
  readonly local?: true
  readonly run?: (context: CommandContext, given: Given) => Promise<void>
}

/** What was typed behind a command. */
export class Given {
  readonly #operands: readonly (string | string[] | undefined)[]
  readonly #options: Readonly<Record<string, unknown>>

  constructor(operands: readonly (string | string[] | undefined)[], options: Readonly<Record<string, unknown>>) {
    this.#operands = operands
    this.#options = options
  }

  /** One that must be there; the parser has seen to it. */
  operand(index: number): string {
    return String(this.#operands[index])
  }

  optionalOperand(index: number): string | undefined {
    const value = this.#operands[index]
    return typeof value === 'string' ? value : undefined
  }

  /** All the rest, as `[command...]` takes it. */
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

  /** Undefined when it was not typed at all. */
  raw(option: string): string | boolean | undefined {
    const value = this.#options[camelCase(option)]
    return typeof value === 'string' || typeof value === 'boolean' ? value : undefined
  }
}

/** How the parser keeps `--max-processes`. */
const camelCase = (option: string): string => option.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
