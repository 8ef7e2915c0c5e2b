/**
 * `npm run bench`: measures, prints the table and writes it to docs/bench.md.
 *   npm run bench -- sp5            only this operation
 *   npm run bench -- --rounds 15    more than the 9 that count
 *   npm run bench -- --json         the figures of every round, and nothing is written
 */
import { parseArgs } from 'node:util'
import { machineLine } from './harness/machine.ts'
import { measure, type Measurement, minRounds } from './harness/measure.ts'
import { textTable } from './harness/table.ts'
import { exitCodeOf } from './harness/verdict.ts'
import { coldStart } from './sp01-cold-start.bench.ts'
import { durableAppend } from './sp05-append.bench.ts'

const operations = { sp1: coldStart, sp5: durableAppend }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: String(minRounds) }, json: { type: 'boolean', default: false } },
})
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < minRounds) throw new Error(`--rounds takes a whole number, ${minRounds} or more`)
const unknown = positionals.filter((name) => !(name in operations))
if (unknown.length > 0) throw new Error(`There is no operation ${unknown.join(', ')}; there are ${Object.keys(operations).join(', ')}`)

const measured: Measurement[] = []
for (const [name, comparisons] of Object.entries(operations)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  for (const comparison of comparisons) {
    if (!values.json) console.error(`measuring ${comparison.title}`)
    measured.push(await measure(comparison, rounds))
  }
}

if (values.json) {
  console.log(JSON.stringify({ machine: machineLine(), rounds, measured }, null, 2))
} else {
  console.log(textTable(measured))
}
process.exitCode = exitCodeOf(measured.map(({ outcome }) => outcome))
