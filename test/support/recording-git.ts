/** A `git` first on PATH that records where it runs and what it is told to read, and then is git. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

export interface GitCall {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

const variables = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CONFIG_SYSTEM',
  'GIT_COMMON_DIR',
]

export interface RecordingGit {
  /** Has the recording git. */
  readonly bin: string
  calls(): GitCall[]
}

/** `bin`: a folder that is first on a PATH already. */
export function recordingGit(bin = temporaryFolder()): RecordingGit {
  const file = join(temporaryFolder(), 'calls')
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const values = variables.map((name) => `"\${${name}-}"`).join(' ')
  // One write for each call, so that two at once do not mix.
  const script = `#!/bin/sh\nprintf '%s\\n' "$(printf '%s\\t' "$PWD" ${values} "$@" | tr '\\n' ' ')" >> '${file}'\nexec '${real}' "$@"\n`
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
  return { bin, calls: () => (existsSync(file) ? callsIn(readFileSync(file, 'utf8')) : []) }
}

const callsIn = (text: string): GitCall[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [cwd = '', ...words] = line.split('\t').slice(0, -1)
      const env = Object.fromEntries(variables.map((name, at) => [name, words[at] ?? '']))
      return { args: words.slice(variables.length), cwd, env }
    })

/** Calls whose git directory, configuration or index is not ours. `ours`: folders of ours. */
export function strayCalls(calls: readonly GitCall[], ours: readonly string[]): GitCall[] {
  const isOurs = (path = ''): boolean => ours.some((folder) => path.startsWith(`${folder}/`))
  return calls.filter(({ args, cwd, env }) => {
    if (args[0] === '--version') return false
    const isPersons =
      args.slice(0, 2).join(' ') === 'config --show-scope' && args.includes('--get-regexp')
    const hasConfig =
      isPersons || (env['GIT_CONFIG_GLOBAL'] === '/dev/null' && env['GIT_CONFIG_NOSYSTEM'] === '1')
    const index = env['GIT_INDEX_FILE'] ?? ''
    const isIndex = index === '' || isOurs(index)
    const isSteered =
      args.some((word) => /^(-C|-c|--git-dir|--work-tree|--exec-path)/.test(word)) ||
      env['GIT_COMMON_DIR'] !== ''
    return (
      !isOurs(env['GIT_DIR']) ||
      cwd !== env['GIT_DIR'] ||
      !hasConfig ||
      !isIndex ||
      isSteered ||
      env['GIT_CONFIG_SYSTEM'] !== ''
    )
  })
}
