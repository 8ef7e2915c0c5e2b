/**
 * RE1 over HTTP: the real server under load, killed with -9 again and again, also while it starts,
 * and started on the same folder and port. Clients send again what was not answered, with its key.
 * One follows the events all the while and comes back with its cursor: it must have every event
 * once and in order.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '../../src/client/client.ts'
import { type EventWatch, watchEvents } from '../../src/client/event-stream.ts'
import { home, type StreamName } from '../../src/domain/stream-name.ts'
import { decodeCursor, encodeCursor } from '../../src/store/page-cursor.ts'
import { examine } from './examine.ts'
import type { KillOptions, KillResult } from './kill.ts'
import { Ledger } from './ledger.ts'
import { runLoad } from './load.ts'
import { addTo, newTally } from './oracle.ts'
import { Sightings } from './ordering/sightings.ts'
import { chance } from './random.ts'
import { sendOverHttp } from './send-over-http.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const attemptsPerWriter = 200
const caughtUpMs = 30_000

/** About as long as a start takes: a server killed then is killed in the middle of it. */
const startsInMs = 350

export async function serverKills({
  build,
  seed,
  kills,
  stopEarly,
}: Omit<KillOptions, 'library'>): Promise<KillResult> {
  const data = await mkdtemp(join(tmpdir(), 'holdfast-kill-server-'))
  const dice = chance(seed)
  const ledger = new Ledger(() => 'owner')
  const sightings = new Sightings()
  const result = { kills: 0, sentAgain: 0, acknowledged: 0, tally: newTally() }
  let port = 0
  let client: Client | undefined
  let watch: EventWatch | undefined
  let server: ServerProcess | undefined
  const start = async (): Promise<Client> => {
    server = await startServer(build, data, port)
    const { url, token } = await server.ready
    port = Number(new URL(url).port)
    client ??= createClient({ url, token })
    watch ??= await follow(client, sightings)
    return client
  }
  try {
    for (let kill = 0; kill < kills; kill++) {
      if (kill % 4 === 3)
        await killWhileStarting(await startServer(build, data, port), dice.below(startsInMs))
      else {
        const http = await start()
        const again = ledger.unresolved()
        result.sentAgain += again.length
        await workUntilKilled(
          http,
          server as ServerProcess,
          ledger,
          `${seed}/${kill}`,
          String(kill),
          1 + dice.below(90),
        )
      }
      result.kills++
      const findings = await examine({ folder: data }, ledger, false)
      addTo(result.tally, findings, `seed ${seed}, kill ${kill} of the server`)
      if (stopEarly && result.tally.first) return result
    }
    const head = await lastEvent(await start(), sightings)
    server?.child.kill('SIGTERM')
    await server?.exited
    addTo(
      result.tally,
      sightings.end(new Map<StreamName, number>([[home, head]])),
      `seed ${seed}, the client that follows`,
    )
    addTo(
      result.tally,
      await examine({ folder: data }, ledger, false),
      `seed ${seed}, after an orderly end`,
    )
    return { ...result, acknowledged: ledger.acknowledged.size }
  } finally {
    watch?.close()
    server?.child.kill('SIGKILL')
    await server?.exited
    await rm(data, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** From the very first event on: the server may have written one of its own already. */
async function follow(client: Client, sightings: Sightings): Promise<EventWatch> {
  const { cursor } = await client.get('/api/snapshot', { query: { streams: home } })
  const after = encodeCursor(
    decodeCursor(cursor)?.incarnation ?? '',
    new Map<StreamName, number>([[home, 0]]),
  )
  return watchEvents(client, {
    streams: [home],
    after,
    onEvent: ({ stream, seq }) => sightings.see(stream, seq),
    onSnapshot: () => sightings.findings.lost.push('a snapshot came where events must come'),
  })
}

async function workUntilKilled(
  client: Client,
  server: ServerProcess,
  ledger: Ledger,
  seed: string,
  run: string,
  after: number,
) {
  let acknowledged = 0
  let killed = false
  await runLoad({
    run,
    chance: chance(seed),
    writers: 6,
    each: attemptsPerWriter,
    again: ledger.unresolved(),
    overHttp: true,
    send: sendOverHttp(() => client),
    goOn: () => !killed,
    report: (report) => {
      ledger.take(report)
      if (report.type !== 'acknowledged' || ++acknowledged !== after) return
      killed = true
      server.child.kill('SIGKILL')
    },
  })
  if (!killed) server.child.kill('SIGKILL')
  await server.exited
}

async function killWhileStarting({ child, exited }: ServerProcess, afterMs: number): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs)
  await exited
  clearTimeout(timer)
}

/** One more write, so that a reader with its event has everything before it. */
async function lastEvent(client: Client, sightings: Sightings): Promise<number> {
  const before = sightings.count
  await client.post('/api/projects', { body: { name: 'the last one' } })
  const { cursor } = await client.get('/api/snapshot', { query: { streams: home } })
  const head = decodeCursor(cursor)?.heads.get(home) ?? 0
  const deadline = performance.now() + caughtUpMs
  while (
    !sightings.hasReached(new Map<StreamName, number>([[home, head]])) &&
    performance.now() < deadline
  ) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  if (sightings.count === before && head > before)
    sightings.findings.lost.push('the client that follows never came back')
  return head
}
