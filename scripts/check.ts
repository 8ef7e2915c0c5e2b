/** `npm run check`: everything that can be judged without starting the product. */
import { join } from 'node:path'
import { runChecks } from './check/steps.ts'

const { failed } = await runChecks(join(import.meta.dirname, '..'), console.log)
if (failed > 0) {
  console.log(`\n${failed} of the checks failed.`)
  process.exitCode = 1
}
