/** Databases of an earlier version, brought up to this one with what is in them (RE10). */
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { getTask } from '../../src/services/get-task.ts'
import { getWorkSession } from '../../src/services/get-work-session.ts'
import { resumeWorkSession } from '../../src/services/resume-work-session.ts'
import { createMeta } from '../../src/store/meta.ts'
import { migrations } from '../../src/store/migrations/migrations.ts'
import { SqliteConnection } from '../../src/store/sqlite/connection.ts'
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts'
import { openTestStore, temporaryFolder } from '../support/store.ts'

/** A database as the version before `version` left it. */
async function earlierDatabase(version: number, fill: (database: DatabaseSync) => void): Promise<string> {
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

test('[RE10] [AP8] what was decided before the upgrade reaches whoever takes the work up after it', async () => {
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
  expect(await store.query(getWorkSession, place)).toMatchObject({ state: 'interrupted', dismissedAt: null, waitsFor: [] })
  const { outcome, ...answer } = await store.run(resumeWorkSession, { ...place, by: 'owner' })
  expect([outcome, answer]).toMatchObject([
    'begun',
    { resumed: { decisions: [{ approvalId: 1, status: 'rejected', feedback: 'no' }] } },
  ])
})
