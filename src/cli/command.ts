/** Description of a command as a text with its options and examples, and its function. Parsing, --help and completion are built from it. */
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
}

type Taken = Operand | CommandOption

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

type Value = string | number | readonly string[] | Taken | readonly Taken[]
type Text = [strings: TemplateStringsArray, ...values: Value[]]

/**
 * Reads the text of a command: what it does; then a line each for what it takes (`<operand>  about`, `[may be left out]  about`,
 * `--option <value>  about`, with `...` where it may be given several times, and a list of the only values) and for its examples
 * (`$ typed  what it does`). What several commands take stands in the text as a value.
 */
function described([strings, ...values]: Text) {
  const takes: Taken[] = []
  const examples: [typed: string, does: string][] = []
  let summary = ''
  const isWord = (value: Value): boolean => typeof value === 'string' || typeof value === 'number'
  const text = String.raw(
    { raw: strings },
    ...values.map((value, index) => (isWord(value) ? value : `«${index}»`)),
  )
  for (const line of text.split('\n').map((each) => each.trim())) {
    const named = [...line.matchAll(/«(\d+)»/g)].flatMap(
      ([, index]) => values[Number(index)] as Taken | (Taken | string)[],
    )
    const choices = named.filter((each) => typeof each === 'string')
    const [left = '', about = ''] = line.replaceAll(/ ?«\d+»/g, '').split(/ {2,}/)
    const [, flags, many] = /^(-.*?)(\.{3})?$/.exec(left) ?? []
    if (left.startsWith('$ ')) examples.push([left.slice(2), about])
    else if (flags)
      takes.push({
        flags,
        about,
        ...(many && { many: true }),
        ...(choices.length > 0 && { choices }),
      })
    else if (/^[<[]/.test(left)) takes.push({ name: left.replace(/^<(.*)>$/, '$1'), about })
    else summary ||= left
    takes.push(...named.filter((each) => typeof each !== 'string'))
  }
  return { summary, takes, examples }
}

/** A command: its function, what it takes first, and its text. */
export const command =
  (run: NonNullable<CommandSpec['run']>, ...first: readonly Taken[]) =>
  (...text: Text): CommandSpec => {
    const { summary, takes, examples } = described(text)
    const all = [...first, ...takes]
    const [operands, options] = [
      all.filter((each) => 'name' in each),
      all.filter((each) => 'flags' in each),
    ]
    return { summary, operands, options, examples, run }
  }

export const localCommand =
  (...of: Parameters<typeof command>) =>
  (...text: Text): CommandSpec => ({ ...command(...of)(...text), local: true })

export const group =
  (...text: Text) =>
  (commands: CommandSpec['commands'] & object): CommandSpec => {
    const { summary, examples } = described(text)
    return { summary, examples, commands }
  }

/** Options that several commands take, as in the text of a command. */
export const options = (...text: Text): CommandOption[] =>
  described(text).takes.filter((each) => 'flags' in each)

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

  constructor(
    operands: readonly (string | string[] | undefined)[],
    options: Readonly<Record<string, unknown>>,
  ) {
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
    if (/^-?\d{1,9}$/.test(typed) && (max === undefined || (value >= 1 && value <= max)))
      return value
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
const camelCase = (option: string): string =>
  option.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Leaves out the fields that were not given. */
export const defined = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>

/** Parses JSON such as true, 3 or {"a": 1}; otherwise returns the text. */
export function jsonOrText(typed: string): unknown {
  try {
    return JSON.parse(typed)
  } catch {
    return typed
  }
}
