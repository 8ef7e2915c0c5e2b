/**
 * `npm test`: the checks, then every test; the last line counts both. Arguments narrow it to the tests they name and leave
 * the checks out: `npm test -- test/doors`.
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

const root = join(import.meta.dirname, '..')
const narrowTo = process.argv.slice(2)
const totals = { passed: 0, failed: 0, skipped: 0 }

if (narrowTo.length === 0) {
  const checks = await runChecks(root, console.log)
  totals.passed += checks.passed
  totals.failed += checks.failed
}
await runTests()

const { passed, failed, skipped } = totals
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed > 0 ? 1 : 0

async function runTests(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-report-'))
  const reportFile = join(folder, 'report.json')
  try {
    const code = await vitest(['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...narrowTo])
    const before = totals.failed
    count(JSON.parse(readFileSync(reportFile, 'utf8')) as TestReport)
    // Something outside of a test went wrong (an unhandled error, say): never a pass.
    if (code !== 0 && totals.failed === before) totals.failed++
  } catch (error) {
    console.log(`The tests left no report: ${String(error)}`)
    totals.failed++
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function count(report: TestReport): void {
  for (const file of report.testResults) {
    if (file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed')) totals.failed++
    for (const { status } of file.assertionResults) {
      totals[status === 'passed' ? 'passed' : status === 'failed' ? 'failed' : 'skipped']++
    }
  }
}

function vitest(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
      cwd: root,
      // Hundreds of stores are opened, each with a thread that loads the same sources: with them compiled, in half the time.
      env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled') },
      stdio: 'inherit',
    })
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
}
