/** A real git repository for a test, with one commit, and git to look at it with. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Git } from '../../src/coordinator/worktrees/git.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A git that waits so long reads something that nobody writes: it would hold up the whole run. */
const hangsAfterMs = 60_000

export interface TestRepository {
  readonly folder: string
  git(...args: string[]): string
  write(path: string, text: string): void
}

/** Nothing of this machine: no identity, no settings. */
const bareHome = temporaryFolder()
const env = { PATH: process.env['PATH'] ?? '', HOME: bareHome, LC_ALL: 'C' }

export const testGit = (): Git => gitWith(env)

/** The directories of its git are in a folder of their own. */
export const gitWith = (variables: Readonly<Record<string, string | undefined>>): Git =>
  new Git({
    clock: systemClock,
    env: variables,
    folder: join(realpathSync(temporaryFolder()), '.states'),
  })

/**
 * A git before whose first call with these words somebody else does something: a line for the
 * shell.
 */
export function gitMeeting(words: string, meanwhile: string): Git {
  const bin = temporaryFolder()
  // Somebody else knows nothing of our git directory.
  const others = 'unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE'
  const once = `[ -e '${bin}/met' ] || { touch '${bin}/met'; ( ${others}; ${meanwhile}; ) >/dev/null 2>&1; }`
  const script = `#!/bin/sh\nexport PATH='${env.PATH}'\ncase "$*" in *'${words}'*) ${once};; esac\nexec git "$@"\n`
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
  return gitWith({ ...env, PATH: `${bin}:${env.PATH}` })
}

/** A git that fails from its n-th call on, as one whose machine is gone. */
export function gitStoppedAt(call: number): {
  readonly git: Git
  readonly wasStopped: () => boolean
  readonly stoppedAt: () => string
} {
  const git = testGit()
  let calls = 0
  let stopped: string | undefined
  const { try: run } = git
  git.try = async (place, args, options) => {
    if (stopped === undefined && ++calls === call) stopped = args.join(' ')
    if (stopped !== undefined) throw new Error(`stopped at ${stopped}`)
    return run.call(git, place, args, options)
  }
  return { git, wasStopped: () => stopped !== undefined, stoppedAt: () => stopped ?? 'none' }
}

export function at(folder: string): TestRepository {
  const settings = [
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.com',
    '-c',
    'maintenance.auto=false',
    // A trap of git-traps.ts, which a change of a ref by the test itself would spring.
    '-c',
    'hook.of-reference-transaction.enabled=false',
  ]
  return {
    folder,
    git: (...args) =>
      execFileSync('git', [...settings, ...args], {
        cwd: folder,
        env,
        encoding: 'utf8',
        stdio: 'pipe',
        timeout: hangsAfterMs,
      }).trimEnd(),
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    },
  }
}

let first: string | undefined

/**
 * A copy of the first that was made: a few files are written sooner than git is started three
 * times.
 */
export function makeRepository({ commit = true } = {}): TestRepository {
  const repository = at(realpathSync(temporaryFolder()))
  if (!commit) {
    repository.git('init', '--quiet', '--initial-branch=main')
    return repository
  }
  first ??= makeFirst().folder
  cpSync(first, repository.folder, { recursive: true })
  return repository
}

function makeFirst(): TestRepository {
  const repository = at(temporaryFolder())
  repository.git('init', '--quiet', '--initial-branch=main', '--template=')
  repository.write('README.md', '# project\n')
  repository.write('.gitignore', '.env\nnode_modules/\n')
  repository.git('add', '.')
  repository.git('commit', '--quiet', '-m', 'Begin')
  return repository
}
