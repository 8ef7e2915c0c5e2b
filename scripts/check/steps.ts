/**
 * The checks that need no running product: what each one is called and the command that does it.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { runCommand } from './run-command.ts'

interface Step {
  readonly name: string
  readonly argv: readonly string[]
}

const tool = (path: string, ...args: string[]): readonly string[] => [
  process.execPath,
  join('node_modules', path),
  ...args,
]
const script = (path: string, ...args: string[]): readonly string[] => [
  process.execPath,
  join('scripts', path),
  ...args,
]

/**
 * In one thread: each further one would look at the same types again, and other checks wait for the
 * cores. What was found is kept, so that the next check looks only at what has changed since.
 */
const typesOf = (project: string): readonly string[] => {
  const kept = join('node_modules', '.cache', `types-${project.replace('/', '-')}`)
  const how = ['--noEmit', '--singleThreaded', '--incremental', '--tsBuildInfoFile', kept]
  return tool('ts7/bin/tsc', ...how, '-p', project)
}

/** The slowest first, so that the last one to finish is a short one. */
const steps: readonly Step[] = [
  { name: 'types', argv: typesOf('tsconfig.json') },
  { name: 'types of the page', argv: typesOf('web/tsconfig.json') },
  { name: 'dead code', argv: tool('knip/bin/knip.js', '--no-progress') },
  { name: 'import directions', argv: script('check/import-directions.ts') },
  {
    name: 'format and lint',
    argv: tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--max-diagnostics=50'),
  },
  { name: 'generated docs', argv: script('generate-docs.ts', '--check') },
  { name: 'lockfile', argv: script('check/lockfile.ts') },
  { name: 'commit subjects', argv: script('check/commit-subjects.ts') },
]

export interface CheckTotals {
  readonly passed: number
  readonly failed: number
}

/**
 * Runs all of them, as many at once as there are cores; one line each, the whole output of those
 * that fail.
 */
export async function runChecks(root: string, print: (line: string) => void): Promise<CheckTotals> {
  const waiting = [...steps]
  const totals = { passed: 0, failed: 0 }
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const { code, output, seconds } = await runCommand(root, step.argv)
      const fine = code === 0
      totals[fine ? 'passed' : 'failed']++
      print(
        `${fine ? 'ok  ' : 'FAIL'}  ${step.name.padEnd(18)} ${seconds.toFixed(1).padStart(5)} s`,
      )
      if (!fine) print(output.trimEnd())
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return totals
}
