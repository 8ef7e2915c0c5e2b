/**
 * `npm test`: the checks, the fast tests and those that start processes, all three at once, because each leaves part of the
 * machine idle; the last lines say what failed and count everything together. Arguments narrow it to the tests they name and
 * leave the checks out: `npm test -- test/doors`.
 *
 * A file that fails in the crowd is run once more with the machine to itself. What fails twice has failed; what passes then is
 * named as unsteady, for such a test waits for a time instead of an event, or the product does. `--strict` fails it too.
 */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runChecks } from './check/steps.ts'
import { memoryFolder } from './test/memory-folder.ts'
import { type Environment, type FailedTest, runTests, type TestOutcome } from './test/run-tests.ts'

/** The rooms of vitest.config.ts. */
const rooms = ['fast', 'processes']
/** More than this is no accident of a crowded machine. */
const maxFilesRunAgain = 4

const root = join(import.meta.dirname, '..')
const { values, positionals: narrowTo } = parseArgs({ options: { strict: { type: 'boolean' } }, allowPositionals: true })

const checks = narrowTo.length === 0 ? runChecks(root, console.log) : { passed: 0, failed: 0 }
const runs = narrowTo.length === 0 ? rooms.map((room) => ['--project', room]) : [narrowTo]
const memory = memoryFolder()
// Both rooms share one PostgreSQL, which takes a moment longer than we do to end. The browser is unpacked once, not for each run.
const environment: Environment = memory
  ? { TMPDIR: memory.folder, TEST_POSTGRES_FOLDER: memory.place, TEST_BROWSER_FOLDER: tmpdir() }
  : {}
const outcomes = await Promise.all(runs.map((args) => runTests(root, args, environment)))
const ofChecks = await checks

const failedAtFirst = outcomes.flatMap(({ failed }) => failed)
const failed = values.strict ? failedAtFirst : await stillFailing(failedAtFirst)
const unsteady = failedAtFirst.filter((test) => !failed.some((other) => isSame(test, other)))
tell('Passed only with the machine to itself, which is a defect to mend:', unsteady)
tell('Failed:', failed)

const sum = (of: (outcome: TestOutcome) => number): number => outcomes.reduce((total, outcome) => total + of(outcome), 0)
const passed = ofChecks.passed + sum((outcome) => outcome.passed) + unsteady.length
const skipped = sum((outcome) => outcome.skipped)
const failures = ofChecks.failed + failed.length
console.log(`\n${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
memory?.remove()
process.exitCode = failures > 0 ? 1 : 0

async function stillFailing(tests: readonly FailedTest[]): Promise<readonly FailedTest[]> {
  const files = [...new Set(tests.map(({ file }) => file))]
  if (files.length === 0 || files.length > maxFilesRunAgain || files.includes('')) return tests
  console.log(`\nOnce more, alone: ${files.join(', ')}`)
  const again = (await runTests(root, files, environment)).failed
  // A file that could not even be loaded has no titles to compare: its tests are those that fail now.
  return again.length === 0 ? [] : [...tests.filter((test) => again.some((other) => isSame(test, other))), ...again.filter(isNew)]

  function isNew(test: FailedTest): boolean {
    return !tests.some((other) => isSame(test, other))
  }
}

function isSame(one: FailedTest, other: FailedTest): boolean {
  return one.file === other.file && one.title === other.title
}

function tell(heading: string, tests: readonly FailedTest[]): void {
  if (tests.length === 0) return
  console.log(`\n${heading}`)
  for (const { file, title, why } of tests) console.log(`- ${file}: ${title}\n${why.replace(/^/gm, '    ')}`)
}
