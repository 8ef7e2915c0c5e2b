import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Installation, openInstallation, runCommand } from '../../support/command-line.ts'
import { approachesExample, checkpointExample } from '../../support/continuity-examples.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

async function interrupted({ server, holdfast }: Installation) {
  const { id: projectId } = (await holdfast(['projects', 'create', 'game', '--json'])).json()
  const post = async (path: string, body: unknown = {}) =>
    (await server.ask(`/api/projects/${projectId}${path}`, { method: 'POST', body })).json
  const { id } = await post('/sessions', { contextSummary: 'Jumping works', phase: 2 })
  await post('/tasks', { ['sessionId']: id, phase: 2, type: 'code', title: 'Land' })
  await post(`/sessions/${id}/approaches`, {
    kind: 'failed',
    category: 'jump',
    description: 'velocity.y',
  })
  await server.ask(`/api/projects/${projectId}/sessions/${id}/artifacts/notes.md`, {
    method: 'PUT',
    body: 'learned',
  })
  await post(`/sessions/${id}/end`, { reason: 'power_cut' })
  const { path } = await post(`/sessions/${id}/checkpoint`)
  return { projectId, id, path, post }
}

test('[WK3] work sessions are shown as a tree, each with how it stands', async () => {
  const installation = await openInstallation()
  const { holdfast } = installation
  expect((await holdfast(['projects', 'create', 'empty'])).code).toBe(0)
  expect((await holdfast(['work'])).stdout).toContain('No work sessions.')
  const { id } = await interrupted(installation)
  const resumed = await holdfast(['resume', id, '--json'])
  expect(resumed.json()).toMatchObject({ session: { parentSessionId: id }, notRestored: [] })
  const child = resumed.json().session.id
  const listed = await holdfast(['work', '--project', 'game'])
  expect(listed.stdout).toMatch(
    new RegExp(
      `^WORK SESSION +STATE +BEGAN +HOW IT STANDS\\n${id} +resumed .*power_cut.*\\n└─ ${child} +running .*phase 2`,
    ),
  )
  const interruptedOnes = await holdfast([
    'work',
    'list',
    '--project',
    'game',
    '--state',
    'interrupted',
    '--json',
  ])
  expect(interruptedOnes.json().items).toMatchObject([{ id, resumedBy: child }])
  const shown = await holdfast(['work', 'show', id])
  expect(shown.stdout).toMatch(/Resumed as +sess_/)
  expect(shown.stdout).toContain('1 failed')
  expect(shown.stdout).toContain('notes.md (7 B)')
  expect((await holdfast(['sessions', 'end', child])).stdout).toContain('is completed')
  expect(await holdfast(['sessions', 'show', 'sess_20260101000000_nobody'])).toMatchObject({
    code: 5,
  })
})

test('[RS1] [RS6] resume says what is taken up and what is missing, or refuses', async () => {
  const installation = await openInstallation()
  const { id } = await interrupted(installation)
  const { holdfast } = installation
  const first = await holdfast(['resume', id])
  expect(first.stdout).toMatch(new RegExp(`✓ ${id} is taken up as sess_.*; nothing starts yet`))
  expect(first.stderr).toMatch(/Missing \(agent\): Task \S+ is not assigned/)
  expect(first.stdout).toMatch(/To avoid +1 approach\n/)
  const again = await holdfast(['resume', id, '--json'])
  expect(first.stdout).toContain(again.json().session.id)
  expect(await holdfast(['resume', again.json().session.id])).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('work_session_running'),
  })
  expect(await holdfast(['resume', './nowhere.json'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no file'),
  })
})

test('[WK6] dismissed work is said to be, and no longer asked about', async () => {
  const installation = await openInstallation()
  const { id } = await interrupted(installation)
  const { holdfast, server } = installation
  expect((await holdfast(['sessions', 'dismiss', id])).stdout).toContain(`${id} is dismissed`)
  expect((await server.ask('/api/sessions/interrupted')).json.items).toEqual([])
  expect((await holdfast(['work', '--project', 'game'])).stdout).toMatch(
    new RegExp(`${id} +dismissed`),
  )
  expect(await holdfast(['resume', id])).toMatchObject({ code: 0 })
})

test('[CK4] without the database the file’s path is enough, and losses are named', async () => {
  const before = await openInstallation()
  const { projectId, id, path } = await interrupted(before)
  const after = await openInstallation()
  const resumed = await after.holdfast(['resume', path, '--json'])
  expect([resumed.code, resumed.stderr]).toEqual([0, ''])
  expect(resumed.json()).toMatchObject({
    session: { projectId, parentSessionId: id, contextSummary: 'Jumping works' },
    resumeContext: {
      failedApproaches: [{ id: 'approach_f001' }],
      remainingTasks: [{ name: 'Land' }],
    },
  })
  expect(resumed.json().notRestored.map(({ what }: { what: string }) => what)).toEqual([
    'conversation',
  ])
  const { json: whole } = await after.server.ask(`/api/projects/${projectId}/sessions/${id}`)
  expect(whole).toMatchObject({
    state: 'interrupted',
    interruptionReason: 'power_cut',
    artifacts: [{ name: 'notes.md', size: 7 }],
  })
  const { json: project } = await after.server.ask(`/api/projects/${projectId}`)
  expect(project.name).toBe('game')
  // A second time the server knows it, so nothing is brought back twice.
  const again = await after.holdfast(['resume', path, '--json'])
  expect(again.json().session.id).toBe(resumed.json().session.id)
  const words = await (await openInstallation()).holdfast(['resume', path])
  expect(words.stderr).toContain(
    'Not restored (conversation): Chats, people, tokens and agents are not in these files',
  )
})

test('[CK8] without the database the completed child beside a file is read first', async () => {
  const before = await openInstallation()
  const { projectId, id, path } = await interrupted(before)
  const { json: resumed } = await before.server.ask(
    `/api/projects/${projectId}/sessions/${id}/resume`,
    { method: 'POST' },
  )
  const child = resumed.session.id
  for (const { id: taskId } of resumed.remainingTasks)
    for (const status of ['in_progress', 'completed'])
      await before.server.ask(`/api/projects/${projectId}/tasks/${taskId}`, {
        method: 'PATCH',
        body: { status },
      })
  await before.server.ask(`/api/projects/${projectId}/sessions/${child}/end`, {
    method: 'POST',
    body: {},
  })
  // Asked for, so that the files are written.
  await before.server.ask(`/api/projects/${projectId}/sessions/${child}/checkpoint`, {
    method: 'POST',
    body: {},
  })
  expect(JSON.parse(await readFile(path, 'utf8')).remaining_tasks).toHaveLength(1)
  const after = await openInstallation()
  const fork = await after.holdfast(['resume', path, '--json'])
  expect([fork.code, fork.json().session.parentSessionId, fork.json().remainingTasks]).toEqual([
    0,
    id,
    [],
  ])
  const { json: whole } = await after.server.ask(`/api/projects/${projectId}/sessions/${child}`)
  expect(whole).toMatchObject({
    state: 'completed',
    parentSessionId: id,
    tasks: [{ title: 'Land', status: 'completed' }],
  })
  // The folder alone, without those beside it, is still full.
  const alone = temporaryFolder()
  await cp(join(path, '..'), alone, { recursive: true })
  const elsewhere = await openInstallation()
  expect((await elsewhere.holdfast(['resume', alone, '--json'])).code).toBe(0)
  const { json: tasks } = await elsewhere.server.ask(`/api/projects/${projectId}/tasks`)
  expect(tasks.items).toMatchObject([{ title: 'Land', status: 'completed' }])
})

test('[CK4] the specification’s example files alone are enough', async () => {
  const { holdfast, server } = await openInstallation()
  const folder = temporaryFolder()
  await writeFile(join(folder, 'state_checkpoint.json'), JSON.stringify(checkpointExample))
  await writeFile(join(folder, 'approaches.json'), JSON.stringify(approachesExample))
  const resumed = await holdfast(['resume', join(folder, 'state_checkpoint.json'), '--json'])
  expect(resumed.json()).toMatchObject({
    session: { parentSessionId: checkpointExample.session_id, currentTaskId: 'task_p2_code_003' },
    resumeContext: { nextApproaches: [{ id: 'approach_u001' }] },
  })
  // What a person approved stays approved, and says that it was brought in.
  const { json: approvals } = await server.ask(
    `/api/projects/${checkpointExample.project_id}/approvals`,
  )
  expect(
    approvals.items.map(({ taskId, status, checkpointType }: Record<string, string>) => [
      taskId,
      status,
      checkpointType,
    ]),
  ).toEqual([
    ['task_p1_design_001', 'approved', 'imported'],
    ['task_p1_concept_001', 'approved', 'imported'],
  ])
  await writeFile(
    join(folder, 'state_checkpoint.json'),
    JSON.stringify({ ...checkpointExample, session_id: 'sess_2', schema_version: '9.0' }),
  )
  expect(await holdfast(['resume', folder])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('unknown_schema_version'),
  })
  await writeFile(join(folder, 'approaches.json'), '{"half')
  expect(await holdfast(['resume', folder])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('approaches.json cannot be read: it is not JSON'),
  })
})

test('[CK8] a checkpoint resumes under another name or folder, and without a zone', async () => {
  const { holdfast, server } = await openInstallation()
  const folder = temporaryFolder()
  const write = (name: string, content: unknown) =>
    writeFile(join(folder, name), JSON.stringify(content))
  const checkpoint = { ...checkpointExample, timestamp: '2026-01-15T14:30:00.123456' }
  await write('before-the-move.json', checkpoint)
  // What lies beside it is taken only where it says that it belongs to it.
  await write('approaches.json', approachesExample)
  await write('work_session.json', { work_session: { id: 'sess_of_others' } })
  await mkdir(join(folder, 'artifacts'))
  await writeFile(join(folder, 'artifacts', 'private.txt'), 'not of this work')
  const resumed = await holdfast(['resume', './before-the-move.json', '--json'], { cwd: folder })
  expect(resumed.json()).toMatchObject({
    session: { parentSessionId: checkpoint.session_id },
    resumeContext: { nextApproaches: [{ id: 'approach_u001' }] },
  })
  const { json: whole } = await server.ask(
    `/api/projects/${checkpoint.project_id}/sessions/${checkpoint.session_id}`,
  )
  expect(whole).toMatchObject({ endedAt: '2026-01-15T14:30:00.123Z', artifacts: [] })

  const other = await openInstallation()
  expect((await other.holdfast(['resume', folder, '--json'])).json()).toMatchObject({
    session: { parentSessionId: checkpoint.session_id },
  })
  await write('another.json', { ...checkpoint, session_id: 'sess_2' })
  expect(await other.holdfast(['resume', folder])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('another.json, before-the-move.json'),
  })
  expect(await other.holdfast(['resume', temporaryFolder()])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no checkpoint in'),
  })
})

test('[CK4] export writes the files from the store; rebuild makes a store of them', async () => {
  const installation = await openInstallation()
  const { server } = installation
  const { projectId, id, path } = await interrupted(installation)
  const exported = temporaryFolder()
  const env = { HOLDFAST_DATA: server.folder }
  const written = await runCommand(['export', exported, '--json'], { env })
  expect(written.json()).toMatchObject({ folder: exported, projects: 1 })
  const folder = join(exported, 'projects', projectId, 'sessions', id)
  expect((await readdir(folder)).sort()).toEqual([
    'approaches.json',
    'artifacts',
    'remaining_tasks.json',
    'state_checkpoint.json',
    'work_session.json',
  ])
  expect(await readFile(join(folder, 'state_checkpoint.json'), 'utf8')).toBe(
    await readFile(path, 'utf8'),
  )
  expect(await readFile(join(folder, 'artifacts', 'notes.md'), 'utf8')).toBe('learned')

  const data = temporaryFolder()
  const broken = join(exported, 'projects', projectId, 'sessions', 'sess_broken')
  await mkdir(broken)
  await writeFile(join(broken, 'state_checkpoint.json'), '{')
  const rebuilt = await runCommand(['rebuild', exported, '--json'], {
    env: { HOLDFAST_DATA: data },
  })
  expect(rebuilt.json()).toMatchObject({
    workSessions: 1,
    tasks: 1,
    approaches: 1,
    artifacts: 1,
    unreadable: [{ folder: broken, why: expect.stringContaining('not JSON') }],
  })
  await rm(broken, { recursive: true })
  const again = await runCommand(['rebuild', exported, '--json'], { env: { HOLDFAST_DATA: data } })
  expect(again.json()).toMatchObject({
    workSessions: 1,
    tasks: 0,
    approaches: 0,
    artifacts: 0,
    unreadable: [],
  })
  const back = temporaryFolder()
  await runCommand(['export', back], { env: { HOLDFAST_DATA: data } })
  for (const name of [
    'state_checkpoint.json',
    'approaches.json',
    'remaining_tasks.json',
    'work_session.json',
    'artifacts/notes.md',
  ]) {
    const [one, other] = await Promise.all(
      [exported, back].map((at) =>
        readFile(join(at, 'projects', projectId, 'sessions', id, name), 'utf8'),
      ),
    )
    expect(other, name).toBe(one)
  }
  expect(
    await runCommand(['rebuild', temporaryFolder()], { env: { HOLDFAST_DATA: data } }),
  ).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There are no work sessions'),
  })
})
