/**
 * The lockfile is complete (`npm ci` would accept it, and the native packages of every platform we
 * name are in it) and names no registry, so that it installs from whichever one the reader uses.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './run-command.ts'

interface LockEntry {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  /** A folder of this repository, in both of its entries: `runtime` and the link to it. */
  readonly link?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** What is wrong with the text of a lockfile, in sentences. */
export function lockfileProblems(text: string): string[] {
  const packages = (JSON.parse(text) as { packages: Record<string, LockEntry> }).packages
  const problems: string[] = []
  for (const [path, entry] of Object.entries(packages)) {
    if (entry.link === true || !path.startsWith('node_modules/')) continue
    if (entry.resolved !== undefined) problems.push(`${path} names a registry: ${entry.resolved}`)
    if (entry.integrity === undefined) problems.push(`${path} has no integrity`)
  }
  for (const [path, entry] of Object.entries(packages)) {
    for (const name of Object.keys(entry.optionalDependencies ?? {})) {
      const nested = path === '' ? undefined : packages[`${path}/node_modules/${name}`]
      if (nested === undefined && packages[`node_modules/${name}`] === undefined) {
        problems.push(
          `${name}, an optional dependency of ${path === '' ? 'this package' : path}, is missing`,
        )
      }
    }
  }
  return problems
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..', '..')
  const problems = lockfileProblems(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  for (const problem of problems) console.log(problem)
  const npm = process.env['npm_execpath']?.endsWith('.js')
    ? [process.env['npm_node_execpath'] ?? process.execPath, process.env['npm_execpath']]
    : ['npm']
  const { code, output } = await runCommand(root, [
    ...npm,
    'ci',
    '--dry-run',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ])
  if (code !== 0) console.log(output)
  if (problems.length > 0 || code !== 0) process.exitCode = 1
}
