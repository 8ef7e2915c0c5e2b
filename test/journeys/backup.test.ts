/**
 * The drill: back up under load, restore elsewhere, go on. Real server processes, real writers, the
 * real command. On PostgreSQL in `npm run test:release`.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import { main } from '../support/built-product.ts'
import { amount } from '../support/extent.ts'
import { followEvents } from '../support/feed-clients.ts'
import { newPostgresUrl } from '../support/postgres.ts'
import { type RunningHoldfast, startHoldfast } from '../support/running-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const writersAtOnce = 4
const enough = 100
/**
 * Pause of each writer, once there is enough: what is backed up must change meanwhile, not as fast
 * as it can.
 */
const restMs = 50

/** As a program runs it; a failure of the command is a failure of the test. */
async function holdfast(argv: readonly string[], env: Readonly<Record<string, string>>) {
  const child = execFile(process.execPath, [main, ...argv, '--json'], {
    env: { ...process.env, ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const written = { stdout: '', stderr: '' }
  child.stdout?.on('data', (text) => (written.stdout += text))
  child.stderr?.on('data', (text) => (written.stderr += text))
  const [code] = await once(child, 'close')
  expect([code, written.stderr]).toEqual([0, ''])
  return JSON.parse(written.stdout)
}

interface Load {
  /** Ids of projects the server has said are kept, in the order it said so. */
  readonly acknowledged: readonly string[]
  stop(): Promise<void>
}

function write(client: Client): Load {
  const acknowledged: string[] = []
  let writing = true
  const writers = Array.from({ length: writersAtOnce }, async (_, writer) => {
    for (let i = 0; writing; i++) {
      acknowledged.push(
        (await client.post('/api/projects', { body: { name: `${writer}-${i}` } })).id,
      )
      if (acknowledged.length > enough) await pause(restMs)
    }
  })
  return {
    acknowledged,
    stop: async () => {
      writing = false
      await Promise.all(writers)
    },
  }
}

const clientOf = ({ url, token }: RunningHoldfast): Client => createClient({ url, token })
const portOf = ({ url }: RunningHoldfast): number => Number(new URL(url).port)

const projectsOf = async (client: Client): Promise<Set<string>> => {
  const ids = new Set<string>()
  for await (const { id } of client.pages('/api/projects', { query: { limit: 200 } })) ids.add(id)
  return ids
}

const places = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ DATABASE_URL: await newPostgresUrl() }),
} as const

test.each(amount(['SQLite'] as const, ['SQLite', 'PostgreSQL'] as const))(
  '[RE10] backed up under load on %s and restored into a new place: what was acknowledged is there, an old cursor gets a snapshot',
  { timeout: 120_000 },
  async (engine) => {
    const env = await places[engine]()
    const first = await startHoldfast({ onFile: true, env })
    onTestFinished(() => first.kill())
    const load = write(clientOf(first))
    await expect.poll(() => load.acknowledged.length).toBeGreaterThan(enough)
    const { cursor } = await clientOf(first).get('/api/snapshot', { query: { streams: 'home' } })

    const file = join(temporaryFolder(), 'drill.backup')
    const before = [...load.acknowledged]
    const backup = await holdfast(['backup', file, '--data', first.data], env)
    const during = load.acknowledged.length - before.length
    await load.stop()
    expect(backup).toMatchObject({ file, verified: true })
    expect(backup.events).toBeGreaterThanOrEqual(before.length)
    expect(during, 'the server went on while it was backed up').toBeGreaterThan(0)
    // What the old place has beyond the backup makes an old cursor dangerous: its numbers are not
    // the new place's.
    const later = await clientOf(first).get('/api/snapshot', { query: { streams: 'home' } })
    expect(await first.stop()).toBe(0)

    const elsewhere = await places[engine]()
    const data = temporaryFolder()
    const restored = await holdfast(['restore', file, '--data', data, '--yes'], elsewhere)
    expect(restored).toMatchObject({ events: backup.events, keptAt: null })
    expect(restored.incarnation).not.toBe(backup.incarnation)

    const second = await startHoldfast({ data, onFile: true, env: elsewhere })
    onTestFinished(() => second.kill())
    const there = await projectsOf(clientOf(second))
    expect(before.filter((id) => !there.has(id))).toEqual([])

    for (const after of [cursor, later.cursor]) {
      const feed = await followEvents({
        port: portOf(second),
        token: second.token,
        streams: 'home',
        after,
      })
      const { event, data: snapshot, id } = await feed.next()
      expect(event).toBe('snapshot')
      expect(snapshot.state.home.projects.length).toBeGreaterThan(0)
      // And from there on it hears again.
      const made = await clientOf(second).post('/api/projects', {
        body: { name: 'after the restore' },
      })
      const heard = await feed.next()
      expect([heard.event === 'snapshot', heard.data.data.project.id, heard.id === id]).toEqual([
        false,
        made.id,
        false,
      ])
      feed.close()
    }

    const { deep } = await holdfast(['doctor', '--deep', '--data', data], {
      ...elsewhere,
      HOLDFAST_PORT: '0',
    })
    expect(deep.findings).toEqual([])
    expect(deep.rows).toBeGreaterThan(before.length)
    expect(await second.stop()).toBe(0)
  },
)
