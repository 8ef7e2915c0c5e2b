/**
 * Interrupted work in the page: resumed with one press, drawn as a picture, with what was learned
 * and made (UI1, UI2).
 */
import { expect, test } from 'vitest'
import { amount } from '../../support/extent.ts'
import { anyOf } from '../any-of.ts'
import { axeFindings } from '../axe.ts'
import { phone } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit()

async function interruptedWork(name: string) {
  const { elsewhere } = here
  const { id: projectId } = await elsewhere.post('/api/projects', { body: { name } })
  const project = { projectId }
  const { id } = await elsewhere.post('/api/projects/{projectId}/sessions', {
    params: project,
    body: { contextSummary: 'Jumping works', phase: 2 },
  })
  const params = { projectId, workSessionId: id }
  const task = {
    sessionId: id,
    phase: 2,
    type: 'code',
    title: 'Land softly',
    assignedTo: 'nobody-here',
  }
  await elsewhere.post('/api/projects/{projectId}/tasks', { params: project, body: task })
  const learn = (body: {
    kind: 'failed' | 'verified' | 'untried'
    category: string
    description: string
    learnings?: string[]
    nextToTry?: boolean
  }) =>
    elsewhere.post('/api/projects/{projectId}/sessions/{workSessionId}/approaches', {
      params,
      body,
    })
  await learn({
    kind: 'failed',
    category: 'jump',
    description: 'Set velocity.y',
    learnings: ['Test for the ground first'],
  })
  await learn({ kind: 'verified', category: 'state', description: 'A typed dictionary' })
  await learn({
    kind: 'untried',
    category: 'jump',
    description: 'A ray from the feet',
    nextToTry: true,
  })
  await elsewhere.upload('/api/projects/{projectId}/sessions/{workSessionId}/artifacts/{name}', {
    params: { ...params, name: 'notes <b>1</b>.md'.replaceAll(/[<>/]/g, '') },
    body: new Blob(['what was learned']),
    type: 'text/markdown',
  })
  await elsewhere.post('/api/projects/{projectId}/sessions/{workSessionId}/end', {
    params,
    body: { reason: 'connection_error' },
  })
  return { projectId, id, params }
}

test('[UI1] [UI9] interrupted work is on Now until Resume takes it up, which is off without any', async () => {
  const quiet = await here.elsewhere.post('/api/projects', { body: { name: 'quiet' } })
  const page = await here.ownerPage('/')
  const group = page.getByRole('region', { name: 'Failed' })
  const { projectId, id } = await interruptedWork('game')
  await group.getByRole('button', { name: /Jumping works/ }).click()
  await group.getByRole('button', { name: 'Resume the work in game' }).waitFor()
  await page.getByRole('banner').getByRole('link', { name: 'Projects' }).click()
  const projects = page.getByRole('main').getByRole('list', { name: 'Projects' })
  const off = projects
    .getByRole('listitem')
    .filter({ hasText: quiet.name })
    .getByRole('button', { name: 'Resume the work in quiet' })
  expect(await off.isDisabled()).toBe(true)
  const button = projects.getByRole('button', { name: 'Resume the work in game' })
  await button.click()
  const dialog = page.getByRole('dialog')
  // RS7: before, it says what is missing and where it is given.
  const asked = page.getByRole('dialog', { name: 'Resume this work?' })
  await asked.getByText('nobody-here no longer belongs to this project').waitFor()
  await asked.getByRole('link', { name: 'Assign an agent' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await asked.getByRole('button', { name: 'Resume, and wait for it' }).click()
  await asked.waitFor({ state: 'detached' })
  await dialog.getByText('nobody-here no longer belongs to this project').waitFor()
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await expect.poll(() => button.isDisabled()).toBe(true)
  await page.getByRole('link', { name: 'Now', exact: true }).click()
  await page.getByText('Nothing waits for you.').waitFor()
  expect(await group.count()).toBe(0)
  const { items } = await here.elsewhere.get('/api/projects/{projectId}/sessions', {
    params: { projectId },
  })
  expect(items).toMatchObject([{ parentSessionId: id, state: 'running' }, { id }])
})

test('[WK6] [RS6] Dismiss takes work off Now; one press begins a failed task anew', async () => {
  const { projectId, id } = await interruptedWork('dropped')
  const page = await here.ownerPage('/')
  const row = page.getByRole('region', { name: 'Failed' }).locator(`[data-interrupted="${id}"]`)
  await row.getByRole('button', { name: /Jumping works/ }).click()
  await row.getByRole('button', { name: 'Dismiss the interrupted work in dropped' }).click()
  await row.waitFor({ state: 'detached' })
  await page.goto(`/projects/${projectId}/history/${id}`)
  await page.getByText('dismissed', { exact: true }).waitFor()
  const resume = page.getByRole('button', { name: 'Resume the work in dropped' })
  // The page hears of it before it has the answer, as it may on a busy machine.
  await page.route('**/resume', async (route) => {
    const response = await route.fetch()
    await resume.waitFor({ state: 'detached' })
    await route.fulfill({ response })
  })
  await resume.click()
  await page.getByRole('button', { name: 'Resume, and wait for it' }).click()
  await page
    .getByRole('dialog', { name: 'Nothing starts yet' })
    .getByText('no longer belongs to this project')
    .waitFor()
  const { items } = await here.elsewhere.get('/api/projects/{projectId}/sessions', {
    params: { projectId },
  })
  const [{ id: taskId, title } = { id: '', title: '' }] = (
    await here.elsewhere.get('/api/projects/{projectId}/tasks', { params: { projectId } })
  ).items
  const task = { params: { projectId, taskId } }
  await page.goto(`/projects/${projectId}/history/${items[0]?.id}`)
  await page.getByText(`nobody-here, for ${title}`).waitFor()
  for (const status of ['in_progress', 'failed'] as const)
    await here.elsewhere.patch('/api/projects/{projectId}/tasks/{taskId}', {
      ...task,
      body: { status },
    })
  await page.goto(`/projects/${projectId}/tasks?task=${taskId}`)
  await page.getByRole('button', { name: 'Begin again' }).click()
  await page.getByText('Land softly is started').waitFor()
  expect(await here.elsewhere.get('/api/projects/{projectId}/tasks/{taskId}', task)).toMatchObject({
    status: 'in_progress',
  })
})

test('[UI2] the picture shows who was resumed from whom; a line leads to all of it', async () => {
  const { projectId, id, params } = await interruptedWork('drawn')
  const resumed = await here.elsewhere.post(
    '/api/projects/{projectId}/sessions/{workSessionId}/resume',
    { params },
  )
  const page = await here.ownerPage(`/projects/${projectId}/history`)
  const lines = page.getByRole('link', { name: /^Work session: / })
  await expect.poll(() => lines.count()).toBe(2)
  // One line of work, with its runs in words.
  const list = page.getByRole('list', { name: 'Work sessions' })
  await list.getByText('resumed once').waitFor()
  await list.getByText('One run before it').click()
  await list.getByText('Interrupted').waitFor()
  // The keyboard gets there too.
  await lines.and(page.locator(`[href*="${id}"]`)).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/history/${id}`)
  await page.getByText('Land softly').waitFor({ state: 'detached' })
  await anyOf(
    page.getByRole('list', { name: 'Checkpoints' }).getByText('an approach was recorded'),
  ).waitFor()
  await page.getByRole('link').and(page.getByTitle(resumed.session.id)).waitFor()
  const artifact = page.getByRole('link', { name: /^Download notes/ })
  const [download] = await Promise.all([page.waitForEvent('download'), artifact.click()])
  expect(download.suggestedFilename()).toBe('notes b1b.md')
  // What happens elsewhere is here at once.
  const child = { projectId, workSessionId: resumed.session.id }
  await page.goto(`/projects/${projectId}/history/${resumed.session.id}`)
  await page.getByRole('list', { name: 'Tasks' }).getByText('Land softly').waitFor()
  await here.elsewhere.post('/api/projects/{projectId}/sessions/{workSessionId}/end', {
    params: child,
    body: { reason: 'error' },
  })
  await page.getByRole('button', { name: 'Resume the work in drawn' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
})

test('[UI2] approaches stand side by side, lessons first, and new ones appear', async () => {
  const { projectId, params } = await interruptedWork('learned')
  const page = await here.ownerPage(`/projects/${projectId}/approaches`)
  const failed = page.getByRole('region', { name: 'Failed' })
  // Also of a row that is not drawn yet, as one below what is in sight.
  const card = failed.getByRole('listitem').filter({ hasText: 'Set velocity.y' })
  const text = (await card.textContent()) ?? ''
  expect(text).toContain('Test for the ground first')
  expect(text.indexOf('Test for the ground first')).toBeLessThan(text.indexOf('Set velocity.y'))
  expect(text).toContain('Avoid')
  await page.getByRole('region', { name: 'Untried' }).getByText('Try next').waitFor()
  const body = { kind: 'verified' as const }
  await here.elsewhere.patch(
    '/api/projects/{projectId}/sessions/{workSessionId}/approaches/{approachId}',
    {
      params: { ...params, approachId: 'approach_u001' },
      body,
    },
  )
  await page.getByRole('region', { name: 'Verified' }).getByText('was untried before').waitFor()
  await page
    .getByRole('region', { name: 'Untried' })
    .getByText('Nothing waits to be tried.')
    .waitFor()
  expect(await axeFindings(page)).toEqual([])
})

test('[UI5] picture, approaches and resume are usable and accessible on a phone', async () => {
  const { projectId, id } = await interruptedWork('small')
  const page = await here.ownerPage('/', { viewport: phone })
  const resume = page.getByRole('button', { name: 'Resume the work in small' })
  const places = [
    [`/projects/${projectId}/history/${id}`, resume],
    [
      `/projects/${projectId}/approaches`,
      page.getByRole('region', { name: 'Failed' }).getByText('Set velocity.y'),
    ],
    [`/projects/${projectId}/history`, resume],
    [
      '/',
      page.getByRole('region', { name: 'Failed' }).getByRole('button', { name: /Jumping works/ }),
    ],
  ] as const
  for (const [path, shown] of places.slice(0, amount(2, 4))) {
    await page.goto(path)
    await anyOf(shown).waitFor()
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      path,
    ).toBe(true)
    expect(await axeFindings(page), path).toEqual([])
  }
})

test('[CK7] work is continued from its file; a path that is none is refused in words', async () => {
  const { projectId, id, params } = await interruptedWork('from-file')
  const { path } = await here.elsewhere.post(
    '/api/projects/{projectId}/sessions/{workSessionId}/checkpoint',
    {
      params,
      body: {},
    },
  )
  const page = await here.ownerPage(`/projects/${projectId}/history`)
  await page.getByText('Continue from a file').click()
  const field = page.getByLabel('Path on the machine of the server')
  await field.fill('/etc/passwd')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await anyOf(page.getByRole('alert')).waitFor()
  await field.fill(path)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.waitForURL((url) => url.pathname.includes('/history/') && !url.pathname.endsWith(id))
  const { items } = await here.elsewhere.get('/api/projects/{projectId}/sessions', {
    params: { projectId },
  })
  expect(items).toMatchObject([{ parentSessionId: id, state: 'running' }, { id }])
  expect(new URL(page.url()).pathname).toBe(`/projects/${projectId}/history/${items[0]?.id}`)
})
