/**
 * The page lives: changes made elsewhere show at once, waiting is never a flash and never silence,
 * a lost server is told with its time, nothing is lost meanwhile.
 */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { anyOf } from './any-of.ts'
import { visit } from './visit.ts'

const here = visit()

test('[HT6] a change made elsewhere shows at once, without a reload', async () => {
  const page = await here.ownerPage('/')
  const rail = page.getByRole('navigation', { name: 'Projects' })
  const main = page.getByRole('main')
  const { id } = await here.elsewhere.post('/api/projects', { body: { name: 'from-elsewhere' } })
  await rail.getByRole('link', { name: 'from-elsewhere' }).click()
  await page.getByRole('heading', { name: 'from-elsewhere', level: 1 }).waitFor()
  const params = { projectId: id }
  const folder = temporaryFolder()
  await here.elsewhere.patch('/api/projects/{projectId}', {
    params,
    body: { name: 'renamed', path: folder },
  })
  await page.getByRole('heading', { name: 'renamed', level: 1 }).waitFor()
  await main.getByText(folder).waitFor()
  expect(await page.title()).toBe('renamed · Holdfast')

  await here.elsewhere.post('/api/agents', {
    body: { id: 'far', name: 'Far away', protocol: 'mcp' },
  })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { ...params, agentId: 'far' },
  })
  await main.getByText('Far away').waitFor()
  await here.elsewhere.delete('/api/agents/{agentId}', { params: { agentId: 'far' } })
  await main.getByText('No agent is assigned yet.').waitFor()
  await here.elsewhere.delete('/api/projects/{projectId}', { params })
  await page.getByRole('heading', { name: 'There is no such project' }).waitFor()
})

test('[HT6] people and tokens made elsewhere show at once', async () => {
  const page = await here.ownerPage('/people')
  await page.getByText('No tokens yet.').waitFor()
  await here.elsewhere.post('/api/people', { body: { name: 'Barbara', role: 'member' } })
  await page.getByText('Barbara', { exact: true }).waitFor()
  await here.elsewhere.post('/api/tokens', {
    body: { name: 'ci', kind: 'script', scopes: ['read'] },
  })
  await page.getByText('ci', { exact: true }).waitFor()
  expect(await page.getByText('No tokens yet.').count()).toBe(0)
})

/** The menu of the places that are seldom looked at. */
const openSettings = (page: Page) =>
  page.getByRole('button', { name: 'Settings', exact: true }).click()

test('[HT6] what changes while the first answer is on its way is asked for anew', async () => {
  const page = await here.ownerPage('/')
  let asked = 0
  await page.route('**/api/people?*', async (route) => {
    asked += 1
    if (asked > 1) return route.continue()
    const answer = await route.fetch()
    await here.elsewhere.post('/api/people', { body: { name: 'Katherine', role: 'member' } })
    await here.elsewhere.post('/api/projects', { body: { name: 'heard-of-later' } })
    await page
      .getByRole('navigation', { name: 'Projects' })
      .getByRole('link', { name: 'heard-of-later' })
      .waitFor()
    await route.fulfill({ response: answer }).catch(() => undefined)
  })
  await openSettings(page)
  await page.getByRole('menuitem', { name: 'People' }).click()
  await page.getByText('Katherine', { exact: true }).waitFor()
  expect(asked).toBeGreaterThan(1)
})

test('[UI2] what one person types stays while another changes the same project', async () => {
  const { id } = await here.elsewhere.post('/api/projects', { body: { name: 'shared' } })
  const page = await here.ownerPage(`/projects/${id}/settings`)
  const mine = temporaryFolder()
  await page.getByLabel('Folder').fill(mine)
  await here.elsewhere.patch('/api/projects/{projectId}', {
    params: { projectId: id },
    body: { name: 'theirs' },
  })
  await page.getByRole('heading', { name: 'theirs', level: 1 }).waitFor()
  expect(await page.getByLabel('Folder').inputValue()).toBe(mine)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('theirs is saved').waitFor()
  const project = await here.elsewhere.get('/api/projects/{projectId}', {
    params: { projectId: id },
  })
  expect(project).toMatchObject({ name: 'theirs', path: mine })
})

test('[UI5] waiting shows nothing, a skeleton, words and a way out, each at its time', async () => {
  const page = await here.ownerPage('/', { anew: true })
  await openSettings(page)
  await page.clock.install()
  // From here on only the test turns the hands, however slow the machine is.
  await page.clock.pauseAt(Date.now() + 1000)
  let held = true
  await page.route('**/api/people*', (route) => (held ? undefined : route.continue()))
  await page.getByRole('menuitem', { name: 'People' }).click()
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
  const skeleton = page.locator('[aria-busy="true"]')
  await page.clock.runFor(250)
  expect(await skeleton.count()).toBe(0)
  await page.clock.runFor(100)
  // Under a slow machine the list beside it may wait as well.
  await anyOf(skeleton).waitFor()
  expect(await page.getByText('Loading the people…').count()).toBe(0)
  await page.clock.runFor(2000)
  await page.getByText('Loading the people…').waitFor()
  await page.clock.runFor(8000)
  await page.getByText('Still waiting for the server to send the people.').waitFor()
  held = false
  await page.clock.resume()
  await page.getByRole('button', { name: 'Try again' }).click()
  await anyOf(page.getByRole('list', { name: 'People' }).getByText('Owner')).waitFor()
})

test('[UI11] what is typed after Ctrl+K while the box loads stands in it alone', async () => {
  const page = await here.ownerPage('/', { anew: true })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/palette-*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.reload()
  await page.locator('h1').waitFor()
  await page.keyboard.press('Control+K')
  // Alone, the question mark opens the list of keys.
  await page.keyboard.type('?pexo')
  await page.keyboard.press('Backspace')
  release()
  const box = page.getByRole('combobox')
  await expect.poll(() => box.inputValue()).toBe('?pex')
  await page.keyboard.type('y')
  await expect.poll(() => box.inputValue()).toBe('?pexy')
  expect(await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).count()).toBe(0)
})

test('[HT4] a form given up after a lost answer is sent as the same request, once', async () => {
  const page = await here.ownerPage('/?new=project', { anew: true })
  const keys: (string | undefined)[] = []
  let lose = true
  await page.route('**/api/projects', async (route) => {
    keys.push(route.request().headers()['idempotency-key'])
    if (!lose) return route.continue()
    // The request reaches the server, but the answer never arrives.
    await route.fetch()
  })
  await page.clock.install()
  await page.getByLabel('Name').fill('only-once')
  await page.getByRole('button', { name: 'Create' }).click()
  await anyOf(page.locator('a', { hasText: 'only-once' })).waitFor()
  await page.clock.runFor(10_500)
  await page.getByText('The server has not answered for 10 seconds.').waitFor()
  await page.getByRole('button', { name: 'Stop waiting' }).click()
  lose = false
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'only-once', level: 1 }).waitFor()
  expect(new Set(keys).size).toBe(1)
  const names = (await here.elsewhere.get('/api/projects')).items.map((project) => project.name)
  expect(names.filter((name) => name === 'only-once')).toHaveLength(1)
})

test('[UI7] the page says since when the server is away, and goes on when it is back', async () => {
  // The browser keeps no copies of their files yet: what the other has not fetched it cannot get
  // while the server is away.
  const page = await here.ownerPage('/', { anew: true })
  const other = await here.ownerPage('/', { anew: true })
  for (const each of [page, other])
    await each.evaluate(() => Object.assign(globalThis, { notReloaded: true }))
  // What comes next was fetched while nothing else was to do.
  await page.waitForFunction(() => {
    const fetched = performance.getEntriesByType('resource').map(({ name }) => name)
    return ['/creation-', '/project-page-', '/project-overview-'].every((part) =>
      fetched.some((name) => name.includes(part)),
    )
  })
  const before = Date.now()
  await here.restartAfter(async () => {
    const strip = page.getByText(/^Offline since \d\d:\d\d$/)
    await strip.waitFor()
    const [, time] = /since (\d\d:\d\d)/.exec((await strip.textContent()) ?? '') ?? []
    const possible = await page.evaluate(
      (from) =>
        [from, Date.now()].map((at) =>
          new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }).format(at),
        ),
      before,
    )
    expect(possible).toContain(time)
    await page.getByText('Reconnecting…').waitFor()
    // What was known is still shown, and what is tried now fails with words and keeps what was
    // typed.
    const sidebar = page.getByRole('banner')
    await sidebar.getByText('demo', { exact: true }).waitFor()
    await sidebar.getByRole('link', { name: 'New project' }).click()
    await page.getByLabel('Name').fill('typed-while-away')
    await page.getByRole('button', { name: 'Create' }).click()
    // The form says so after several tries; the folder picker says something alike sooner.
    await page.getByRole('alert').getByText('What you typed is still here.').waitFor()
    await other.getByText(/^Offline since/).waitFor()
    await openSettings(other)
    await other.getByRole('menuitem', { name: 'People' }).click()
  })
  await other.getByRole('heading', { name: 'People', level: 1 }).waitFor()
  await here.elsewhere.post('/api/projects', { body: { name: 'made-meanwhile' } })
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'typed-while-away', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'made-meanwhile' }).waitFor()
  await page.getByText(/^Offline since/).waitFor({ state: 'detached' })
  await page.getByText('Live', { exact: true }).waitFor()
  for (const each of [page, other])
    expect(await each.evaluate(() => 'notReloaded' in globalThis)).toBe(true)
  const names = (await here.elsewhere.get('/api/projects')).items.map((project) => project.name)
  expect(names.filter((name) => name === 'typed-while-away')).toHaveLength(1)
})
