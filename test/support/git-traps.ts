/**
 * What a repository can name that git runs: configuration, attributes, hooks, submodules,
 * promisors. Each trap is armed with a program of its own that leaves a mark when it is run, and
 * says which plain git command runs it (its control), or why the git that is installed cannot be
 * made to.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configTraps } from './git-config-traps.ts'
import { hookTraps } from './git-hook-traps.ts'
import { at, makeRepository, type TestRepository } from './git-repository.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface Trap {
  readonly name: string
  /** What a file called NAME.txt is given in `.gitattributes`. */
  readonly attribute?: 'filter' | 'diff' | 'merge'
  /** The repository's configuration; `@` stands for the program, `~` for the folder. */
  readonly config?: Readonly<Record<string, string>>
  /** The program is this hook. */
  readonly hook?: string
  readonly arm?: (scene: Scene, program: string) => void
  /** Plain git commands, one after the other, that run it: words with spaces between. */
  readonly control?: readonly string[]
  /** Why there is none. */
  readonly cannot?: string
}

export interface Scene extends TestRepository {
  /** With the programs on its PATH, and nothing of this machine. */
  readonly env: Readonly<Record<string, string>>
  readonly bin: string
  /** git as anybody would run it here, however it ends. */
  bare(command: string): Promise<string>
  /** The traps that were run. */
  sprung(): string[]
}

const identity = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@b.c',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@b.c',
}
const commandWithinMs = 20_000

let first: TestRepository | undefined

/**
 * A repository with a file for each trap, branches `ours` and `conflicting` that have changed all
 * of them, and one `aside`. These traps are armed.
 */
export function sceneWith(traps: readonly Trap[]): Scene {
  first ??= makeFirst([...configTraps, ...hookTraps])
  const [bin, marks, home, folder] = [
    temporaryFolder(),
    temporaryFolder(),
    temporaryFolder(),
    realpathSync(temporaryFolder()),
  ]
  cpSync(first.folder, folder, { recursive: true })
  const env = { ...identity, PATH: `${bin}:${process.env['PATH']}`, HOME: home, LC_ALL: 'C' }
  const scene: Scene = {
    ...at(folder),
    env,
    bin,
    bare: (command) =>
      new Promise((resolve) => {
        const options = { cwd: folder, env, timeout: commandWithinMs }
        const child = execFile('git', command.split(' '), options, (_error, stdout, stderr) =>
          resolve(stdout + stderr),
        )
        // One that reads no answer is gone before it is written.
        child.stdin?.on('error', () => {}).end('y\nq\n')
      }),
    sprung: () => readdirSync(marks).toSorted(),
  }
  for (const trap of traps) armed(scene, trap, join(marks, trap.name))
  for (const mark of readdirSync(marks)) rmSync(join(marks, mark))
  return scene
}

function makeFirst(traps: readonly Trap[]): TestRepository {
  const repository = makeRepository()
  const { git, write } = repository
  const names = ['plain', ...traps.map(({ name }) => name)]
  const writeAll = (text: string): void => {
    for (const name of names) write(`${name}.txt`, `${text}\n`)
  }
  writeAll('one')
  const lines = traps
    .filter(({ attribute }) => attribute)
    .map(({ name, attribute }) => `${name}.txt ${attribute}=${name}\n`)
  write('.gitattributes', lines.join(''))
  git('add', '.')
  git('commit', '--quiet', '-m', 'Files')
  git('branch', 'aside')
  for (const branch of ['ours', 'conflicting']) {
    git('switch', '--quiet', '--create', branch, 'main')
    writeAll(branch)
    git('commit', '--quiet', '-am', branch)
  }
  git('switch', '--quiet', 'main')
  git('repack', '-adq')
  return repository
}

function armed(scene: Scene, { name, config = {}, hook, arm }: Trap, mark: string): void {
  const program = hook ? join(scene.folder, '.git/hooks', hook) : join(scene.bin, name)
  mkdirSync(join(program, '..'), { recursive: true })
  // As a filter it hands on what it is given.
  writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\n[ $# -gt 0 ] || cat\n`, { mode: 0o755 })
  for (const [key, value] of Object.entries(config))
    scene.git('config', '--add', key, value.replaceAll('@', program).replaceAll('~', scene.folder))
  arm?.(scene, program)
}
