/** The tasks of a project in the page (TK2, UI2), and work that begins on Now (UI9). */
import { expect, test } from 'vitest'
import { connectMcp } from '../../support/mcp.ts'
import { visit } from '../visit.ts'

const here = visit()

const makeProject = async (name: string) =>
  (await here.elsewhere.post('/api/projects', { body: { name } })).id

test('[TK2] tasks are created, assigned and moved; a blocked one says by what', async () => {
  const projectId = await makeProject('planning')
  await here.elsewhere.post('/api/agents', {
    body: { id: 'doer', name: 'The doer', protocol: 'mcp' },
  })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: 'doer' },
  })
  const page = await here.ownerPage(`/projects/${projectId}/tasks`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('link', { name: 'New task' }).click()
  await dialog.getByLabel('Title').fill('Draw the plan')
  await dialog.getByLabel('Assigned to').selectOption({ label: 'The doer' })
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('link', { name: /Draw the plan/ }).waitFor()
  await page.getByRole('link', { name: 'New task' }).click()
  await dialog.getByLabel('Title').fill('Build it')
  await dialog.getByLabel('Phase').fill('two')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('A whole number from 0 to 1000000').waitFor()
  await dialog.getByLabel('Phase').fill('2')
  await dialog.getByLabel('Depends on').fill('draw')
  await page.getByRole('option', { name: /Draw the plan/ }).click()
  await dialog.getByText('task_p1_code_001').waitFor()
  await dialog.getByRole('button', { name: 'Create' }).click()
  const second = page.getByRole('region', { name: 'Phase 2' })
  await second.getByText('Blocked by Draw the plan').waitFor()
  // UI2: and a thin line leads there.
  await expect.poll(() => page.locator('svg path.stroke-warn').count()).toBe(1)

  await page
    .getByRole('region', { name: 'Phase 1' })
    .getByRole('link', { name: /Draw the plan/ })
    .click()
  await dialog.getByLabel('Progress').fill('40')
  // TK3: without an agent it cannot be started.
  const start = dialog.getByRole('button', { name: 'Start' })
  await dialog.getByLabel('Assigned to').selectOption({ label: 'Nobody' })
  expect(await start.isDisabled()).toBe(true)
  await dialog.getByLabel('Assigned to').selectOption({ label: 'The doer' })
  await start.click()
  await page.getByText('40 % done').waitFor()
  // WK4: its agent begins the work session, when it takes the task up.
  const { passkey } = await here.elsewhere.post('/api/agents/{agentId}/passkey', {
    params: { agentId: 'doer' },
  })
  const doer = await connectMcp(here.server.url, passkey)
  expect(await doer.call('authenticate', { project_id: projectId })).toMatchObject({
    status: 'ok',
    purpose: 'task',
  })
  const params = { projectId, taskId: 'task_p1_code_001' }
  await here.elsewhere.patch('/api/projects/{projectId}/tasks/{taskId}', {
    params,
    body: { status: 'completed' },
  })
  await second.getByText('After Draw the plan').waitFor()
  await page
    .getByRole('region', { name: 'Phase 1' })
    .getByRole('list', { name: 'Completed 1' })
    .waitFor()

  await page.getByRole('link', { name: 'History' }).click()
  const list = page.getByRole('list', { name: 'Work sessions' })
  await list.getByText('Running').waitFor()
  const { items } = await here.elsewhere.get('/api/projects/{projectId}/sessions', {
    params: { projectId },
  })
  expect(items).toHaveLength(1)
  const ended = { projectId, workSessionId: items[0]?.id ?? '' }
  const path = '/api/projects/{projectId}/sessions/{workSessionId}/end'
  await here.elsewhere.post(path, { params: ended, body: { reason: 'stopped' } })
  await list.getByText('Interrupted').waitFor()
})

test('[UI2] many tasks are found by words, status and agent, as a list or a board', async () => {
  const projectId = await makeProject('many')
  const params = { projectId }
  const many = Array.from({ length: 60 }, (_, index) => index)
  for (const index of many) {
    const body = {
      phase: index < 40 ? 1 : 2,
      type: 'code',
      title: `Step ${index} ${index % 2 ? 'odd' : 'even'}`,
    }
    await here.elsewhere.post('/api/projects/{projectId}/tasks', { params, body })
  }
  const page = await here.ownerPage(`/projects/${projectId}/tasks`)
  const first = page.getByRole('region', { name: 'Phase 1' })
  await first.getByText('0 of 40 done').waitFor()
  // Empty columns take no room; a long column shows its beginning.
  expect(await first.getByRole('heading', { level: 4 }).allTextContents()).toEqual(['Pending40'])
  expect(await first.getByRole('listitem').count()).toBe(12)
  await first.getByRole('button', { name: '28 more' }).click()
  await expect.poll(() => first.getByRole('listitem').count()).toBe(40)
  await first.getByRole('button', { name: /Phase 1/ }).click()
  await expect.poll(() => first.getByRole('listitem').count()).toBe(0)

  await page.getByLabel('Find tasks').fill('STEP odd')
  await page.getByText('30 of 60').waitFor()
  expect(new URL(page.url()).searchParams.get('q')).toBe('STEP odd')
  await page.getByRole('radio', { name: 'List' }).check()
  await page.getByLabel('Group by').selectOption({ label: 'Status' })
  const pending = page.getByRole('list', { name: 'Pending' })
  expect(await pending.getByRole('link').count()).toBe(30)
  // The address keeps the filter while a task is looked at.
  await pending.getByRole('link', { name: /Step 55 odd/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.reload()
  await page.getByText('30 of 60').waitFor()
  await page.getByLabel('Status', { exact: true }).selectOption({ label: 'Failed' })
  await page.getByText('No task is like that').waitFor()
  await page.getByRole('link', { name: 'Show all tasks' }).click()
  await page
    .getByRole('list', { name: 'Pending' })
    .getByRole('link', { name: /Step 59/ })
    .waitFor()
})

test('[UI14] [UI15] a session begins in a chosen project with a chosen agent, and there again', async () => {
  const projectId = await makeProject('begun-on-now')
  await here.elsewhere.post('/api/agents', {
    body: { id: 'beginner', name: 'The beginner', protocol: 'mcp' },
  })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: 'beginner' },
  })
  const page = await here.ownerPage('/?new=session')
  const dialog = page.getByRole('dialog', { name: 'New session' })
  const project = dialog.getByLabel('Project', { exact: true })
  await project.selectOption({ label: 'begun-on-now' })
  await dialog.getByLabel('Agent', { exact: true }).selectOption({ label: 'The beginner' })
  await dialog.getByLabel('What should be done?').fill('Mend the gate')
  await dialog.getByRole('button', { name: 'Start in the background' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe('/')
  const { items } = await here.elsewhere.get('/api/conversations', { query: { projectId } })
  expect(items).toMatchObject([{ agentId: 'beginner', opening: 'Mend the gate' }])
  // On the project's page, from where it is archived and brought back.
  await page.goto(`/projects/${projectId}`)
  const today = page.getByRole('region', { name: 'Today' })
  await today.getByRole('button', { name: 'Archive Mend the gate' }).click()
  await today.waitFor({ state: 'detached' })
  await page.getByLabel('State', { exact: true }).selectOption({ label: 'Archived' })
  await today.getByRole('button', { name: 'Bring back Mend the gate' }).click()
  await page.getByLabel('State', { exact: true }).selectOption({ label: 'Open' })
  await today.getByRole('link', { name: /Mend the gate/ }).waitFor()
  // The project used last is offered again, whatever is the newest.
  await makeProject('newer-than-it')
  await page.goto('/?new=session')
  expect(await project.inputValue()).toBe(projectId)
})
