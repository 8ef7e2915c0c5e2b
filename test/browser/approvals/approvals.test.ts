/** Approvals in the page, kept true by what happens elsewhere (AP). */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createClient } from '../../../src/client/client.ts'
import { fc } from '../../support/property.ts'
import { phone } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit()

const makeProject = async (name: string) =>
  (await here.elsewhere.post('/api/projects', { body: { name } })).id
const ask = (projectId: string, instructionContent: string) =>
  here.elsewhere.post('/api/projects/{projectId}/approvals', {
    params: { projectId },
    body: {
      checkpointType: 'plan',
      leaderId: 'lead',
      instructionContent,
      artifacts: ['plan.md', { lines: 12 }],
    },
  })

test('[AP5] Now lists what waits, oldest first, and a decision shows in every tab', async () => {
  const projectId = await makeProject('deciding')
  const now = await here.ownerPage('/')
  expect(await now.title()).toBe('Now · Holdfast')
  await ask(projectId, 'May I delete <b>everything</b>?')
  await ask(projectId, 'May I go on?')
  const waiting = now.getByRole('region', { name: 'Waiting for you' })
  await waiting.getByText('May I go on?').waitFor()
  await waiting.getByText('May I delete').waitFor()
  await expect.poll(() => now.title()).toBe('(2) Now · Holdfast')
  const asked = await waiting.getByRole('article').allTextContents()
  expect(asked.map((text) => text.includes('May I delete'))).toEqual([true, false])

  const { token } = await here.elsewhere.post('/api/people', {
    body: { name: 'Grace', role: 'member' },
  })
  const grace = createClient({ url: here.server.url, token })
  const first = waiting.getByRole('article').filter({ hasText: 'May I delete' })
  await first.getByRole('button', { name: /^Waiting for you/ }).click()
  await first.getByText('May I delete <b>everything</b>?').waitFor()
  await first.getByRole('button', { name: 'Request revision' }).click()
  await first.getByText('Say what should be different').waitFor()
  await first.getByLabel('Feedback').fill('only the cache')
  const history = await here.ownerPage(`/projects/${projectId}/approvals`)
  await first.getByRole('button', { name: 'Request revision' }).click()
  await first.getByText('You asked for a revision').waitFor()
  // The cursor goes to the next that waits, and stays on it when somebody else decides.
  await waiting.getByRole('button', { name: 'Approve' }).waitFor()
  await history.getByText('You asked for a revision').waitFor()
  await history.getByText('only the cache', { exact: true }).waitFor()
  await expect.poll(() => history.title()).toBe('(1) deciding · Holdfast')

  const params = { projectId, approvalId: '2' }
  await grace.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
    params,
    body: { status: 'approved' },
  })
  await waiting.getByText('Grace approved it').waitFor()
  await waiting.getByText('Nothing waits for you.').waitFor()
  await history.getByText('Grace approved it').waitFor()
  await expect.poll(() => now.title()).toBe('Now · Holdfast')
})

test('[UI9] [AP15] Now is decided by j, k and digits alone, and undone, wide and on a phone', async () => {
  const projectId = await makeProject('by-keyboard')
  await here.elsewhere.post('/api/agents', {
    body: { id: 'keyed', name: 'Keyed', protocol: 'mcp' },
  })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: 'keyed' },
  })
  const ids: number[] = []
  for (const index of [1, 2, 3, 4])
    ids.push((await ask(projectId, `Question ${index}\n${'more of it\n'.repeat(20)}`)).id)
  const statusOf = async (index: number) => {
    const params = { approvalId: String(ids[index - 1]) }
    const { status, held } = await here.elsewhere.get('/api/approvals/{approvalId}', { params })
    return held === null || status !== 'pending' ? status : `${held.status}, held`
  }
  const statusesOf = () => Promise.all([1, 2, 3, 4].map(statusOf))
  const page = await here.ownerPage('/')
  const rows = page.getByRole('region', { name: 'Waiting for you' }).getByRole('article')
  const row = (index: number) => rows.filter({ hasText: `Question ${index}` })
  await row(4).waitFor()
  // Nothing is unfolded before the person put the cursor there, and no text decides.
  const places = [`/projects/${projectId}/approvals`, '/']
  for (const [index, text] of fc.sample(anyText, places.length).entries()) {
    await page.goto(places[index] ?? '/')
    await page.getByText('Question 4').waitFor()
    await page.keyboard.type(`are 1 jar 2 a r${text}`, { delay: 5 })
    await page.keyboard.press('Escape')
    expect(await statusesOf(), text).toEqual(['pending', 'pending', 'pending', 'pending'])
  }
  expect(await rows.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  await page.keyboard.press('j')
  await row(1).getByRole('button', { name: 'Approve' }).waitFor()
  // Any other key takes the digits off the row.
  await page.waitForFunction(() => document.querySelector('[data-armed]'))
  await page.keyboard.press('x')
  await page.keyboard.press('1')
  expect(await page.locator('[data-armed]').count()).toBe(0)
  await page.keyboard.press('k')
  await press(page, '1')
  await expect.poll(() => statusOf(1)).toBe('approved, held')
  // The cursor is on the next; what was decided is undone by one key.
  await row(2).getByRole('button', { name: 'Approve' }).waitFor()
  await page.keyboard.press('u')
  await expect.poll(() => statusOf(1)).toBe('pending')
  await page.setViewportSize(phone)
  await page.keyboard.press('j')
  await press(page, '3')
  await expect.poll(() => statusOf(3)).toBe('rejected, held')
  // The server carries it out although the page is gone.
  await page.goto('/people')
  await expect.poll(() => statusOf(3), { timeout: 20_000 }).toBe('rejected')
  expect([await statusOf(1), await statusOf(2), await statusOf(4)]).toEqual(
    Array.from({ length: 3 }, () => 'pending'),
  )
  for (const id of [ids[0], ids[1], ids[3]]) {
    const params = { projectId, approvalId: String(id) }
    await here.elsewhere.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
      params,
      body: { status: 'rejected' },
    })
  }
})

/** Whatever is typed where nothing has the focus, but for a digit right after j or k (UI13). */
const anyText = fc
  .string({ unit: fc.constantFrom(...'jkaruAR1234567890 xyz-.,'), minLength: 20, maxLength: 30 })
  .map((text) => text.replaceAll(/([jk])\d/g, '$1x'))

/** Once the digits are on the row and no longer ignored. */
async function press(page: Page, digit: string): Promise<void> {
  await page.locator('[data-armed] [data-press]:visible').filter({ hasText: 'Approve' }).waitFor()
  const since = await page.evaluate(() => performance.now())
  await page.waitForFunction((from) => performance.now() - from > 500, since)
  await page.keyboard.press(digit)
}

/**
 * A browser without a screen shows no notices: what would be shown is written down in its place.
 */
const writesNoticesDown = () => {
  const received: [string, string | undefined][] = []
  Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
  Notification.requestPermission = async () => 'granted'
  ServiceWorkerRegistration.prototype.showNotification = async (title, options) =>
    void received.push([title, options?.body])
  Object.assign(window, { received })
}

test('[AP5] [UI8] the browser tells an absent person what waits and what is done', async () => {
  const projectId = await makeProject('telling')
  const page = await here.ownerPage('/people', { serviceWorkers: 'allow' })
  await page.addInitScript(writesNoticesDown)
  await page.reload()
  await page.evaluate(() => navigator.serviceWorker.ready)
  const received = () => page.evaluate(() => (window as unknown as { received: unknown }).received)
  await page.getByRole('button', { name: 'Account and preferences' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Notices from this browser' }).click()
  await page.keyboard.press('Escape')
  const seen = await ask(projectId, 'seen on the page')
  await expect.poll(() => page.title()).toMatch(/^\(1\) /)
  await page.evaluate(() => Object.defineProperty(document, 'hidden', { get: () => true }))
  const unseen = await ask(projectId, `said outside ${'x'.repeat(200)}`)
  await expect.poll(received).toEqual([['lead asks', `plan: said outside ${'x'.repeat(101)}`]])
  const place = { params: { projectId } }
  const { id: workSessionId } = await here.elsewhere.post('/api/projects/{projectId}/sessions', {
    ...place,
    body: {},
  })
  const end = '/api/projects/{projectId}/sessions/{workSessionId}/end'
  await here.elsewhere.post(end, { params: { projectId, workSessionId }, body: {} })
  await expect.poll(received).toContainEqual([expect.stringMatching(/^Work in telling /), ''])
  for (const { id } of [seen, unseen]) {
    const params = { projectId, approvalId: String(id) }
    await here.elsewhere.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
      params,
      body: { status: 'rejected' },
    })
  }
})

test('[AP5] a decision that is told while the list is on its way is not lost to it', async () => {
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
  await here.elsewhere.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
    params,
    body: { status: 'approved' },
  })
  await expect.poll(() => page.title()).not.toMatch(/^\(/)
  late?.()
  await page.getByText('You approved it').waitFor()
})

test('[AP1] who decides too late is told in words who decided what', async () => {
  const projectId = await makeProject('too-late')
  const { id } = await ask(projectId, 'Ship it?')
  const page = await here.ownerPage(`/projects/${projectId}/approvals`)
  const { token } = await here.elsewhere.post('/api/people', {
    body: { name: 'Linus', role: 'member' },
  })
  const linus = createClient({ url: here.server.url, token })
  // Both press at once: his decision is there before ours, and the page has not heard of it.
  await page.route('**/decision', async (route) => {
    const params = { projectId, approvalId: String(id) }
    await linus.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
      params,
      body: { status: 'rejected' },
    })
    await route.continue()
  })
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page
    .getByRole('alert')
    .getByText('Linus was faster and rejected it. Your decision was not used.')
    .waitFor()
  await page.getByText('Linus rejected it').waitFor()
  expect(await page.getByText('You approved it').count()).toBe(0)
})

test('[AP15] a held decision says who decided, and whoever did can take it back', async () => {
  const projectId = await makeProject('holding')
  const { id } = await ask(projectId, 'May I paint it red?')
  const now = await here.ownerPage('/')
  const card = now.getByRole('article').filter({ hasText: 'paint it red' })
  await card.getByRole('button', { name: /^Waiting for you/ }).click()
  await card.getByRole('button', { name: 'Approve' }).waitFor()
  await here.elsewhere.post('/api/approvals/{approvalId}/decision', {
    params: { approvalId: String(id) },
    body: { status: 'approved', hold: 10 },
  })
  await card.getByText('You approved it').waitFor()
  await card.getByRole('button', { name: 'Undo' }).click()
  await card.getByRole('button', { name: 'Approve' }).waitFor()
  const params = { approvalId: String(id) }
  const approval = await here.elsewhere.get('/api/approvals/{approvalId}', { params })
  expect(approval).toMatchObject({ status: 'pending', decidedBy: null })
})
