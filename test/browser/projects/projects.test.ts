/** Projects in the page: creating, editing, settings, agents, deleting. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { axeFindings } from '../axe.ts'
import { phone, wide } from '../tabs.ts'
import { openPalette, visit } from '../visit.ts'

const here = visit()

test('[UI9] Now shows quietly that nothing waits; the projects are in the sidebar', async () => {
  const page = await here.ownerPage('/')
  await page.getByText('Nothing waits for you.').waitFor()
  await page
    .getByRole('navigation', { name: 'Projects' })
    .getByRole('link', { name: 'demo', exact: true })
    .waitFor()
  expect(await page.title()).toBe('Now · Holdfast')
})

test('[UI2] a project is created, renamed, given a folder and deleted', async () => {
  const page = await here.ownerPage('/')
  await page.getByRole('banner').getByRole('link', { name: 'New project' }).click()
  const dialog = page.getByRole('dialog', { name: 'New project' })
  // The first field has the focus: one can type at once.
  await dialog.locator('input:focus').waitFor()
  await page.keyboard.type('shop')
  await dialog.getByRole('textbox', { name: /^Folder/ }).fill('relative/path')
  await dialog.getByRole('button', { name: 'Create' }).click()
  // The press leads to what is wrong, which was said while it was typed.
  await dialog.locator('input[aria-invalid]:focus').waitFor()
  await dialog.getByText('An absolute path').waitFor()
  await dialog.getByRole('textbox', { name: /^Folder/ }).fill('')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/projects\/proj_\d{8}_\w{6}$/)

  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByLabel('Name', { exact: true }).fill('shop-backend')
  const folder = temporaryFolder()
  await page.getByLabel('Folder').fill('/srv/no-such-folder')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('There is no such folder').waitFor()
  await page.getByLabel('Folder').fill(folder)
  await page.getByText('2 changes not saved').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'shop-backend', level: 1 }).waitFor()
  const [project] = (await here.elsewhere.get('/api/projects')).items
  expect(project).toMatchObject({ name: 'shop-backend', path: folder })

  await page.getByRole('button', { name: 'Delete project…' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete shop-backend?' })
  await question.getByText(/Lost: its settings/).waitFor()
  await question.getByText(`Stays: the folder ${folder}`).waitFor()
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect((await here.elsewhere.get('/api/projects')).items).toHaveLength(2)
  await page.getByRole('button', { name: 'Delete project…' }).click()
  await question.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: /shop-backend/ }).count()).toBe(0)
  expect((await here.elsewhere.get('/api/projects')).items).toHaveLength(1)
})

test('[UI2] the buttons of a dialog stay in their places when the folders come late', async () => {
  for (const viewport of [wide, phone]) {
    const page = await here.ownerPage('/', { viewport })
    const folders = Promise.withResolvers<void>()
    await page.route('**/api/folders', async (route) => {
      await folders.promise
      await route.continue()
    })
    await page.evaluate(() => history.pushState(null, '', '/?new=project'))
    const dialog = page.getByRole('dialog', { name: 'New project' })
    await dialog.locator('input:focus').waitFor()
    const create = dialog.getByRole('button', { name: 'Create' })
    // A trial presses nothing, but waits until it stands still.
    await create.click({ trial: true })
    const before = await create.boundingBox()
    folders.resolve()
    await dialog.getByText(/^(no )?git repository$/).waitFor()
    expect(await create.boundingBox()).toEqual(before)
  }
})

test('[UI2] a project’s folder is chosen by going there, and names the project', async () => {
  const page = await here.ownerPage('/')
  const dialog = page.getByRole('dialog', { name: 'New project' })
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'ledger', '.git'), { recursive: true })
  await page.route('**/api/folders', async (route) =>
    route.fulfill({
      response: await route.fetch({
        url: `${here.server.url}/api/folders?path=${encodeURIComponent(folder)}`,
      }),
    }),
  )
  await page.getByRole('banner').getByRole('link', { name: 'New project' }).click()
  await dialog.getByText('no git repository').waitFor()
  await dialog.getByRole('button', { name: 'ledger git' }).click()
  await dialog.getByText('git repository', { exact: true }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'ledger', level: 1 }).waitFor()
  await page.getByRole('main').getByText(join(folder, 'ledger')).waitFor()
})

test('[NA10] settings show range and default, mark what changed, refuse, and undo', async () => {
  const { id } = await here.elsewhere.post('/api/projects', { body: { name: 'timing' } })
  const settings = async () =>
    (await here.elsewhere.get('/api/projects/{projectId}', { params: { projectId: id } })).settings
  const page = await here.ownerPage(`/projects/${id}/settings`)
  const main = page.getByRole('main')
  await main.getByText('All at their defaults').waitFor()
  const pause = main.getByLabel('Pause between looks for messages')
  // What people change first is in sight, the rest folded until it is asked for; the palette leads
  // to each.
  await main.getByLabel('When an agent asks for permission').waitFor()
  expect(await pause.isVisible()).toBe(false)
  await openPalette(page)
  await page.keyboard.type('pause between looks')
  await page.keyboard.press('Enter')
  await expect.poll(() => pause.evaluate((each) => each === document.activeElement)).toBe(true)
  await main.getByText('Default: 5 · from 1 to 55', { exact: true }).waitFor()

  await pause.fill('56')
  await main.getByText('from 1 to 55', { exact: true }).waitFor()
  expect(await main.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await pause.fill('7.5')
  await main.getByLabel('Quiet time before an agent is stopped').fill('9')
  await main.getByText('Not below “Quiet time before an agent is asked to leave” (10)').waitFor()
  await main.getByLabel('Quiet time before an agent is stopped').fill('20')
  await main
    .getByLabel('When an agent asks for permission')
    .selectOption({ label: 'Allow reading' })
  await main.getByText('3 changes not saved').waitFor()

  // A draft survives going elsewhere and coming back.
  await main.getByRole('link', { name: 'Overview' }).click()
  await main.getByRole('link', { name: 'Settings' }).click()
  expect(await pause.inputValue()).toBe('7.5')
  await main.getByRole('button', { name: 'Save' }).click()
  await main.getByText('3 changed', { exact: true }).waitFor()
  expect(await main.getByText('Changed', { exact: true }).count()).toBe(3)
  expect(await settings()).toMatchObject({
    'chat.wait_interval_seconds': 7.5,
    'chat.hard_timeout_minutes': 20,
    'permission.policy': 'allow_reads',
  })

  await main
    .getByRole('button', { name: 'Reset Pause between looks for messages to its default' })
    .click()
  await main.getByText('2 changed', { exact: true }).waitFor()
  expect(await pause.inputValue()).toBe('5')
  await page.getByRole('button', { name: 'Undo' }).click()
  await main.getByText('3 changed', { exact: true }).waitFor()
  await main.getByRole('button', { name: 'Reset all' }).click()
  await main.getByText('All at their defaults').waitFor()
  expect(await settings()).toMatchObject({
    'chat.wait_interval_seconds': 5,
    'permission.policy': 'ask',
  })
})

test('[UI2] an agent is assigned and taken off, and undo puts it back', async () => {
  await here.elsewhere.post('/api/agents', {
    body: { id: 'helper', name: 'Helper', protocol: 'mcp' },
  })
  const { id } = await here.elsewhere.post('/api/projects', { body: { name: 'crew' } })
  const assigned = async () =>
    (await here.elsewhere.get('/api/projects/{projectId}', { params: { projectId: id } })).agentIds
  const page = await here.ownerPage(`/projects/${id}`)
  await page.getByText('No agent is assigned yet.').waitFor()
  await page.getByRole('button', { name: 'Assign agent' }).click()
  await page.getByRole('menuitem', { name: /Helper/ }).click()
  await page.getByRole('list', { name: 'Agents' }).getByText('Helper', { exact: true }).waitFor()
  expect(await assigned()).toEqual(['helper'])
  await page.getByRole('button', { name: 'Take Helper off this project' }).click()
  await page.getByText('No agent is assigned yet.').waitFor()
  expect(await assigned()).toEqual([])
  // Above it may still stand that it was put there.
  const notice = page
    .getByRole('region', { name: 'Notices' })
    .locator('> div')
    .filter({ hasText: 'is taken off' })
  await notice.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('list', { name: 'Agents' }).getByText('Helper', { exact: true }).waitFor()
  expect(await assigned()).toEqual(['helper'])
})

test('[UI1] without projects and agents at hand Now helps to make the first one', async () => {
  const page = await here.ownerPage('/')
  for (const { id } of (await here.elsewhere.get('/api/projects')).items) {
    await here.elsewhere.delete('/api/projects/{projectId}', { params: { projectId: id } })
  }
  await page.getByText('Start with a project').waitFor()
  await page.getByLabel('Name').fill('first')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'first', level: 1 }).waitFor()
  expect((await here.elsewhere.get('/api/projects')).items).toMatchObject([{ name: 'first' }])
})

test('[UI2] an address of something that is not there says so', async () => {
  const page = await here.ownerPage('/projects/proj_20200101_nobody')
  await page.getByRole('heading', { name: 'There is no such project' }).waitFor()
  await page.goto('/agents/nobody')
  await page.getByRole('heading', { name: 'There is no such agent' }).waitFor()
  await page.goto('/no/such/place')
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  expect(await page.title()).toBe('There is no such page · Holdfast')
  await page.getByRole('link', { name: 'Back to Now' }).click()
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
})

test('[UI2] addresses kept from earlier versions lead to where that is now', async () => {
  const { id } = await here.elsewhere.post('/api/projects', { body: { name: 'kept-links' } })
  const page = await here.ownerPage('/')
  for (const [before, now] of [
    [`/projects/${id}/sessions`, `/projects/${id}/history`],
    [`/projects/${id}/sessions/sess_1`, `/projects/${id}/history/sess_1`],
    [`/projects/${id}/console`, `/projects/${id}/all-sessions`],
    [`/projects/${id}/talk/work:1`, `/projects/${id}/session/work:1`],
    ['/talks', '/sessions'],
  ] as const) {
    await page.evaluate((to) => history.pushState(null, '', to), before)
    await page.waitForFunction((path) => decodeURIComponent(location.pathname) === path, now)
  }
  await page.goto(`/projects/${id}/sessions`)
  expect(await page.getByRole('link', { name: 'History' }).getAttribute('aria-current')).toBe(
    'page',
  )
})
