/**
 * RE7: a large store. A database with a million events and a hundred thousand rows, made straight
 * through the engine, must be open and answering within two seconds; and under sustained load, with
 * readers that take their time, the write-ahead log stays within 64 MiB.
 */
import { projectStream } from '../../src/domain/stream-name.ts'
import { randomness } from '../../src/platform/secrets/randomness.ts'
import { migrate } from '../../src/store/migrate.ts'
import { SqliteConnection } from '../../src/store/sqlite/connection.ts'
import type { Store } from '../../src/store/store.ts'
import { openStoreOf, productFolder, useCasesOf } from './build.ts'
import { databaseIn } from './place.ts'

export const walLimitBytes = 64 * 1024 * 1024

const made = '2026-01-01T00:00:00.000Z'
/**
 * Events of each project: its creation in home and what follows there, each with its copy in the
 * project's own stream.
 */
const changesPerProject = 5

/** Ten events for each project. */
export async function makeLargeStore(
  folder: string,
  projects: number,
): Promise<{ events: number; rows: number }> {
  const connection = SqliteConnection.openWriter(databaseIn(folder))
  try {
    await migrate(connection, made, randomness.uuid)
    await connection.transaction(async () => {
      for (const sql of statements(projects)) connection.execute({ sql, values: [] })
    })
    const [counted] = connection.execute({
      sql: 'select (select count(*) from events) as events, (select count(*) from projects) as "rows"',
      values: [],
    })
    return { events: Number(counted?.['events']), rows: Number(counted?.['rows']) }
  } finally {
    connection.close()
  }
}

const idOf = "printf('proj_20260101_%06d', i)"
const body = `json_object('project', json_object('id', ${idOf}, 'name', 'Project ' || i, 'path', null, 'settings', json_object(), 'agentIds',
  json_array(), 'createdAt', '${made}', 'updatedAt', '${made}'), 'by', 'owner')`

function statements(projects: number): string[] {
  const numbers = `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${projects - 1})`
  const changes = `changes (c) as (select 0 union all select c + 1 from changes where c < ${changesPerProject - 1})`
  const type = "case c when 0 then 'project-created' else 'project-changed' end"
  return [
    `${numbers} insert into projects select ${idOf}, 'Project ' || i, null, '{}', '${made}', '${made}' from n`,
    `${numbers}, ${changes} insert into events
      select 'home', c * ${projects} + i + 1, ${type}, '${made}', ${body}, null, null from changes, n order by 2`,
    `${numbers}, ${changes} insert into events
      select 'project:' || ${idOf}, c + 1, ${type}, '${made}', null, 'home', c * ${projects} + i + 1 from n, changes order by 1, 2`,
    `${numbers} insert into streams select 'project:' || ${idOf}, ${changesPerProject}, 0 from n order by 1`,
    `insert into streams values ('home', ${projects * changesPerProject}, 0)`,
  ]
}

/**
 * Milliseconds until the store has answered its first check, its first read and its first write.
 */
export async function timeToReady(folder: string): Promise<number> {
  const useCases = await useCasesOf(productFolder)
  const startedAt = performance.now()
  const store = await openStoreOf(productFolder, { folder })
  try {
    await store.check()
    await store.eventsAfter(projectStream('proj_20260101_000000'), 0, 10)
    const createProject = useCases['create-project']
    if (createProject)
      await store.run(createProject, { name: 'first after the start', by: 'owner' })
    return performance.now() - startedAt
  } finally {
    await store.close()
  }
}

export interface SustainedLoad {
  readonly writtenBytes: number
  readonly largestWal: number
  readonly reads: number
}

const writers = 64
const slowReaders = 6
const maxReadMs = 250

/**
 * Writes until so many bytes went through the log, while readers hold their snapshots so that one
 * is always open.
 */
export async function sustainedLoad(
  build: string,
  folder: string,
  bytes: number,
): Promise<SustainedLoad> {
  const store = await openStoreOf(build, { folder })
  const useCases = await useCasesOf(build)
  const state = { writtenBytes: 0, largestWal: 0, reads: 0 }
  const writing = (): boolean => state.writtenBytes < bytes
  const path = `/${'x'.repeat(4000)}`
  const writer = async (number: number): Promise<void> => {
    for (let count = 0; writing(); count++) {
      const createProject = useCases['create-project']
      if (createProject)
        await store.run(createProject, {
          name: `${number}-${count}`,
          path: `/${number}-${count}${path}`,
          by: 'owner',
        })
      // At least the row, the event and its copy.
      state.writtenBytes += 3 * path.length
      state.largestWal = Math.max(state.largestWal, store.figures().walBytes)
    }
  }
  const reader = async (): Promise<void> => {
    while (writing()) {
      await readSlowly(store)
      state.reads++
    }
  }
  try {
    await Promise.all([
      ...Array.from({ length: writers }, (_, number) => writer(number)),
      ...Array.from({ length: slowReaders }, reader),
    ])
    return state
  } finally {
    await store.close()
  }
}

function readSlowly(store: Store): Promise<void> {
  return store.read(async (reader) => {
    const until = performance.now() + maxReadMs
    while (performance.now() < until) {
      await reader.query((db) => db.selectFrom('projects').select(['id', 'name']).limit(50))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })
}
