/** Approvals, tasks and work sessions in the page, kept true by what happens elsewhere (AP, TK, WK). */
import { expect, test } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import { connectMcp } from '../../support/mcp.ts'
import { visit } from '../visit.ts'

const here = visit()

const makeProject = async (name: string) => (await here.elsewhere.post('/api/projects', { body: { name } })).id
const ask = (projectId: string, instructionContent: string) =>
  here.elsewhere.post('/api/projects/{projectId}/approvals', {
    params: { projectId },
    body: { checkpointType: 'plan', leaderId: 'lead', instructionContent, artifacts: ['plan.md', { lines: 12 }] },
  })

test('[AP5] what waits is on Now, oldest first, counted in the title; a decision in one tab shows in the other with who decided', async () => {
  const projectId = await makeProject('deciding')
  const now = await here.ownerPage('/')
  expect(await now.title()).toBe('Now · Holdfast')
  await ask(projectId, 'May I delete <b>everything</b>?')
  await ask(projectId, 'May I go on?')
  const waiting = now.getByRole('region', { name: 'Waiting for you' })
  await waiting.getByText('May I go on?').waitFor()
  await expect.poll(() => now.title()).toBe('(2) Now · Holdfast')
  const asked = await waiting.getByRole('article').allTextContents()
  expect(asked.map((text) => text.includes('<b>everything</b>'))).toEqual([true, false])

  const { token } = await here.elsewhere.post('/api/people', { body: { name: 'Grace', role: 'member' } })
  const grace = createClient({ url: here.server.url, token })
  const first = waiting.getByRole('article').first()
  await first.getByRole('button', { name: 'Request revision' }).click()
  await first.getByText('Say what should be different').waitFor()
  await first.getByLabel('Feedback').fill('only the cache')
  const history = await here.ownerPage(`/projects/${projectId}/approvals`)
  await first.getByRole('button', { name: 'Request revision' }).click()
  await first.getByText('You asked for a revision').waitFor()
  await history.getByText('You asked for a revision').waitFor()
  await history.getByText('only the cache', { exact: true }).waitFor()
  await expect.poll(() => history.title()).toBe('(1) deciding · Holdfast')

  const params = { projectId, approvalId: '2' }
  await grace.post('/api/projects/{projectId}/approvals/{approvalId}/decision', { params, body: { status: 'approved' } })
  await waiting.getByText('Grace approved it').waitFor()
  await waiting.getByText('Nothing waits for you.').waitFor()
  await history.getByText('Grace approved it').waitFor()
  await expect.poll(() => now.title()).toBe('Now · Holdfast')
})

/** A browser without a screen shows no notices: what would be shown is written down in its place. */
const writesNoticesDown = () => {
  const told: [string, string | undefined][] = []
  Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
  Notification.requestPermission = async () => 'granted'
  ServiceWorkerRegistration.prototype.showNotification = async (title, options) => void told.push([title, options?.body])
  Object.assign(window, { told })
}

test('[AP5] [UI8] who asked for it is told by the browser what has come to wait and what is done, while they look elsewhere', async () => {
  const projectId = await makeProject('telling')
  const page = await here.ownerPage('/people', { serviceWorkers: 'allow' })
  await page.addInitScript(writesNoticesDown)
  await page.reload()
  await page.evaluate(() => navigator.serviceWorker.ready)
  const told = () => page.evaluate(() => (window as unknown as { told: unknown }).told)
  await page.getByRole('button', { name: 'Account and preferences' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Notices from this browser' }).click()
  await page.keyboard.press('Escape')
  const seen = await ask(projectId, 'seen on the page')
  await expect.poll(() => page.title()).toMatch(/^\(1\) /)
  await page.evaluate(() => Object.defineProperty(document, 'hidden', { get: () => true }))
  const unseen = await ask(projectId, `said outside ${'x'.repeat(200)}`)
  await expect.poll(told).toEqual([['lead asks', `plan: said outside ${'x'.repeat(101)}`]])
  const place = { params: { projectId } }
  const { id: workSessionId } = await here.elsewhere.post('/api/projects/{projectId}/sessions', { ...place, body: {} })
  const end = '/api/projects/{projectId}/sessions/{workSessionId}/end'
  await here.elsewhere.post(end, { params: { projectId, workSessionId }, body: {} })
  await expect.poll(told).toContainEqual([expect.stringMatching(/^Work in telling /), ''])
  for (const { id } of [seen, unseen]) {
    const params = { projectId, approvalId: String(id) }
    await here.elsewhere.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
      params,
      body: { status: 'rejected' },
    })
  }
})

test('[AP5] a decision that is told while the list is still on its way is not lost to it', async () => {
  const projectId = await makeProject('on-its-way')
  const { id } = await ask(projectId, 'Which way?')
  const page = await here.ownerPage('/people')
  const params = { projectId, approvalId: String(id) }
  let late: (() => void) | undefined
  const decided = new Promise<void>((resolve) => (late = resolve))
  let listed = 0
  await page.route(`**/api/projects/${projectId}/approvals`, async (route) => {
    const response = await route.fetch()
    listed++
    await decided
    await route.fulfill({ response }).catch(() => undefined)
  })
  await page.goto(`/projects/${projectId}/approvals`)
  // One for the page, one for the snapshot of the project; both were answered before the decision.
  await expect.poll(() => listed).toBeGreaterThanOrEqual(2)
  await here.elsewhere.post('/api/projects/{projectId}/approvals/{approvalId}/decision', { params, body: { status: 'approved' } })
  await expect.poll(() => page.title()).not.toMatch(/^\(/)
  late?.()
  await page.getByText('You approved it').waitFor()
})

test('[AP1] who decides too late is told in words who decided what', async () => {
  const projectId = await makeProject('too-late')
  const { id } = await ask(projectId, 'Ship it?')
  const page = await here.ownerPage(`/projects/${projectId}/approvals`)
  const { token } = await here.elsewhere.post('/api/people', { body: { name: 'Linus', role: 'member' } })
  const linus = createClient({ url: here.server.url, token })
  // Both press at once: his decision is there before ours, and the page has not heard of it.
  await page.route('**/decision', async (route) => {
    const params = { projectId, approvalId: String(id) }
    await linus.post('/api/projects/{projectId}/approvals/{approvalId}/decision', { params, body: { status: 'rejected' } })
    await route.continue()
  })
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByRole('alert').getByText('Linus was faster and rejected it. Your decision was not used.').waitFor()
  await page.getByText('Linus rejected it').waitFor()
  expect(await page.getByText('You approved it').count()).toBe(0)
})

test('[TK2] tasks are created, assigned and moved in the page; what is blocked says by what, and is lifted live', async () => {
  const projectId = await makeProject('planning')
  await here.elsewhere.post('/api/agents', { body: { id: 'doer', name: 'The doer', protocol: 'mcp' } })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', { params: { projectId, agentId: 'doer' } })
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
    .getByRole('link', { name: /Draw the plan/ })
    .first()
    .click()
  await dialog.getByLabel('Status').selectOption({ label: 'In progress' })
  await dialog.getByLabel('Progress').fill('40')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('40 % done').waitFor()
  // WK4: its agent begins the work session, when it takes the task up.
  const { passkey } = await here.elsewhere.post('/api/agents/{agentId}/passkey', { params: { agentId: 'doer' } })
  const doer = await connectMcp(here.server.url, passkey)
  expect(await doer.call('authenticate', { project_id: projectId })).toMatchObject({ status: 'ok', purpose: 'task' })
  const params = { projectId, taskId: 'task_p1_code_001' }
  await here.elsewhere.patch('/api/projects/{projectId}/tasks/{taskId}', { params, body: { status: 'completed' } })
  await second.getByText('After Draw the plan').waitFor()
  await page.getByRole('region', { name: 'Phase 1' }).getByRole('list', { name: 'Completed 1' }).waitFor()

  await page.getByRole('link', { name: 'Sessions' }).click()
  const list = page.getByRole('list', { name: 'Work sessions' })
  await list.getByText('Running').waitFor()
  const { items } = await here.elsewhere.get('/api/projects/{projectId}/sessions', { params: { projectId } })
  expect(items).toHaveLength(1)
  const ended = { projectId, workSessionId: items[0]?.id ?? '' }
  const path = '/api/projects/{projectId}/sessions/{workSessionId}/end'
  await here.elsewhere.post(path, { params: ended, body: { reason: 'stopped' } })
  await list.getByText('Interrupted').waitFor()
})

test('[UI2] many tasks are found by words, status and agent, fold by phase, and are listed or on a board that stays small', async () => {
  const projectId = await makeProject('many')
  const params = { projectId }
  const many = Array.from({ length: 60 }, (_, index) => index)
  for (const index of many) {
    const body = { phase: index < 40 ? 1 : 2, type: 'code', title: `Step ${index} ${index % 2 ? 'odd' : 'even'}` }
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
