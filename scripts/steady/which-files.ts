/**
 * Which test files `npm run test:steady` runs: those in doubt, and those that depend on time or on
 * other processes.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { z } from 'zod'

/**
 * Kept by hand: a file that failed on somebody's machine or in the hosted workflow, until the next
 * release.
 */
export const failedFiles = 'scripts/steady/failed-files.json'
const FailedFiles = z.array(z.strictObject({ file: z.string(), what: z.string() }))

export const readFailedFiles = (root: string): z.infer<typeof FailedFiles> =>
  FailedFiles.parse(JSON.parse(readFileSync(join(root, failedFiles), 'utf8')))

const isTest = (path: string): boolean =>
  /^test\/.*\.test\.tsx?$/.test(path) && !path.includes('.release.test.')

export const testFiles = (root: string): string[] =>
  globSync('test/**/*.test.{ts,tsx}', { cwd: root }).filter(isTest).toSorted()

/**
 * What makes a test depend on anything but what it computes: other processes, connections, a
 * browser, a clock.
 */
const unsteady =
  /'node:(child_process|worker_threads|net|http|https|tls|timers|timers\/promises)'|playwright-core|platform\/time\/clock|manual-clock|sqlite\/open-|setTimeout|performance\.now|Date\.now/

/** Test files that are, or that use anything below `test/` that is, of that kind. */
export function unsteadyFiles(root: string): string[] {
  const uses = new UsesOfTests(root)
  return testFiles(root).filter((file) =>
    uses.of(file).some((used) => unsteady.test(readFileSync(join(root, used), 'utf8'))),
  )
}

/**
 * Test files that a change touches: changed themselves, with a part of the tests they use, or of
 * the layer and the area that was changed (`src/server/work` and `src/doors/rest/work.ts` have
 * `test/server/work`, `web/src/work` has `test/browser/work`).
 */
export function touchedFiles(root: string, changed: readonly string[]): string[] {
  const uses = new UsesOfTests(root)
  const folders = changed.flatMap((path) => {
    const [, door, name] = /^src\/doors\/([^/]+)\/(.+)\.ts$/.exec(path) ?? []
    if (door) return [`test/server/${door}/`, `test/server/${name}/`]
    const [, layer, area, rest] = /^src\/([^/]+)\/([^/]+)\/(.+)$/.exec(path) ?? []
    if (rest) return [`test/${layer}/${area}/`]
    const [, place] = /^web\/src\/([^/]+)\/.+$/.exec(path) ?? []
    return place ? [`test/browser/${place}/`] : []
  })
  const isTouched = (file: string): boolean =>
    folders.some((folder) => file.startsWith(folder)) ||
    uses.of(file).some((used) => changed.includes(used))
  return testFiles(root).filter(isTouched)
}

/**
 * Against what it branched off from; on the main branch itself, against the commit before. What is
 * not committed counts too.
 */
export function changedSince(root: string, base: string | undefined): string[] {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const from = base ?? whereItBegan(git)
  const names = `${git('diff', '--name-only', '-z', from)}\0${git('ls-files', '--others', '--exclude-standard', '-z')}`
  return names.split('\0').filter((name) => name !== '')
}

function whereItBegan(git: (...args: string[]) => string): string {
  const head = git('rev-parse', 'HEAD').trim()
  try {
    const common = git('merge-base', 'HEAD', 'origin/main').trim()
    if (common !== head) return common
  } catch {
    // No such branch: a copy without its origin.
  }
  return 'HEAD~1'
}

/** What a test file uses below `test/`, through all that uses something itself; itself first. */
class UsesOfTests {
  readonly #root: string
  readonly #direct = new Map<string, string[]>()

  constructor(root: string) {
    this.#root = root
  }

  of(file: string): string[] {
    const found = new Set([file])
    for (const each of found) for (const used of this.#usedBy(each)) found.add(used)
    return [...found]
  }

  #usedBy(file: string): string[] {
    const known = this.#direct.get(file)
    if (known) return known
    const text = readFileSync(join(this.#root, file), 'utf8')
    const paths = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) =>
      relative(this.#root, join(this.#root, dirname(file), path)),
    )
    const used = paths.filter(
      (path) => path.startsWith('test/') && existsSync(join(this.#root, path)),
    )
    this.#direct.set(file, used)
    return used
  }
}
