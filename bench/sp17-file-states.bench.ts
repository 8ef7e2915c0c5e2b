/**
 * SP17: the state of a workplace's files as it is taken before and after each turn, beside bare
 * `git add -A && git write-tree` with the index of the round before; and a fork beside a bare
 * `git worktree add`. Each side has a repository of its own with the same files, so both write
 * their objects; neither syncs them (git's default). The files are made once, for all that is
 * measured.
 */
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { answerAboutFiles } from '../src/coordinator/file-states/answer-request.ts'
import { FileStates, type TakenState } from '../src/coordinator/file-states/file-states.ts'
import { Git } from '../src/coordinator/worktrees/git.ts'
import { Occupancy } from '../src/coordinator/worktrees/occupancy.ts'
import { systemClock } from '../src/platform/time/clock.ts'
import type { ForkAnswer } from '../src/protocol/worktrees/file-state.ts'
import type { Comparison, Contender, Contest } from './harness/comparison.ts'
import { benchFolder } from './harness/folder.ts'

const run = promisify(execFile)
const filesInFolder = 200
const key = 'web:project.agent'

/** Both sides, and where they are. */
class Sides {
  readonly #folder = benchFolder()
  readonly #files: number
  readonly #env: Record<string, string>
  #edits = 0
  readonly ours: string
  readonly bare: string
  readonly worktrees: string

  constructor(files: number) {
    this.#files = files
    const { path } = this.#folder
    this.#env = {
      PATH: process.env['PATH'] ?? '',
      HOME: path,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
    }
    this.ours = join(path, 'ours')
    this.bare = join(path, 'bare')
    this.worktrees = join(path, 'worktrees')
    for (const folder of [this.ours, this.bare]) this.#fill(folder)
  }

  #fill(folder: string): void {
    for (let nth = 0; nth < this.#files; nth++) {
      if (nth % filesInFolder === 0)
        mkdirSync(join(folder, `folder-${nth / filesInFolder}`), { recursive: true })
      writeFileSync(
        this.#file(folder, nth),
        `file ${nth}\n${'a line of a file that is somewhat longer\n'.repeat(10)}`,
      )
    }
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: folder, env: this.#env, stdio: 'ignore' })
    git('init', '--quiet', '--initial-branch=main')
    git('add', '-A')
    git(
      '-c',
      'user.name=Ada',
      '-c',
      'user.email=ada@example.com',
      '-c',
      'gc.auto=0',
      'commit',
      '--quiet',
      '-m',
      'Begin',
    )
  }

  #file = (folder: string, nth: number): string =>
    join(folder, `folder-${Math.floor(nth / filesInFolder)}`, `file-${nth}.txt`)

  /** The same files on both sides, spread over the folders, as others than before. */
  change(folder: string, count: number): void {
    this.#edits++
    for (let nth = 0; nth < count; nth++)
      writeFileSync(
        this.#file(folder, Math.floor((nth * this.#files) / count)),
        `edit ${this.#edits} of ${nth}\n`,
      )
  }

  async git(...args: string[]): Promise<void> {
    await run('git', args, { cwd: this.bare, env: this.#env })
  }

  prune(folder: string): void {
    execFileSync('git', ['worktree', 'prune'], { cwd: folder, env: this.#env })
  }

  async shell(command: string): Promise<void> {
    await run('/bin/sh', ['-c', command], { cwd: this.bare, env: this.#env })
  }

  machine() {
    const git = new Git({
      clock: systemClock,
      env: this.#env,
      folder: join(this.worktrees, '.states'),
    })
    const fileStates = new FileStates(git)
    return {
      git,
      fileStates,
      occupancy: new Occupancy(),
      worktreesFolder: this.worktrees,
      clock: systemClock,
    }
  }

  remove = (): void => this.#folder.remove()
}

let made: { readonly files: number; readonly sides: Sides } | undefined

function sidesWith(files: number): Sides {
  if (made?.files === files) return made.sides
  if (made) made.sides.remove()
  else process.once('exit', () => made?.sides.remove())
  made = { files, sides: new Sides(files) }
  return made.sides
}

/** Measures only the work, in milliseconds. */
const timed = (name: string, before: () => void, work: () => Promise<unknown>): Contender => ({
  name,
  round: async () => {
    before()
    const from = performance.now()
    await work()
    return performance.now() - from
  },
})

async function states(files: number, changed: number): Promise<Contest> {
  const sides = sidesWith(files)
  const { fileStates } = sides.machine()
  const take = async (): Promise<TakenState> => {
    const taken = await fileStates.take(sides.ours, key)
    if (!taken || taken.leftOut.length > 0) throw new Error('The state is not whole')
    return taken
  }
  const bare = () => sides.shell('git add -A && git write-tree > /dev/null')
  await take()
  await bare()
  return {
    ours: timed('a state', () => sides.change(sides.ours, changed), take),
    yardstick: timed('git add -A && git write-tree', () => sides.change(sides.bare, changed), bare),
    close: async () => {},
  }
}

async function forks(files: number): Promise<Contest> {
  const sides = sidesWith(files)
  const machine = sides.machine()
  sides.change(sides.ours, Math.ceil(files / 50))
  const taken = await machine.fileStates.take(sides.ours, key)
  if (!taken) throw new Error('There is no state')
  let worktrees = 0
  const fork = async (): Promise<void> => {
    const name = `fork${process.pid}-${++worktrees}`
    const place = {
      projectId: 'project',
      projectFolder: sides.ours,
      role: name,
      key: `fork:${name}`,
    }
    const answer = await answerAboutFiles(machine, {
      kind: 'files-fork',
      folders: [sides.ours],
      ...place,
      state: taken.state,
    })
    if (!(answer as ForkAnswer).branch) throw new Error('There is no fork')
  }
  // What was made before goes first, so that the disk holds one at a time.
  const clear = (): void => {
    rmSync(sides.worktrees, { recursive: true, force: true })
    for (const folder of [sides.ours, sides.bare]) sides.prune(folder)
  }
  return {
    ours: timed('a fork', clear, fork),
    yardstick: timed('git worktree add', clear, () =>
      sides.git(
        'worktree',
        'add',
        '--quiet',
        '--detach',
        join(sides.worktrees, `bare-${++worktrees}`),
      ),
    ),
    close: async () => {},
  }
}

/** In a repository with so many files. */
export const fileStatesIn = (files: number): readonly Comparison[] => [
  ...[0, 10, 1000].map((changed): Comparison => {
    const what = changed === 0 ? 'nothing' : `${changed.toLocaleString('en')} files`
    return {
      title: `[SP17] the state of ${files.toLocaleString('en')} files, ${what} changed`,
      unit: 'ms',
      // Staging what was listed can cost less than `git add -A`.
      goal: { kind: 'peer', limit: changed === 0 ? 1.1 : 1.3 },
      prepare: () => states(files, Math.min(changed, files)),
    }
  }),
  {
    title: `[SP17] a fork of ${files.toLocaleString('en')} files`,
    unit: 'ms',
    goal: { kind: 'peer', limit: 1.1 },
    prepare: () => forks(files),
  },
]

export const fileStates: readonly Comparison[] = fileStatesIn(50_000)
