/**
 * The fault bench, whole: `npm run test:faults`. Prints a line for each part as it ends and a table
 * at the end, writes docs/faults.md after a complete run, and ends with 1 when anything was lost,
 * doubled, reordered or torn, when a control was not caught, or when a figure does not hold.
 *
 *   --only kill,power-cut   some parts only    --seed TEXT   other points    --scale 0.1   a tenth of the points
 *   --minutes 20   kills of files and gateways end after so long for each part, and the row says how many there were
 *   --write   the rows of some parts replace those in docs/faults.md
 */

import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { productFolder } from './build.ts'
import { newTally } from './oracle.ts'
import type { Bench } from './parts/part.ts'
import { parts } from './parts/parts.ts'
import { documentOf, markdownTable, passed, type Result, withRows } from './table.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: 'holdfast' },
    scale: { type: 'string', default: '1' },
    minutes: { type: 'string', default: 'Infinity' },
    write: { type: 'boolean', default: false },
  },
})
const scale = Number(values.scale)
if (!(scale > 0)) throw new Error('--scale takes a number above 0')
const names = values.only?.split(',') ?? Object.keys(parts)

const bench: Bench = {
  seed: values.seed,
  points: (whole) => Math.max(1, Math.round(whole * scale)),
  lanes: Math.max(1, Math.min(4, cpus().length)),
  withinMs: Number(values.minutes) * 60_000,
}
console.log(`seed ${values.seed}, scale ${scale}, parts ${names.join(', ')}`)

/** A part that could not come to its end has proven nothing. */
const brokenOff = (name: string, error: unknown): Result => ({
  rule: '',
  test: name,
  points: 'broken off',
  seed: values.seed,
  tally: {
    ...newTally(),
    torn: 1,
    first: error instanceof Error ? (error.stack ?? error.message) : String(error),
  },
  controls: [],
  seconds: 0,
})

const results: Result[] = []
for (const name of names) {
  const part = parts[name]
  if (!part) throw new Error(`There is no part ${name}; there are ${Object.keys(parts).join(', ')}`)
  const startedAt = performance.now()
  console.log(`${name} …`)
  const done = await part(bench).catch((error): Result[] => [brokenOff(name, error)])
  for (const result of done) {
    console.log(
      `${passed(result) ? 'ok  ' : 'FAIL'} ${result.rule} ${result.test}: ${result.notRun ?? result.points}`,
    )
    if (result.tally.first) console.log(`     ${result.tally.first}`)
  }
  console.log(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  results.push(...done)
}
console.log(`\n${markdownTable(results)}`)
const document = join(productFolder, 'docs', 'faults.md')
if (values.write) await writeFile(document, withRows(await readFile(document, 'utf8'), results))
else if (values.only === undefined && scale === 1) {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${process.platform} ${process.arch}, Node ${process.versions.node}, SQLite ${process.versions.sqlite}`
  await writeFile(document, documentOf(results, values.seed, machine))
}
process.exit(results.every(passed) ? 0 : 1)
