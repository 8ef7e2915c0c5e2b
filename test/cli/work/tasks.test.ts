import { expect, test } from 'vitest'
import { openInstallation } from '../../support/command-line.ts'

test('[TK1] a task is created, shown, changed and listed by phase and status', async () => {
  const { holdfast } = await openInstallation()
  await holdfast(['projects', 'create', 'website'])
  const first = await holdfast([
    'tasks',
    'create',
    'Write it',
    '--type',
    'code',
    '--description',
    'All of it.',
    '--json',
  ])
  expect(first.json()).toMatchObject({
    id: 'task_p1_code_001',
    title: 'Write it',
    status: 'pending',
    phase: 1,
  })
  // No work runs: it begins when an agent takes the task up.
  expect(first.json()).toMatchObject({ ['sessionId']: null })
  const second = await holdfast([
    'tasks',
    'create',
    'Test it',
    '--type',
    'test',
    '--depends-on',
    'task_p1_code_001',
    '--json',
  ])
  expect(second.json()).toMatchObject({ status: 'blocked', blockedBy: 'task_p1_code_001' })
  expect(second.stderr).toBe('')
  await holdfast(['tasks', 'create', 'Plan it', '--phase', '0'])

  const listed = await holdfast(['tasks'])
  expect(listed.stdout).toMatch(
    /^PHASE +STATUS +ID .*\n0 +pending +task_p0_task_001 .*\n1 +blocked +task_p1_test_001 .*\n1 +pending +task_p1_code_001 .*Write it\n$/,
  )
  const ids = async (...more: string[]): Promise<string[]> =>
    (await holdfast(['tasks', 'list', ...more, '--json']))
      .json()
      .items.map((each: { id: string }) => each.id)
  expect(await ids('--status', 'blocked')).toEqual(['task_p1_test_001'])
  expect(await ids('--phase', '0', '--project', 'website')).toEqual(['task_p0_task_001'])

  await holdfast([
    'tasks',
    'edit',
    'task_p1_code_001',
    '--status',
    'in_progress',
    '--progress',
    '50',
  ])
  const edit = [
    'tasks',
    'edit',
    'task_p1_code_001',
    '--status',
    'completed',
    '--result',
    '{"lines":3}',
    '--title',
    'Written',
  ]
  const done = await holdfast([...edit, '--json'])
  expect(done.json()).toMatchObject({
    status: 'completed',
    progressPercent: 100,
    result: { lines: 3 },
    title: 'Written',
  })
  expect((await holdfast(['tasks', 'show', 'task_p1_test_001', '--json'])).json()).toMatchObject({
    status: 'pending',
    blockedBy: null,
  })
  const shown = await holdfast(['tasks', 'show', 'task_p1_code_001'])
  expect(shown.stdout).toMatch(
    /^Written\n +Id +task_p1_code_001\n +Status +completed, 100 % done\n/,
  )
  expect(shown.stdout).toContain('All of it.')
})

test('[TK1] a task is given to an agent and taken from it', async () => {
  const { holdfast } = await openInstallation()
  const { id } = (await holdfast(['projects', 'create', 'p', '--json'])).json()
  await holdfast(['agents', 'add', 'ann', '--protocol', 'mcp'])
  await holdfast(['projects', 'assign', id, 'ann'])
  const made = await holdfast(['tasks', 'create', 'x', '--agent', 'ann', '--json'])
  expect(made.json()).toMatchObject({ assignedTo: 'ann' })
  const taken = await holdfast(['tasks', 'edit', made.json().id, '--no-agent', '--json'])
  expect(taken.json()).toMatchObject({ assignedTo: null })
  const start = ['tasks', 'start', made.json().id]
  expect(await holdfast(start)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--agent'),
  })
  expect((await holdfast([...start, '--agent', 'ann', '--json'])).json()).toMatchObject({
    status: 'in_progress',
    assignedTo: 'ann',
  })
  expect((await holdfast(['tasks', 'create', 'y'])).stderr).toContain(
    'holdfast tasks start task_p1_task_002',
  )
})

test('[CL2] one of several projects must be named; a senseless request is told so', async () => {
  const { holdfast } = await openInstallation()
  expect(await holdfast(['tasks'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('projects create'),
  })
  for (const name of ['one', 'two']) await holdfast(['projects', 'create', name])
  expect(await holdfast(['tasks'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--project with one of: (one, two|two, one)/),
  })
  expect((await holdfast(['tasks', '--project', 'one'])).stdout).toContain('No tasks.')
  expect(await holdfast(['tasks', 'edit', 'x', '--project', 'one'])).toMatchObject({ code: 2 })
  expect(await holdfast(['tasks', 'show', 'x', '--project', 'one'])).toMatchObject({ code: 5 })
  expect(await holdfast(['tasks', 'list', '--phase', 'one'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--phase'),
  })
  expect(await holdfast(['tasks', 'list', '--status', 'doing'])).toMatchObject({ code: 2 })
})
