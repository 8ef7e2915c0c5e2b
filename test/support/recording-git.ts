/**
 * A `git` first on PATH that records where it runs, what it is told to read and by whom it is
 * started, and then is git.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

export interface GitCall {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** The command line of the process that started it, without what is between its words. */
  readonly by: string
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
  // Nothing but what the shell does by itself: each program that it started would cost more than
  // the git that is recorded. One write for each call, so that two at once do not mix. In a sandbox
  // there is no such file.
  const script = [
    '#!/bin/sh',
    'by=',
    `{ IFS= read -r by < "/proc/$PPID/cmdline"; } 2>/dev/null`,
    `{ printf '%s\\0' "$#" "$PWD" "$by" ${values} "$@" >> '${file}'; } 2>/dev/null`,
    `exec '${real}' "$@"`,
    '',
  ].join('\n')
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
  return { bin, calls: () => (existsSync(file) ? callsIn(readFileSync(file, 'utf8')) : []) }
}

function callsIn(text: string): GitCall[] {
  const words = text.split('\0')
  const calls: GitCall[] = []
  for (let at = 0; at < words.length - 1; ) {
    const [count = '', cwd = '', by = ''] = words.slice(at, at + 3)
    const values = words.slice(at + 3, at + 3 + variables.length)
    const end = at + 3 + variables.length + Number(count)
    const args = words.slice(end - Number(count), end)
    const env = Object.fromEntries(variables.map((name, index) => [name, values[index] ?? '']))
    calls.push({ args, cwd, env, by })
    at = end
  }
  return calls
}

/** One for all files of tests that a worker runs, first on its PATH from the first call on. */
const shared = globalThis as { everyGit?: RecordingGit }

/** All calls of it so far. */
export function everyGit(): GitCall[] {
  if (!shared.everyGit) {
    shared.everyGit = recordingGit()
    process.env['PATH'] = `${shared.everyGit.bin}${delimiter}${process.env['PATH'] ?? ''}`
  }
  return shared.everyGit.calls()
}

/** Where a call ran whose folder was removed while it began: git does nothing there. */
const goneFolder = ''

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
      (cwd !== env['GIT_DIR'] && cwd !== goneFolder) ||
      !hasConfig ||
      !isIndex ||
      isSteered ||
      env['GIT_CONFIG_SYSTEM'] !== ''
    )
  })
}

/**
 * Those of what `program` of this build started: its server, coordinator and command line, not its
 * agents.
 */
export function strayCallsOf(program: string, calls: readonly GitCall[]): GitCall[] {
  const byHoldfast = calls.filter(
    ({ by, cwd }) => by.includes(program) && !isDemoAgent.test(by) && !isNew.test(cwd),
  )
  const ours = byHoldfast.flatMap(({ env }) => ownFolder.exec(env['GIT_DIR'] ?? '')?.[1] ?? [])
  return strayCalls(byHoldfast, [...new Set(ours)])
}

/** In the data folder, or made to try a program. */
const ownFolder = /^(.*\/(?:worktrees\/\.states|holdfast-try-\w+-git))\//
/** The demo agents, which run what they are told to. */
const isDemoAgent = /demo-(acp|mcp)/
/** A repository made there before any agent: the demo's, and that of `agents doctor`. */
const isNew = /\/(run\/demo-unfinished|holdfast-doctor-\w+)$/
