/**
 * A command as one object: what it takes, examples, and what it does. Parsing, --help, completion
 * and the reference are built from it, and `run` is given values of the types that its operands and
 * options declare.
 */
import type { CommandContext } from './context.ts'
import { usage } from './failure.ts'

/** What the parser gives for an operand or an option. */
export type Typed = string | string[] | boolean | undefined

export interface Operand<Value = unknown> {
  readonly about: string
  /** The name that is shown; left out, that of its key. */
  readonly called?: string
  readonly shown: (name: string) => string
  readonly read: (typed: Typed) => Value
}

export interface CommandOption<Value = unknown> {
  readonly about: string
  /** What follows it, such as `<folder>`; nothing follows a flag. */
  readonly placeholder?: string
  readonly short?: string
  /** May be given several times. */
  readonly many?: true
  readonly choices?: readonly string[]
  /** Offered by completion, but validated elsewhere. */
  readonly offers?: readonly string[]
  readonly read: (typed: Typed, name: string) => Value
}

export type Operands = Readonly<Record<string, Operand>>
export type Options = Readonly<Record<string, CommandOption>>

/** The values of declared operands and options, by their names. */
export type Given<Declared extends Operands | Options> = {
  readonly [Name in keyof Declared]: ReturnType<Declared[Name]['read']>
}

/** Arguments to type, and what they do. */
type Example = readonly [typed: string, does: string]

export interface CommandSpec {
  readonly summary: string
  readonly operands?: Operands
  readonly options?: Options
  readonly examples: readonly Example[]
  /**
   * Commands of a group by name. The group does nothing itself: the first is used when none is
   * named.
   */
  readonly commands?: Readonly<Record<string, CommandSpec>>
  /** Works without a server, so it takes no address and no credential. */
  readonly local?: true
  readonly run?: (context: CommandContext, given: Given<Operands & Options>) => Promise<void>
}

interface Command<Takes extends Operands, Has extends Options>
  extends Omit<CommandSpec, 'operands' | 'options' | 'commands' | 'run'> {
  /** In the order in which they are typed. */
  readonly operands?: Takes
  readonly options?: Has
  readonly run: (context: CommandContext, given: Given<Takes & Has>) => Promise<void>
}

type Nothing = Readonly<Record<never, never>>

export const command = <Takes extends Operands = Nothing, Has extends Options = Nothing>(
  spec: Command<Takes, Has>,
): CommandSpec => spec as CommandSpec

const textOf = (typed: Typed): string | undefined => (typeof typed === 'string' ? typed : undefined)

const listOf = (typed: Typed): string[] | undefined => (Array.isArray(typed) ? typed : undefined)

export const operand = {
  required: (about: string, more: { called?: string } = {}): Operand<string> => ({
    about,
    ...more,
    shown: (name) => `<${name}>`,
    read: String,
  }),
  optional: (about: string, more: { called?: string } = {}): Operand<string | undefined> => ({
    about,
    ...more,
    shown: (name) => `[${name}]`,
    read: textOf,
  }),
  /** All that is left. */
  rest: (about: string): Operand<readonly string[]> => ({
    about,
    shown: (name) => `[${name}...]`,
    read: (typed) => listOf(typed) ?? [],
  }),
}

/** Kinds of options. A value is undefined where the option was not given. */
export const option = {
  text: (
    placeholder: string,
    about: string,
    more: { short?: string; offers?: readonly string[] } = {},
  ): CommandOption<string | undefined> => ({ about, placeholder, ...more, read: textOf }),

  choice: <const Word extends string>(
    placeholder: string,
    choices: readonly Word[],
    about: string,
  ): CommandOption<Word | undefined> => ({
    about,
    placeholder,
    choices,
    // The parser has checked it.
    read: (typed) => textOf(typed) as Word | undefined,
  }),

  /** May be given several times. */
  list: <const Word extends string = string>(
    placeholder: string,
    about: string,
    choices?: readonly Word[],
  ): CommandOption<Word[] | undefined> => ({
    about,
    placeholder,
    many: true,
    ...(choices && { choices }),
    // The parser has checked it.
    read: (typed) => listOf(typed) as Word[] | undefined,
  }),

  /** With `max` from 1 to that. */
  wholeNumber: (
    placeholder: string,
    about: string,
    max?: number,
  ): CommandOption<number | undefined> => ({
    about,
    placeholder,
    read: (typed, name) => wholeNumber(textOf(typed), name, max),
  }),

  /** With a name such as `noPath` it is typed `--no-path`. */
  flag: (about: string, more: { short?: string } = {}): CommandOption<boolean> => ({
    about,
    ...more,
    read: (typed) => typed === true,
  }),
}

function wholeNumber(typed: string | undefined, name: string, max?: number): number | undefined {
  if (typed === undefined) return undefined
  const value = Number(typed)
  const isInRange = max === undefined || (value >= 1 && value <= max)
  if (/^-?\d{1,9}$/.test(typed) && isInRange) return value
  const range = max === undefined ? '' : ` from 1 to ${max}`
  throw usage(
    `--${hyphenated(name)} must be a whole number${range}.`,
    `It was ${JSON.stringify(typed)}.`,
  )
}

/** `maxProcesses` is typed `max-processes`. */
const hyphenated = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Returns an option as shown and typed: `--path <folder>`, `-y, --yes`. */
export function flagsOf(name: string, { short, placeholder }: CommandOption): string {
  const words = [`--${hyphenated(name)}`, ...(placeholder === undefined ? [] : [placeholder])]
  return [...(short === undefined ? [] : [`-${short}`]), words.join(' ')].join(', ')
}

/** Returns the operands of a command as they are shown: `<agent> [prompt]`. */
export const shownOperands = ({ operands = {} }: CommandSpec): string[] =>
  Object.entries(operands).map(([name, { called = hyphenated(name), shown }]) => shown(called))

/** Reads the options the parser has found. */
export function readOptions<Declared extends Options>(
  declared: Declared,
  found: Readonly<Record<string, Typed>>,
): Given<Declared> {
  const values = Object.entries(declared).map(([name, { read }]) => {
    const [, denied] = /^no([A-Z].*)$/.exec(name) ?? []
    return [name, denied ? found[lowerFirst(denied)] === false : read(found[name], name)]
  })
  return Object.fromEntries(values)
}

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

export function readOperands(declared: Operands, found: readonly Typed[]): Given<Operands> {
  const values = Object.entries(declared).map(([name, { read }], index) => [
    name,
    read(found[index]),
  ])
  return Object.fromEntries(values)
}

export interface NamedCommand extends CommandSpec {
  readonly name: string
  /** Used when no command is named. */
  readonly isDefault: boolean
}

export const commandsIn = ({ commands = {} }: CommandSpec): NamedCommand[] =>
  Object.entries(commands).map(([name, spec], index) => ({ ...spec, name, isDefault: index === 0 }))

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
