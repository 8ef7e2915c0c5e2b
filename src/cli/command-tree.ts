/** Flat list of the commands with the words that can follow each, for completion scripts. Pure. */
import { type CommandOption, commandsIn, type NamedCommand } from './command.ts'
import { optionsOf } from './options-everywhere.ts'
import { type NameKind, namesFor } from './system/offered-names.ts'

export interface CompletionOption {
  /** `--yes`, `-y` */
  readonly words: readonly string[]
  readonly about: string
  readonly takes: 'nothing' | 'text' | 'folder' | 'file'
  readonly choices: readonly string[]
  readonly names?: NameKind | undefined
}

export interface CompletionPoint {
  /** Words typed so far: ``, `projects`, `projects show`. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly about: string }[]
  readonly options: readonly CompletionOption[]
  readonly operands: readonly (NameKind | undefined)[]
}

const help: CompletionOption = { words: ['--help', '-h'], about: 'show this help', takes: 'nothing', choices: [] }
const version: CompletionOption = { words: ['--version', '-V'], about: 'print the version', takes: 'nothing', choices: [] }

export function completionPoints(specs: readonly NamedCommand[]): CompletionPoint[] {
  const root: CompletionPoint = { path: '', commands: specs.map(toCommand), options: [help, version], operands: [] }
  return [root, ...specs.flatMap((spec) => pointsOf(spec, ''))]
}

function pointsOf(spec: NamedCommand, before: string): CompletionPoint[] {
  const path = before ? `${before} ${spec.name}` : spec.name
  const inner = commandsIn(spec)
  // Words after a command group belong to its default command.
  const meant = inner.find(({ isDefault }) => isDefault) ?? spec
  const operands = (meant.operands ?? []).map(({ name }) => namesFor(name))
  const point = { path, commands: inner.map(toCommand), options: [...optionsOf(meant).map(toOption), help], operands }
  return [point, ...inner.flatMap((each) => pointsOf(each, path))]
}

const toCommand = ({ name, summary }: NamedCommand): { name: string; about: string } => ({ name, about: summary })

function toOption({ flags, about, choices, offers }: CommandOption): CompletionOption {
  const words = flags.split(/[ ,]+/).filter((word) => word.startsWith('-'))
  const [, placeholder] = /<(.*)>/.exec(flags) ?? []
  const isPath = placeholder === 'folder' || placeholder === 'file'
  const takes = placeholder === undefined ? 'nothing' : isPath ? placeholder : 'text'
  return { words, about, takes, choices: choices ?? offers ?? [], names: takes === 'text' ? namesFor(flags) : undefined }
}
