/**
 * `npm run test:steady`: are the tests steady? First every file in doubt
 * (`scripts/steady/failed-files.json`, and what the change touches) 50 times, half of them with the
 * cores busy; then all that depend on processes, browsers or clocks as often as there is time, in
 * an order drawn from a seed. It takes at most 40 minutes. The last line counts the failures; with
 * one, it ends with 1.
 */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { keepCoresBusy } from './steady/busy-cores.ts'
import { testSteadily } from './steady/steadily.ts'
import {
  changedSince,
  readFailedFiles,
  testFiles,
  touchedFiles,
  unsteadyFiles,
} from './steady/which-files.ts'
import { memoryEnvironment, memoryFolder } from './test/memory-folder.ts'
import { type Environment, runTestsWithin } from './test/run-tests.ts'

const mostMinutes = 40
const usage =
  'npm run test:steady -- [--minutes 40] [--times 50] [--seed WORD] [--base COMMIT] [FILE …]'

const root = join(import.meta.dirname, '..')

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string' },
      times: { type: 'string' },
      seed: { type: 'string' },
      base: { type: 'string' },
    },
  })
  const minutes = Number(values.minutes ?? mostMinutes)
  const times = Number(values.times ?? 50)
  if (!(minutes > 0 && minutes <= mostMinutes) || !(Number.isInteger(times) && times >= 0))
    throw new Error(`--minutes is at most ${mostMinutes}, --times a whole number.`)
  const known = testFiles(root)
  const named = positionals.filter((file) => !known.includes(file))
  if (named.length > 0) throw new Error(`No test file: ${named.join(', ')}`)
  const touched = touchedFiles(root, changedSince(root, values.base))
  const inDoubt = [...new Set([...readFailedFiles(root).map(({ file }) => file), ...touched])]

  const memory = memoryFolder()
  const environment: Environment = memoryEnvironment(memory, tmpdir())
  const result = await testSteadily(
    {
      inDoubt: positionals.length > 0 ? positionals : inDoubt,
      all: positionals.length > 0 ? positionals : unsteadyFiles(root),
      times,
      limitMs: minutes * 60_000,
      seed: values.seed ?? Date.now().toString(36),
    },
    {
      now: () => performance.now(),
      print: console.log,
      run: async (files, { busy, withinMs, seed }) => {
        const rest = busy ? keepCoresBusy() : () => {}
        const outcome = await runTestsWithin(
          root,
          files,
          { ...environment, TEST_ORDER_SEED: seed },
          { quiet: true, withinMs },
        )
        rest()
        return outcome
      },
    },
  )
  memory?.remove()
  console.log(`\n${result.lastLine}`)
  return result.failed.length > 0 || result.tests === 0 ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  console.log(`${error instanceof Error ? error.message : String(error)}\nUse: ${usage}`)
  process.exitCode = 1
}
