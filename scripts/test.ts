/**
 * `npm test`: the checks, the fast tests and those that start processes, all three at once, because each leaves part of the
 * machine idle; the last line counts them together. Arguments narrow it to the tests they name and leave the checks out:
 * `npm test -- test/doors`.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChecks } from './check/steps.ts'

interface TestReport {
  readonly testResults: readonly {
    readonly status: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

/** The rooms of vitest.config.ts. */
const rooms = ['fast', 'processes']

/** Behind a pipe it cannot tell by itself. */
const colour = process.stdout.isTTY ? ['--color'] : []

const root = join(import.meta.dirname, '..')
const narrowTo = process.argv.slice(2)
const totals = { passed: 0, failed: 0, skipped: 0 }

if (narrowTo.length === 0) await Promise.all([check(), ...rooms.map((room) => runTests(room, ['--project', room]))])
else await runTests('', narrowTo)

const { passed, failed, skipped } = totals
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed > 0 ? 1 : 0

async function check(): Promise<void> {
  const checks = await runChecks(root, console.log)
  totals.passed += checks.passed
  totals.failed += checks.failed
}

async function runTests(room: string, args: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-report-'))
  const reportFile = join(folder, 'report.json')
  try {
    const code = await vitest(['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...args])
    const failedTests = count(JSON.parse(readFileSync(reportFile, 'utf8')) as TestReport)
    // Something outside of a test went wrong (an unhandled error, say): never a pass.
    if (code !== 0 && failedTests === 0) totals.failed++
  } catch (error) {
    console.log(`The tests ${room} left no report: ${String(error)}`)
    totals.failed++
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Adds to the totals; answers how many of these failed. */
function count(report: TestReport): number {
  const before = totals.failed
  for (const file of report.testResults) {
    if (file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed')) totals.failed++
    for (const { status } of file.assertionResults) {
      totals[status === 'passed' ? 'passed' : status === 'failed' ? 'failed' : 'skipped']++
    }
  }
  return totals.failed - before
}

function vitest(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args, ...colour], {
      cwd: root,
      env: {
        ...process.env,
        // Hundreds of stores are opened, each with a thread that loads the same sources: with them compiled, in half the time.
        NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
        // Both rooms share one PostgreSQL, which lives as long as this process.
        TEST_RUN_PID: String(process.pid),
      },
      stdio: ['inherit', 'pipe', 'pipe'],
    })
    // Through a pipe: two of them must not redraw one terminal. Whole lines, so that they do not mix within one.
    child.stdout.on('data', wholeLines(process.stdout))
    child.stderr.on('data', wholeLines(process.stderr))
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
}

function wholeLines(to: NodeJS.WriteStream): (chunk: Buffer) => void {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk) => {
    rest += decoder.decode(chunk, { stream: true })
    const end = rest.lastIndexOf('\n') + 1
    to.write(rest.slice(0, end))
    rest = rest.slice(end)
  }
}
