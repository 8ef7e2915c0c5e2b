/**
 * `holdfast completion`: prints a completion script for bash, zsh or fish, generated from the
 * command tree.
 */

import { nearest } from '../../domain/nearest.ts'
import {
  type CommandOption,
  command,
  commandsIn,
  flagsOf,
  type NamedCommand,
  operand,
  option,
  shownOperands,
} from '../command.ts'
import { usage } from '../failure.ts'
import { optionsOf } from '../options-everywhere.ts'
import { type NameKind, nameKinds, namesFor, offeredNames } from './offered-names.ts'

// Flat list of the commands with the words that can follow each, for completion scripts. Pure.

interface CompletionOption {
  /** `--yes`, `-y` */
  readonly words: readonly string[]
  readonly about: string
  readonly takes: 'nothing' | 'text' | 'folder' | 'file'
  readonly choices: readonly string[]
  readonly names?: NameKind | undefined
}

interface CompletionPoint {
  /** Words typed so far: ``, `projects`, `projects show`. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly about: string }[]
  readonly options: readonly CompletionOption[]
  readonly operands: readonly (NameKind | undefined)[]
}

const help: CompletionOption = {
  words: ['--help', '-h'],
  about: 'show this help',
  takes: 'nothing',
  choices: [],
}
const version: CompletionOption = {
  words: ['--version', '-V'],
  about: 'print the version',
  takes: 'nothing',
  choices: [],
}

function completionPoints(specs: readonly NamedCommand[]): CompletionPoint[] {
  const root: CompletionPoint = {
    path: '',
    commands: specs.map(toCommand),
    options: [help, version],
    operands: [],
  }
  return [root, ...specs.flatMap((spec) => pointsOf(spec, ''))]
}

function pointsOf(spec: NamedCommand, before: string): CompletionPoint[] {
  const path = before ? `${before} ${spec.name}` : spec.name
  const inner = commandsIn(spec)
  // Words after a command group belong to its default command.
  const meant = inner.find(({ isDefault }) => isDefault) ?? spec
  const operands = shownOperands(meant).map(namesFor)
  const point = {
    path,
    commands: inner.map(toCommand),
    options: [
      ...Object.entries(optionsOf(meant)).map(([name, option]) => toOption(name, option)),
      help,
    ],
    operands,
  }
  return [point, ...inner.flatMap((each) => pointsOf(each, path))]
}

const toCommand = ({ name, summary }: NamedCommand): { name: string; about: string } => ({
  name,
  about: summary,
})

function toOption(name: string, option: CommandOption): CompletionOption {
  const { about, choices, offers } = option
  const flags = flagsOf(name, option)
  const words = flags.split(/[ ,]+/).filter((word) => word.startsWith('-'))
  const [, placeholder] = /<(.*)>/.exec(flags) ?? []
  const isPath = placeholder === 'folder' || placeholder === 'file'
  const takes = placeholder === undefined ? 'nothing' : isPath ? placeholder : 'text'
  return {
    words,
    about,
    takes,
    choices: choices ?? offers ?? [],
    names: takes === 'text' ? namesFor(flags) : undefined,
  }
}

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

const completionScript = (shell: Shell, points: readonly CompletionPoint[]): string =>
  scripts[shell](points)

const scripts: Readonly<Record<Shell, (points: readonly CompletionPoint[]) => string>> = {
  bash,
  zsh,
  fish,
}

/**
 * Loop for bash and zsh that finds the typed command and the number of its operands. (`path` is
 * special in zsh.)
 */
const pathLoop = (
  points: readonly CompletionPoint[],
  words: string,
): string => `  local typed="" word behind="" operand=0
  for word in ${words}; do
    case "$typed/$word" in
      ${points.slice(1).map(stepPattern).join('|')}) typed="\${typed:+$typed }$word" operand=0 ;;
      *) case "$typed:$behind" in
        ${points.flatMap(takingValue).map(quote).join('|')}) ;;
        *) case "$word" in -*|=) ;; *) operand=$((operand + 1)) ;; esac ;;
      esac ;;
    esac
    behind="$word"
  done`

/** Options followed by a value, which is not an operand. */
const takingValue = ({ path, options }: CompletionPoint): string[] =>
  options
    .filter(({ takes }) => takes !== 'nothing')
    .flatMap(({ words }) => words.map((word) => `${path}:${word}`))

/** Completes operands that are names, by the command and the operand's number. */
const operandCases = (points: readonly CompletionPoint[]): string =>
  points
    .flatMap(({ path, operands }) =>
      operands.flatMap((names, index) => (names ? [{ at: `${path}#${index}`, names }] : [])),
    )
    .map(({ at, names }) => `    *:${quote(at)}) _holdfast_names ${names}; return ;;`)
    .join('\n')

function stepPattern({ path }: CompletionPoint): string {
  const words = path.split(' ')
  return `"${words.slice(0, -1).join(' ')}/${words.at(-1)}"`
}

/**
 * One name per line, because names contain spaces. bash quotes completions marked as file names.
 */
const names = (kind: 'd' | 'f'): string =>
  `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -${kind} -- "$current")); return`

function bash(points: readonly CompletionPoint[]): string {
  return `# holdfast completion for bash. Put it in place with:
#   holdfast completion bash > ~/.local/share/bash-completion/completions/holdfast
# What the server knows by name; compgen -W would run what stands in a name.
_holdfast_names() {
  local name quoted
  # A work session may be a path, too.
  [ "$1" = sessions ] || compopt +o default 2>/dev/null
  while IFS= read -r name; do
    printf -v quoted %q "$name"
    [[ "$name" == "$current"* || "$quoted" == "$current"* ]] && COMPREPLY+=("$quoted")
  done < <("\${COMP_WORDS[0]}" completion --names "$1" --line "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null </dev/null)
}
_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
${pathLoop(points, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  case "$typed:$before" in
${valueCases(points, {
  choices: (words) => `COMPREPLY=($(compgen -W ${quote(words)} -- "$current")); return`,
  folder: names('d'),
  file: names('f'),
  text: 'COMPREPLY=(); return',
  names: (names) => `COMPREPLY=(); _holdfast_names ${names}; return`,
})}
  esac
  COMPREPLY=()
  case "$current:$typed#$operand" in
    -*) ;;
${operandCases(points)}
  esac
  case "$typed" in
${points.map((point) => `    ${quote(point.path)}) COMPREPLY=($(compgen -W ${quote(wordsOf(point).join(' '))} -- "$current")) ;;`).join('\n')}
  esac
}
complete -o default -F _holdfast holdfast
`
}

function zsh(points: readonly CompletionPoint[]): string {
  return `#compdef holdfast
# holdfast completion for zsh. Put it in place with:
#   holdfast completion zsh > ~/.zfunc/_holdfast      (with ~/.zfunc in fpath)
_holdfast_names() {
  local -a found
  found=("\${(@f)$("\${words[1]}" completion --names "$1" --line "\${words[1,CURRENT-1]} " 2>/dev/null </dev/null)}")
  compadd -- "\${(@)found:#}" || { [ "$1" = sessions ] && _files }
}
_holdfast() {
  local before="\${words[CURRENT-1]}"
${pathLoop(points, `"\${(@)words[2,CURRENT-1]}"`)}
  case "$typed:$before" in
${valueCases(points, {
  choices: (words) => `compadd -- ${words}; return`,
  folder: '_files -/; return',
  file: '_files; return',
  text: 'return',
  names: (names) => `_holdfast_names ${names}; return`,
})}
  esac
  case "\${words[CURRENT]}:$typed#$operand" in
    -*) ;;
${operandCases(points)}
  esac
  local -a choices
  case "$typed" in
${points.map((point) => `    ${quote(point.path)}) choices=(${described(point).join(' ')}) ;;`).join('\n')}
  esac
  _describe 'holdfast' choices || _files
}
if [ "$funcstack[1]" = "_holdfast" ]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
`
}

function fish(points: readonly CompletionPoint[]): string {
  const paths = points.slice(1).map(({ path }) => quote(path))
  return `# holdfast completion for fish. Put it in place with:
#   holdfast completion fish > ~/.config/fish/completions/holdfast.fish
function __holdfast_path
  set -l path ''
  set -l operand 0
  set -l behind ''
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim -- "$path $word")
    if contains -- $longer ${paths.join(' ')}
      set path $longer
      set operand 0
    else if not contains -- "$path:$behind" ${points.flatMap(takingValue).map(quote).join(' ')}; and not string match -q -- '-*' $word
      set operand (math $operand + 1)
    end
    set behind $word
  end
  echo $path
  echo $operand
end
function __holdfast_at
  set -l typed (__holdfast_path)
  test "$typed[1]" = "$argv[1]"; and test (count $argv) = 1 -o "$typed[2]" = "$argv[2]"
end
function __holdfast_names
  set -l words (commandline -opc)
  $words[1] completion --names $argv[1] --line (commandline -cp) 2>/dev/null </dev/null
end
complete -c holdfast -f
${points.flatMap(fishLines).join('\n')}
`
}

function fishLines({ path, commands, options, operands }: CompletionPoint): string[] {
  const at = `complete -c holdfast -n ${quote(`__holdfast_at '${path}'`)}`
  return [
    ...operands.flatMap((names, index) =>
      names === undefined
        ? []
        : [
            `complete -c holdfast -n ${quote(`__holdfast_at '${path}' ${index}`)} -a '(__holdfast_names ${names})'`,
          ],
    ),
    ...commands.map(({ name, about }) => `${at} -a ${name} -d ${quote(about)}`),
    ...options.map(({ words, about, takes, choices, names }) => {
      const written = words
        .map((word) => (word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`))
        .join(' ')
      const value =
        choices.length > 0
          ? ` -x -a ${quote(choices.join(' '))}`
          : names === undefined
            ? fishValue[takes]
            : ` -x -a '(__holdfast_names ${names})'`
      return `${at} ${written} -d ${quote(about)}${value}`
    }),
  ]
}

const fishValue = {
  nothing: '',
  text: ' -x',
  file: ' -r -F',
  folder: " -x -a '(__fish_complete_directories)'",
} as const

interface ValueActions {
  readonly choices: (words: string) => string
  readonly folder: string
  readonly file: string
  readonly text: string
  readonly names: (names: NameKind) => string
}

const valueCases = (points: readonly CompletionPoint[], actions: ValueActions): string =>
  points
    .flatMap(({ path, options }) =>
      options
        .filter(({ takes }) => takes !== 'nothing')
        .map(
          (option) =>
            `    ${option.words.map((word) => quote(`${path}:${word}`)).join('|')}) ${actionFor(option, actions)} ;;`,
        ),
    )
    .join('\n')

function actionFor({ takes, choices, names }: CompletionOption, actions: ValueActions): string {
  if (choices.length > 0) return actions.choices(choices.join(' '))
  if (names !== undefined) return actions.names(names)
  return takes === 'folder' ? actions.folder : takes === 'file' ? actions.file : actions.text
}

const wordsOf = ({ commands, options }: CompletionPoint): string[] => [
  ...commands.map(({ name }) => name),
  ...options.flatMap(({ words }) => words.filter((word) => word.startsWith('--'))),
]

const described = ({ commands, options }: CompletionPoint): string[] => [
  ...commands.map(({ name, about }) => quote(`${name}:${about}`)),
  ...options.flatMap(({ words, about }) =>
    words.filter((word) => word.startsWith('--')).map((word) => quote(`${word}:${about}`)),
  ),
]

/** Quotes for all three shells. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const hint = (typed: string): string => {
  const close = nearest(typed, shells)
  return close ? `Did you mean ${close}? ` : ''
}

export const completion = command({
  summary: 'Print a completion script for bash, zsh or fish',
  operands: { shell: operand.optional(shells.join(', ')) },
  options: {
    names: option.choice(
      '<kind>',
      nameKinds,
      'for the scripts: the names the server knows, a line each',
    ),
    line: option.text('<text>', 'with --names: what was typed so far'),
  },
  examples: [
    ['completion bash > ~/.local/share/bash-completion/completions/holdfast', 'for bash'],
    ['completion zsh > ~/.zfunc/_holdfast', 'for zsh, with ~/.zfunc in fpath'],
    ['completion fish > ~/.config/fish/completions/holdfast.fish', 'for fish'],
  ],
  local: true,
  async run(context, given) {
    const kind = nameKinds.find((each) => each === given.names)
    if (kind) {
      const found = await offeredNames(context.terminal, kind, given.line ?? '')
      if (found.length > 0 || context.json) context.answer(found, () => found.join('\n'))
      return
    }
    const typed = given.shell
    if (typed === undefined)
      throw usage('It is not clear which shell is meant.', `Name it: ${shells.join(', ')}.`)
    const shell = shells.find((each) => each === typed)
    if (!shell)
      throw usage(
        `There is no completion for ${typed}.`,
        `${hint(typed)}There is ${shells.join(', ')}.`,
      )
    const script = completionScript(shell, completionPoints(await context.allCommands()))
    context.answer({ shell, script }, () => script.trimEnd())
  },
})
