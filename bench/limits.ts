/**
 * How far it goes (SC6): measures the constants of this machine's PostgreSQL, scales them with the
 * model beside this file, and writes docs/operating/limits.md. `npm run bench:limits`; takes about
 * a minute and wants the machine for itself.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../test/faults/postgres-for-faults.ts'
import { appendRate } from './append/writers.ts'
import { machineLine } from './harness/machine.ts'
import { type Constants, type Habit, type Scaled, scaled, waitAt } from './limits/model.ts'
import { ours } from './sp05-append-postgres.bench.ts'

const writers = 32
const rounds = 5
const appendsPerRound = 4000
const onOneStream = 16
const notifications = 20_000
const listeners = 8

/**
 * A chat every ten seconds with a warm agent, its turn in pieces of 50 ms gathered to 4 appends a
 * second while it talks, a fifth of the time.
 */
const habit: Habit = { appends: 1.2, appendsAtHome: 0.02 }
const people = [10, 100, 500, 1000, 2000, 5000]
const nodesFor = (count: number): number => Math.max(1, Math.ceil(count / 500))

const median = (values: number[]): number =>
  values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

async function measured(): Promise<Constants> {
  const postgres = await startPostgres()
  try {
    const store = await ours(await postgres.newUrl(), writers)
    const rates: number[] = []
    const serial: number[] = []
    for (let round = 0; round < rounds; round++) {
      rates.push(await appendRate(store.append, writers, appendsPerRound))
      serial.push(await appendRate(() => store.append('w0'), onOneStream, appendsPerRound / 4))
    }
    await store.close()
    return {
      appends: median(rates),
      appendsOfOneStream: median(serial),
      notifications: await notificationRate(await postgres.newUrl()),
    }
  } finally {
    await postgres.stop()
  }
}

/** How many PostgreSQL hands out in a second, all listeners together. */
async function notificationRate(url: string): Promise<number> {
  const clients = Array.from(
    { length: listeners + 1 },
    () => new pg.Client({ connectionString: url }),
  )
  for (const client of clients) await client.connect()
  const [bell, ...ears] = clients as [pg.Client, ...pg.Client[]]
  let heard = 0
  const all = Promise.withResolvers<void>()
  for (const ear of ears) {
    await ear.query('listen bell')
    ear.on('notification', () => {
      if (++heard === notifications * listeners) all.resolve()
    })
  }
  const from = performance.now()
  for (let n = 0; n < notifications; n += 100) {
    await bell.query(`select pg_notify('bell', n::text) from generate_series(${n}, ${n + 99}) n`)
  }
  await all.promise
  const rate = (notifications * listeners * 1000) / (performance.now() - from)
  for (const client of clients) await client.end()
  return rate
}

const ms = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1))
const percent = (load: number): string => `${(100 * load).toFixed(load < 0.1 ? 1 : 0)} %`
const over = (load: number): boolean => load >= 1

function rowOf({ people: count, nodes, database, home, notificationsLoad }: Scaled): string {
  const wait = over(database.load)
    ? 'grows without end'
    : `${ms(database.medianMs)} / ${ms(database.p99Ms)} ms`
  return `| ${count.toLocaleString('en')} | ${nodes} | ${percent(database.load)} | ${wait} | ${percent(home.load)} | ${percent(notificationsLoad)} |`
}

const constants = await measured()
const table = people.map((count) => rowOf(scaled(count, nodesFor(count), constants, habit)))
const loads = [0.3, 0.5, 0.8, 0.95].map((load) =>
  waitAt(load * constants.appends, constants.appends),
)
const round = (value: number): string => Math.round(value).toLocaleString('en')
const figures = `${machineLine()}

| measured, with PostgreSQL on the same two cores | a second |
|---|---|
| appends to different streams, one node, ${writers} writers | ${round(constants.appends)} |
| appends to one stream, ${onOneStream} writers | ${round(constants.appendsOfOneStream)} |
| notifications handed out, ${listeners} listeners together | ${round(constants.notifications)} |

| people with a busy agent | nodes | load of the database | a write waits, median / p99 | load of the busiest stream | load by notifications |
|---|---|---|---|---|---|
${table.join('\n')}

A write under load: ${loads.map(({ load, p99Ms }) => `${percent(load)} ${ms(p99Ms)} ms`).join(', ')} (p99, simulated).`

console.log(figures)
const file = join(import.meta.dirname, '..', 'docs', 'operating', 'limits.md')
const [before = '', rest = ''] = readFileSync(file, 'utf8').split('<!-- figures -->\n')
const after = rest.split('<!-- end of figures -->')[1] ?? ''
writeFileSync(file, `${before}<!-- figures -->\n${figures}\n<!-- end of figures -->${after}`)
