/** Completion scripts for bash, zsh and fish, made from the command tree. Pure: text in, text out. */
import type { CompletionOption, CompletionPoint } from './command-tree.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export const completionScript = (shell: Shell, points: readonly CompletionPoint[]): string => scripts[shell](points)

const scripts: Readonly<Record<Shell, (points: readonly CompletionPoint[]) => string>> = { bash, zsh, fish }

/** Both of the Bourne kind find out the same way which command was typed so far. (`path` would be zsh's own.) */
const pathLoop = (points: readonly CompletionPoint[], words: string): string => `  local typed="" word
  for word in ${words}; do
    case "$typed/$word" in
      ${points.slice(1).map(stepPattern).join('|')}) typed="\${typed:+$typed }$word" ;;
    esac
  done`

function stepPattern({ path }: CompletionPoint): string {
  const words = path.split(' ')
  return `"${words.slice(0, -1).join(' ')}/${words.at(-1)}"`
}

/** A line is a name: they have spaces. bash quotes what it knows to be the name of a file. */
const names = (kind: 'd' | 'f'): string =>
  `local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -${kind} -- "$current")); return`

function bash(points: readonly CompletionPoint[]): string {
  return `# holdfast completion for bash. Put it in place with:
#   holdfast completion bash > ~/.local/share/bash-completion/completions/holdfast
_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
${pathLoop(points, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  case "$typed:$before" in
${valueCases(points, {
  choices: (words) => `COMPREPLY=($(compgen -W ${quote(words)} -- "$current")); return`,
  folder: names('d'),
  file: names('f'),
  text: 'COMPREPLY=(); return',
})}
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
_holdfast() {
  local before="\${words[CURRENT-1]}"
${pathLoop(points, `"\${words[@]:1:CURRENT-2}"`)}
  case "$typed:$before" in
${valueCases(points, {
  choices: (words) => `compadd -- ${words}; return`,
  folder: '_files -/; return',
  file: '_files; return',
  text: 'return',
})}
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
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim -- "$path $word")
    contains -- $longer ${paths.join(' ')}; and set path $longer
  end
  echo $path
end
function __holdfast_at
  test (__holdfast_path) = "$argv[1]"
end
complete -c holdfast -f
${points.flatMap(fishLines).join('\n')}
`
}

function fishLines({ path, commands, options }: CompletionPoint): string[] {
  const at = `complete -c holdfast -n ${quote(`__holdfast_at '${path}'`)}`
  return [
    ...commands.map(({ name, about }) => `${at} -a ${name} -d ${quote(about)}`),
    ...options.map(({ words, about, takes, choices }) => {
      const names = words.map((word) => (word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`)).join(' ')
      const value = choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : fishValue[takes]
      return `${at} ${names} -d ${quote(about)}${value}`
    }),
  ]
}

const fishValue = { nothing: '', text: ' -x', file: ' -r -F', folder: " -x -a '(__fish_complete_directories)'" } as const

interface ValueActions {
  readonly choices: (words: string) => string
  readonly folder: string
  readonly file: string
  readonly text: string
}

/** What completes the value of an option that takes one. */
const valueCases = (points: readonly CompletionPoint[], actions: ValueActions): string =>
  points
    .flatMap(({ path, options }) =>
      options
        .filter(({ takes }) => takes !== 'nothing')
        .map(
          (option) => `    ${option.words.map((word) => quote(`${path}:${word}`)).join('|')}) ${actionFor(option, actions)} ;;`,
        ),
    )
    .join('\n')

const actionFor = ({ takes, choices }: CompletionOption, actions: ValueActions): string =>
  choices.length > 0
    ? actions.choices(choices.join(' '))
    : takes === 'folder'
      ? actions.folder
      : takes === 'file'
        ? actions.file
        : actions.text

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

/** Safe in all three shells. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
