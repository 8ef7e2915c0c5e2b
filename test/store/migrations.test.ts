/** Databases of an earlier version, brought up to this one with what is in them (RE10). */
import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { ownerId as by } from '../../src/domain/access/caller.ts'
import { changeAgent } from '../../src/services/agents/change-agent.ts'
import { listAgents } from '../../src/services/agents/queries.ts'
import { postMessage } from '../../src/services/flows/messages/post-message.ts'
import { listProjects } from '../../src/services/projects/queries.ts'
import { getTask, getWorkSession } from '../../src/services/work/queries.ts'
import { resumeWorkSession } from '../../src/services/work/resume-work-session.ts'
import { createMeta } from '../../src/store/meta.ts'
import { numbered, plainSql, type Step } from '../../src/store/migrations/migration.ts'
import { migrations } from '../../src/store/migrations/migrations.ts'
import { SqliteConnection, sqliteDialect } from '../../src/store/sqlite/connection.ts'
import { newPlace, sqlitePlace, temporaryFile } from '../support/either-store.ts'
import { usePostgres } from '../support/postgres.ts'
import { openTestStore, temporaryFolder } from '../support/store.ts'

usePostgres()

const folder = new URL('../../src/store/migrations/', import.meta.url)

test('[RE10] migrations have consecutive numbers in the names of their files', async () => {
  const names = readdirSync(folder).filter((name) => /^\d/.test(name))
  const steps: Step[] = []
  for (const name of names.sort()) {
    const { first, last = first } =
      /^(?<first>\d{4})-(?:to-(?<last>\d{4})\.ts|[a-z-]+\.ts)$/.exec(name)?.groups ?? {}
    expect([name, Number(first)]).toEqual([name, steps.length + 1])
    const exported: Record<string, Step | Step[]> = await import(new URL(name, folder).href)
    steps.push(...Object.values(exported).flat())
    expect([name, Number(last)]).toEqual([name, steps.length])
  }
  const statementsOf = (all: typeof migrations) =>
    all.map(({ statements }) => statements(sqliteDialect))
  expect(statementsOf(migrations)).toEqual(statementsOf(numbered(steps)))
})

test('[RE10] a migration in plain SQL is cut into statements at the end of a line', () => {
  const step = plainSql(
    ({ text }) => `
      create table a (b ${text} default ';x');
      insert into a
        values ('1; 2');
    `,
  )
  expect(numbered([step])[0]?.statements(sqliteDialect)).toEqual([
    "create table a (b text default ';x')",
    "insert into a\n        values ('1; 2')",
  ])
})

/** A database as the version before `version` left it. */
async function earlierDatabase(
  version: number,
  fill: (database: DatabaseSync) => void,
): Promise<string> {
  const folder = await temporaryFolder()
  // With the mark that says it is ours.
  SqliteConnection.openWriter(`${folder}/holdfast.db`).close()
  const database = new DatabaseSync(`${folder}/holdfast.db`)
  database.exec(createMeta(sqliteDialect))
  for (const migration of migrations.slice(0, version - 1))
    for (const statement of migration.statements(sqliteDialect)) database.exec(statement)
  const setMeta = database.prepare('insert into meta (key, value) values (?, ?)')
  for (const [key, value] of [
    ['store_id', 's'],
    ['incarnation', 'i'],
    ['created_at', '2026-01-01T00:00:00.000Z'],
    ['schema_version', String(version - 1)],
  ] as const)
    setMeta.run(key, value)
  fill(database)
  database.close()
  return folder
}

test('[RE10] tasks keep everything when their table is made anew', async () => {
  const at = '2026-01-01T00:00:00.000Z'
  const folder = await earlierDatabase(4, (database) => {
    database.exec(
      `insert into projects (id, name, path, settings, created_at, updated_at) values ('p', 'p', null, '{}', '${at}', '${at}')`,
    )
    database.exec(`insert into tasks values ('p', 'task_p1_code_001', 'sess_1', 1, 'code', 'Jump', 'high', 'in_progress', 40, 'ann',
      '["task_p1_code_000"]', null, '${at}', null, '{"a":1}', '${at}', '${at}')`)
  })
  const { store } = await openTestStore({ folder })
  expect(await store.query(getTask, { projectId: 'p', taskId: 'task_p1_code_001' })).toEqual({
    id: 'task_p1_code_001',
    projectId: 'p',
    ['sessionId']: 'sess_1',
    phase: 1,
    type: 'code',
    title: 'Jump',
    description: 'high',
    status: 'in_progress',
    progressPercent: 40,
    assignedTo: 'ann',
    dependsOn: ['task_p1_code_000'],
    blockedBy: null,
    startedAt: at,
    completedAt: null,
    result: { a: 1 },
    createdAt: at,
    updatedAt: at,
  })
})

test('[RE10] [AP12] a decision from before the upgrade reaches whoever goes on', async () => {
  const at = '2026-01-01T00:00:00.000Z'
  const folder = await earlierDatabase(19, (database) => {
    database.exec(
      `insert into projects (id, name, path, settings, created_at, updated_at) values ('p', 'p', null, '{}', '${at}', '${at}')`,
    )
    database.exec(`insert into sessions (id, project_id, started_at, ended_at, interruption_reason, resume_failures)
      values ('sess_1', 'p', '${at}', '${at}', 'abandoned', 0)`)
    for (const [id, status, depends] of [
      ['task_p1_code_001', 'in_progress', '[]'],
      ['task_p1_code_002', 'blocked', '["task_p1_code_001"]'],
    ])
      database.exec(`insert into tasks values ('p', '${id}', 'sess_1', 1, 'code', 'Jump', null, '${status}', 0, 'ann',
        '${depends}', null, '${at}', null, null, '${at}', '${at}')`)
    database.exec(`insert into human_approvals (id, session_id, project_id, checkpoint_type, leader_id, task_id,
      asked_by_agent_session_id, status, submitted_at, resolved_at, decided_by, feedback, worker_instructions, artifacts, revision_history)
      values (1, 'sess_1', 'p', 'plan', 'ann', 'task_p1_code_001', 'gone', 'rejected', '${at}', '${at}', 'owner', 'no', '[]', '[]', '[]')`)
  })
  const { store } = await openTestStore({ folder })
  const place = { projectId: 'p', workSessionId: 'sess_1' }
  expect(await store.query(getWorkSession, { viewer: null, ...place })).toMatchObject({
    state: 'interrupted',
    dismissedAt: null,
    waitsFor: [],
  })
  const { outcome, ...answer } = await store.run(resumeWorkSession, { ...place, by: 'owner' })
  expect([outcome, answer]).toMatchObject([
    'begun',
    { resumed: { decisions: [{ approvalId: 1, status: 'rejected', feedback: 'no' }] } },
  ])
})

/**
 * As the last build of that schema version left it (scripts/keep-earlier-stores.ts); all of them
 * are tried in `npm run test:faults`.
 */
test.for([1, 6, 12, 16, 27, 33, 43])(
  '[RE10] a store of schema version %i is opened, used, found whole, and backed up',
  async (version) => {
    const kept = gunzipSync(
      readFileSync(new URL(`./earlier-stores/${version}.db.gz`, import.meta.url)),
    )
    const place = await sqlitePlace(kept)
    const store = await place.open()
    const { items: projects } = await store.query(listProjects, { limit: 10 })
    const [project] = projects.filter(({ name }) => name === 'alpha')
    expect(project).toMatchObject({
      agentIds: ['ann', 'bob'],
      settings: { 'chat.soft_timeout_minutes': 8 },
    })
    // Before anything is said anew: its events are an earlier build's.
    expect(await place.check()).toEqual([])
    const { items: agents } = await store.query(listAgents, { limit: 10 })
    expect(agents.map(({ id }) => id)).toEqual(expect.arrayContaining(['ann', 'bob']))
    await store.run(changeAgent, { agentId: 'ann', name: 'Ann', by })
    const said = { projectId: project?.id ?? '', toAgentId: 'ann', agentIds: ['ann'], by }
    await store.run(postMessage, { ...said, content: 'hello again' })
    await store.close()
    expect(await place.check()).toEqual([])
    const file = await temporaryFile('backup')
    await place.backup(file)
    const moved = await newPlace('PostgreSQL')
    await moved.restore(file)
    expect((await (await moved.open()).query(listAgents, { limit: 10 })).items).toHaveLength(
      agents.length,
    )
  },
)
