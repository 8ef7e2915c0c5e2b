/**
 * `npm test`: the checks, the fast tests and those that start processes, all three at once, because
 * each leaves part of the machine idle; the last lines say what failed and count everything
 * together. Arguments narrow it to the tests they name and leave the checks out:
 * `npm test -- test/server`. `npm run test:release` is all that and what takes too long for each
 * change: `--release`. A test that fails has failed: none is run a second time.
 */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChecks } from './check/steps.ts'
import { memoryEnvironment, memoryFolder } from './test/memory-folder.ts'
import { type Environment, runTests, type TestOutcome } from './test/run-tests.ts'

const root = join(import.meta.dirname, '..')
const narrowTo = process.argv.slice(2).filter((argument) => argument !== '--release')
const release = process.argv.includes('--release')
/** The rooms of vitest.config.ts. */
const rooms = ['fast', 'processes', ...(release ? ['release'] : [])]

const checks = narrowTo.length === 0 ? runChecks(root, console.log) : { passed: 0, failed: 0 }
const runs = narrowTo.length === 0 ? rooms.map((room) => ['--project', room]) : [narrowTo]
const memory = memoryFolder()
const environment: Environment = {
  ...memoryEnvironment(memory, tmpdir()),
  ...(release && { TEST_EXTENT: 'release' }),
}
const outcomes = await Promise.all(runs.map((args) => runTests(root, args, environment)))
const ofChecks = await checks

const failed = outcomes.flatMap((outcome) => outcome.failed)
if (failed.length > 0) console.log('\nFailed:')
for (const { file, title, why } of failed)
  console.log(`- ${file}: ${title}\n${why.replace(/^/gm, '    ')}`)

const sum = (of: (outcome: TestOutcome) => number): number =>
  outcomes.reduce((total, outcome) => total + of(outcome), 0)
const passed = ofChecks.passed + sum((outcome) => outcome.passed)
const skipped = sum((outcome) => outcome.skipped)
const failures = ofChecks.failed + failed.length
console.log(`\n${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
memory?.remove()
process.exitCode = failures > 0 ? 1 : 0
