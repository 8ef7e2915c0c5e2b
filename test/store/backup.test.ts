/**
 * Backup and restore, from either engine to either: what comes back is what was there, and nobody
 * goes deaf.
 */
import { randomBytes } from 'node:crypto'
import { copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { home } from '../../src/domain/stream-name.ts'
import { prepareDataFolder } from '../../src/platform/files/data-folder.ts'
import { lockDataFolder } from '../../src/platform/files/data-lock.ts'
import { createAgent } from '../../src/services/agents/change-agent.ts'
import { decodeCursor, encodeCursor } from '../../src/store/page-cursor.ts'
import { restoreSqlite } from '../../src/store/sqlite/backup.ts'
import { engines, everything, newPlace, temporaryFile } from '../support/either-store.ts'
import { usePostgres } from '../support/postgres.ts'
import { sealedEnvironment } from '../support/seals.ts'
import { failureOf } from '../support/start-failure.ts'
import { temporaryFolder } from '../support/store.ts'
import { addProject, fill, receipt } from './busy-store.ts'

usePostgres()

const quiet = (): void => {}

const pairs = engines.flatMap((from) => engines.map((to) => [from, to] as const))

describe('backup and restore', () => {
  test.for(pairs)(
    '[RE10] from %s to %s: every row comes back, with the same id and a new incarnation',
    async ([from, to]) => {
      const [source, target] = [await newPlace(from), await newPlace(to)]
      const file = await temporaryFile('backup.db')
      const store = await source.open()
      const made = await fill(store)
      await source.backup(file)
      await target.restore(file)
      expect(await target.read(everything)).toEqual(await source.read(everything))
      expect(await target.check()).toEqual([])
      const restored = await target.open()
      expect(restored.id).toBe(store.id)
      expect(restored.incarnation).not.toBe(store.incarnation)
      // The restored store can be written, and answers a request that was answered before the
      // backup.
      const again = {
        name: 'Scout',
        protocol: 'acp',
        command: 'x',
        env: sealedEnvironment({ KEY: 'hidden' }),
        by: 'owner',
      } as const
      expect(await restored.run(createAgent, again, receipt('kept'))).toMatchObject({
        id: 'scout',
        passkey: made.passkey,
      })
      const [{ head } = { head: 0 }] = await restored.positions([home])
      await addProject(restored, 'after')
      expect(await restored.positions([home])).toEqual([{ head: head + 1, floor: 0 }])
    },
  )

  test.for([...engines])(
    '[RE10] on %s while it is written: what was acknowledged before is in it, and it is whole',
    async (engine) => {
      const [source, target] = [await newPlace(engine), await newPlace(engine)]
      const store = await source.open()
      const acknowledged: string[] = []
      let writing = true
      const enough = Promise.withResolvers<void>()
      const writer = async (name: string): Promise<void> => {
        for (let i = 0; writing; i++) {
          acknowledged.push((await addProject(store, `${name}-${i}`)).id)
          // More than a page of each table, so that reading takes a while and writes come in
          // between.
          if (acknowledged.length > 600) enough.resolve()
        }
      }
      const writers = ['a', 'b', 'c', 'd'].map(writer)
      // A write that fails ends the wait, too.
      await Promise.race([enough.promise, Promise.all(writers)])
      const before = [...acknowledged]
      const cursor = encodeCursor(store.incarnation, new Map([[home, 10]]))
      const file = await temporaryFile('backup.db')
      await source.backup(file)
      writing = false
      await Promise.all(writers)
      await target.restore(file)
      expect(await target.check()).toEqual([])
      const rows = (await target.read(everything))['projects'] as { id: string }[]
      const ids = new Set(rows.map(({ id }) => id))
      expect(before.filter((id) => !ids.has(id))).toEqual([])
      // An old cursor is of another incarnation: its holder gets a snapshot, not silence.
      expect(decodeCursor(cursor)?.incarnation).not.toBe((await target.open()).incarnation)
    },
  )

  test('[RE10] a backup is one file, closed to others, and is never written over', async () => {
    const place = await newPlace('SQLite')
    await fill(await place.open())
    const file = await temporaryFile('backup.db')
    await place.backup(file)
    expect(await readdir(dirname(file))).toEqual(['backup.db'])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const bytes = await readFile(file)
    expect((await failureOf(place.backup(file))).message).toContain('is there already')
    expect(await readFile(file)).toEqual(bytes)
  })

  test.for([...engines])(
    '[RE10] a store on %s that is not whole is not backed up in silence, and leaves nothing behind',
    async (engine) => {
      const place = await newPlace(engine)
      const store = await place.open()
      await fill(store)
      await store.close()
      await place.damage(`delete from events where stream = 'home' and seq = 5`)
      const file = await temporaryFile('backup.db')
      expect((await failureOf(place.backup(file))).message).toContain('stands where 5 must be')
      expect(await readdir(dirname(file))).toEqual([])
    },
  )

  test('[RE10] a damaged, cut, foreign or newer backup is refused without a change', async () => {
    const source = await newPlace('SQLite')
    await fill(await source.open())
    const good = await temporaryFile('backup.db')
    await source.backup(good)
    const bytes = await readFile(good)
    const folder = await temporaryFolder()
    const bad = async (name: string, content: Buffer): Promise<string> => {
      const file = join(folder, name)
      await writeFile(file, content)
      return file
    }
    const edited = async (name: string, sql: string): Promise<string> => {
      const file = join(folder, name)
      await copyFile(good, file)
      const database = new DatabaseSync(file)
      database.exec(sql)
      database.close()
      return file
    }
    const torn = Buffer.from(bytes)
    randomBytes(4096).copy(torn, 3 * 4096)
    const data = await temporaryFolder()
    const target = { data, before: await snapshotOf(data) }
    for (const file of [
      await bad('torn', torn),
      await bad('cut off', bytes.subarray(0, bytes.length - 2 * 4096)),
      await bad('noise', randomBytes(8192)),
      await bad('empty', Buffer.alloc(0)),
      await edited('missing event', `delete from events where stream = 'home' and seq = 3`),
      await edited('other program', 'pragma application_id = 7'),
      await edited('newer', `update meta set value = '999' where key = 'schema_version'`),
      join(folder, 'not there'),
    ]) {
      await failureOf(restoreSqlite(file, target.data, quiet))
      expect(await snapshotOf(target.data), file).toEqual(target.before)
    }
  })

  test('[CF2] the folder of a running server is not restored into', async () => {
    const source = await newPlace('SQLite')
    await fill(await source.open())
    const file = await temporaryFile('backup.db')
    await source.backup(file)
    const data = await temporaryFolder()
    await prepareDataFolder(data, quiet)
    const lock = lockDataFolder(data)
    expect((await failureOf(restoreSqlite(file, data, quiet))).message).toContain(
      `pid ${process.pid}`,
    )
    lock.release()
    await restoreSqlite(file, data, quiet)
  })

  test('[RE10] a database that is there is moved aside, whole, and can be had back', async () => {
    const place = await newPlace('SQLite')
    const file = await temporaryFile('backup.db')
    const store = await place.open()
    await fill(store)
    await place.backup(file)
    await addProject(store, 'only in the old one')
    await store.close()
    const data = await temporaryFolder()
    await restoreSqlite(file, data, quiet)
    const first = await restoreSqlite(file, data, quiet)
    expect(first.movedAside).toMatch(/holdfast\.db\.before-restore-\d+$/)
    const old = new DatabaseSync(first.movedAside ?? '', { readOnly: true })
    expect(old.prepare('select count(*) as n from projects').get()).toEqual({ n: 3 })
    old.close()
  })

  test('[RE10] a PostgreSQL that holds something is not restored into', async () => {
    const [source, target] = [await newPlace('SQLite'), await newPlace('PostgreSQL')]
    await fill(await source.open())
    const file = await temporaryFile('backup.db')
    await source.backup(file)
    const store = await target.open()
    await addProject(store, 'mine')
    const before = await target.read(everything)
    expect((await failureOf(target.restore(file))).message).toContain('is not empty')
    expect(await target.read(everything)).toEqual(before)
  })

  test('[SC1] a node stops using a database that is restored while it runs', async () => {
    const [source, target] = [await newPlace('SQLite'), await newPlace('PostgreSQL')]
    await fill(await source.open())
    const file = await temporaryFile('backup.db')
    await source.backup(file)
    const node = await target.open()
    await target.restore(file)
    const replaced = { code: 'store_unavailable', message: expect.stringContaining('replaced') }
    await expect.poll(() => node.check().catch((error: unknown) => error)).toMatchObject(replaced)
    await expect(addProject(node, 'lost')).rejects.toMatchObject(replaced)
  })
})

/** Names and sizes; `run` holds the lock's own files. */
async function snapshotOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== 'run')
}
