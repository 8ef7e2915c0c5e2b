/**
 * The soak (RE8): `npm run test:soak`. The whole product under a mixed load for an hour; its memory
 * and its open files must stay where they are, and everything asked must have been answered. Writes
 * the head of docs/soak.md after a whole hour.
 *
 *   --minutes 5   a shorter one, which writes nothing
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from '../../src/client/client.ts'
import { startHoldfast } from '../support/running-server.ts'
import { type Flatness, flatness } from './flat.ts'
import { startLoad } from './load.ts'
import { figuresOf, type ProcessFigures } from './process-figures.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } })
const minutes = Number(values.minutes)
const wholeMinutes = 60
const sampleMs = 15_000
const mostGrowth = 1.1
/** What comes and goes with the moment: a collection that is due, sockets of followers. */
const slack = { rssMiB: 8, descriptors: 10 }

const holdfast = await startHoldfast({ up: true })
const client = createClient(holdfast)
let projectId: string | undefined
while (projectId === undefined) {
  projectId = (await client.get('/api/projects', {})).items[0]?.id
  await sleep(200)
}
await sleep(2000)
const coordinator = JSON.parse(
  readFileSync(join(holdfast.data, 'run', 'coordinator.json'), 'utf8'),
) as { pid: number }
const pids = { server: holdfast.pid, coordinator: coordinator.pid } as const
const samples = Object.fromEntries(Object.keys(pids).map((name) => [name, [] as ProcessFigures[]]))
const load = startLoad(holdfast, projectId)
const endAt = performance.now() + minutes * 60_000
while (performance.now() < endAt) {
  await sleep(sampleMs)
  for (const [name, pid] of Object.entries(pids)) samples[name]?.push(figuresOf(pid))
  const now = Object.entries(samples).map(
    ([name, all]) => `${name} ${all.at(-1)?.rssMiB.toFixed(0)} MiB ${all.at(-1)?.descriptors} fds`,
  )
  console.log(
    `${((minutes * 60_000 - (endAt - performance.now())) / 60_000).toFixed(1)} min: ${now.join(', ')}, ${load.failures.length} failures`,
  )
}
await load.stop()
const stopped = await holdfast.stop()

interface Row extends Flatness {
  readonly what: string
}
const rows: Row[] = Object.entries(samples).flatMap(([name, all]) =>
  (['rssMiB', 'descriptors'] as const).map((figure) => ({
    what: `${name}, ${figure === 'rssMiB' ? 'memory (MiB)' : 'open files'}`,
    ...flatness(
      all.map((sample) => sample[figure]),
      mostGrowth,
      slack[figure],
    ),
  })),
)
const table = [
  '| | second quarter | last quarter | growth | |',
  '|---|---|---|---|---|',
  ...rows.map(
    ({ what, before, after, growth, flat }) =>
      `| ${what} | ${before.toFixed(0)} | ${after.toFixed(0)} | ${growth.toFixed(2)}x | ${flat ? 'flat' : 'GROWS'} |`,
  ),
].join('\n')
const done = Object.entries(load.done).map(([what, count]) => `${count} ${what}`)
console.log(
  `\n${table}\n\n${done.join(', ')}; ${load.failures.length} failures; stopped with ${stopped}`,
)
for (const failure of load.failures) console.log(`- ${failure}`)
if (minutes >= wholeMinutes) {
  const page = join(import.meta.dirname, '..', '..', 'docs', 'soak.md')
  const written = readFileSync(page, 'utf8')
  // What was written by hand about earlier runs stays.
  const byHand = written.indexOf('\n## ')
  writeFileSync(page, documentOf() + (byHand < 0 ? '' : written.slice(byHand)))
}
const fine = rows.every(({ flat }) => flat) && load.failures.length === 0 && stopped === 0
process.exit(fine ? 0 : 1)

function documentOf(): string {
  return `# The soak: an hour of mixed load

Written by \`npm run test:soak\` (RE8). Medians over a quarter of the time each; flat is at most ${mostGrowth}x and a little that comes and goes.

- ${minutes} minutes, ${cpus().length} cores, Node ${process.versions.node}, SQLite in a data folder
- Done meanwhile: ${done.join(', ')}
- Not answered as it should be: ${load.failures.length}

${table}
`
}
