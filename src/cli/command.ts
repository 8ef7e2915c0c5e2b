/** Description of a command as data: words, options, examples and function. Parsing, --help and completion are built from it. */
import type { CommandContext } from './context.ts'
import { usage } from './failure.ts'

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
  readonly summary: string
  readonly operands?: readonly Operand[]
  readonly options?: readonly CommandOption[]
  /** Arguments to type, and what they do. */
  readonly examples: readonly (readonly [typed: string, does: string])[]
  /** Commands of a group by name. The group does nothing itself: the first is used when none is named. */
  readonly commands?: Readonly<Record<string, CommandSpec>>
  /** Works without a server, so it takes no address and no credential. */
  readonly local?: true
  readonly run?: (context: CommandContext) => Promise<void>
}

/** A command: what it does, its function, what it takes in the order of the help, and examples. */
export const command = (
  summary: string,
  run: CommandSpec['run'],
  takes: readonly (Operand | CommandOption)[],
  ...examples: CommandSpec['examples']
): CommandSpec => ({
  summary,
  operands: takes.filter((each) => 'name' in each),
  options: takes.filter((each) => 'flags' in each),
  examples,
  ...(run && { run }),
})

export const localCommand = (...parts: Parameters<typeof command>): CommandSpec => ({ ...command(...parts), local: true })

export interface NamedCommand extends CommandSpec {
  readonly name: string
  /** Used when no command is named. */
  readonly isDefault: boolean
}

export const commandsIn = ({ commands = {} }: CommandSpec): NamedCommand[] =>
  Object.entries(commands).map(([name, spec], index) => ({ ...spec, name, isDefault: index === 0 }))

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

  /** Returns the values of an option that may be given several times; undefined when it was not. */
  values(option: string): string[] | undefined {
    const value = this.#options[camelCase(option)]
    return Array.isArray(value) ? value : undefined
  }

  /** Returns null for `--no-…`. */
  textOrNull(option: string): string | null | undefined {
    return this.raw(option) === false ? null : this.text(option)
  }

  flag(option: string): boolean {
    return this.#options[camelCase(option)] === true
  }

  /** Returns undefined when the option was not given. With `max` the number is from 1 to that. */
  wholeNumber(option: string, max?: number): number | undefined {
    const typed = this.text(option)
    if (typed === undefined) return undefined
    const value = Number(typed)
    if (/^-?\d{1,9}$/.test(typed) && (max === undefined || (value >= 1 && value <= max))) return value
    const range = max === undefined ? '' : ` from 1 to ${max}`
    throw usage(`--${option} must be a whole number${range}.`, `It was ${JSON.stringify(typed)}.`)
  }

  /** Returns undefined when the option was not given. */
  raw(option: string): string | boolean | undefined {
    const value = this.#options[camelCase(option)]
    return typeof value === 'string' || typeof value === 'boolean' ? value : undefined
  }
}

/** Name of an option in the parser: `--max-processes` is `maxProcesses`. */
const camelCase = (option: string): string => option.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Leaves out the fields that were not given. */
export const defined = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>

/** Parses JSON such as true, 3 or {"a": 1}; otherwise returns the text. */
export function jsonOrText(typed: string): unknown {
  try {
    return JSON.parse(typed)
  } catch {
    return typed
  }
}
