/**
 * What holds on every place of the page: accessible, both themes, both languages, on a phone, under
 * the strict policy (UI5). All of it together on each place: `npm run test:release`.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page, Request } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type AxeRules, axeFindings } from './axe.ts'
import { phone, wide } from './tabs.ts'
import { errorsOf, openPalette, visit } from './visit.ts'

const here = visit()
let places: string[] = []
/** Only for what hangs: some twenty places, each loaded and looked at in full. */
const manyVisitsMs = 240_000

beforeAll(async () => {
  const { elsewhere } = here
  const env = { API_KEY: 'sk-very-secret-value' }
  const command = 'a-command-with-a-rather-long-name-that-does-not-fit-on-a-phone'
  await elsewhere.post('/api/agents', {
    body: { id: 'codex', name: 'Codex', protocol: 'acp', command, env, role: 'reviewer' },
  })
  const name = 'a-project-with-a-rather-long-name-that-does-not-fit-on-a-phone-in-one-line'
  const settings = { 'chat.wait_interval_seconds': 7, 'restart.max': 5 }
  const path = join(temporaryFolder(), name, name)
  mkdirSync(path, { recursive: true })
  const { id } = await elsewhere.post('/api/projects', { body: { name, path, settings } })
  await elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId: id, agentId: 'codex' },
  })
  const { task, work } = await addWork(id)
  await elsewhere.post('/api/people', {
    body: { name: 'Somebody with a rather long name', role: 'viewer' },
  })
  await elsewhere.post('/api/tokens', {
    body: { name: 'nightly-build-of-everything-there-is', kind: 'script' },
  })
  places = [
    ...['/', '/projects', `/projects/${id}`, `/projects/${id}/tasks`],
    `/projects/${id}/tasks?task=${task}`,
    `/projects/${id}/history`,
    `/projects/${id}/history/${work}`,
    `/projects/${id}/approvals`,
    `/projects/${id}/approaches`,
    `/projects/${id}/chat/codex`,
    `/projects/${id}/all-sessions`,
    `/projects/${id}/settings`,
    '/conversations?q=hello',
    '/conversations/notes',
    '/agents',
    '/agents/codex',
    '/people',
    '/system',
    '/channels',
    '/no/such/place',
  ]
  places.push(
    ...['session', 'project', 'agent', 'person', 'token', 'editor'].map((what) => `/?new=${what}`),
  )
})

/**
 * Something on every tab: tasks that wait for each other, approvals that wait and that do not, a
 * chat.
 */
async function addWork(projectId: string): Promise<{ task: string; work: string }> {
  const { elsewhere } = here
  const params = { projectId }
  const contextSummary =
    'A summary that is longer than one line on a phone, and longer than a line has room for on a wide screen'
  const work = await elsewhere.post('/api/projects/{projectId}/sessions', {
    params,
    body: { contextSummary, phase: 1 },
  })
  const add = (title: string, dependsOn: string[]) =>
    elsewhere.post('/api/projects/{projectId}/tasks', {
      params,
      body: { sessionId: work.id, phase: 1, type: 'code', title, dependsOn, assignedTo: 'codex' },
    })
  const { id } = await add(
    'a-task-with-a-rather-long-name-that-does-not-fit-on-a-phone-in-one-line',
    [],
  )
  const second = await add('The one after it', [id])
  const path = '/api/projects/{projectId}/tasks/{taskId}'
  await elsewhere.patch(path, {
    params: { ...params, taskId: id },
    body: { status: 'in_progress', progressPercent: 30 },
  })
  for (const decided of [false, true]) {
    const body = {
      checkpointType: 'plan',
      leaderId: 'codex',
      instructionContent: 'May I?\n'.repeat(30),
      artifacts: [{ a: 1 }],
    }
    const asked = await elsewhere.post('/api/projects/{projectId}/approvals', {
      params,
      body: { ...body, taskId: id },
    })
    const approval = { ...params, approvalId: String(asked.id) }
    const decision = { status: 'rejected', feedback: 'No.' } as const
    if (decided)
      await elsewhere.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
        params: approval,
        body: decision,
      })
  }
  for (const content of ['Hello', 'word '.repeat(200), 'x'.repeat(300)])
    await elsewhere.post('/api/chat', {
      body: { projectId, toAgentId: 'codex', content, priority: 'urgent' },
    })
  return { task: second.id, work: work.id }
}

/** What the router says of itself to its own tools. */
interface Router {
  readonly state: { readonly status: string; readonly resolvedLocation?: { readonly href: string } }
}

/** As a link does: the page is not loaded anew. */
async function followLink(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), path)
  await page.waitForFunction((wanted) => {
    const { state } = (globalThis as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__
    return state.status === 'idle' && state.resolvedLocation?.href === wanted
  }, path)
  await page.locator('h1').waitFor()
}

/** Waits until everything is there that a place asks for when it is drawn. */
function settling(page: Page): () => Promise<void> {
  const asked = new Set<Request>()
  page.on('request', (request) => /\/api\/(?!events)/.test(request.url()) && asked.add(request))
  page.on('requestfinished', (request) => asked.delete(request))
  page.on('requestfailed', (request) => asked.delete(request))
  return async () => {
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    )
    await expect.poll(() => [...asked].map((request) => request.url())).toEqual([])
    await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' })
  }
}

test(
  '[UI5] [SE6] axe finds nothing in either theme, a phone fits, and the policy holds everywhere',
  async () => {
    const page = await here.ownerPage('/')
    const said = errorsOf(page)
    const settled = settling(page)
    const found: Record<string, string[]> = {}
    const look = async (place: string, on: Page, rules: AxeRules) => {
      const findings = await axeFindings(on, rules)
      if (findings.length > 0) found[place] = [...(found[place] ?? []), ...findings]
    }
    let theme: 'light' | 'dark' = 'light'
    const otherTheme = async (on: Page) => {
      theme = theme === 'light' ? 'dark' : 'light'
      await on.emulateMedia({ colorScheme: theme })
      // The page hears of it with its next frame.
      await on.locator(`:root[data-theme="${theme}"]`).waitFor({ state: 'attached' })
    }
    /**
     * Everything that can be wrong with a place, in the theme that it is met in; of the other theme
     * the colours, for the rest is the same.
     */
    const lookAround = async (place: string, on: Page) => {
      await on.setViewportSize(wide)
      await look(`${place} wide ${theme}`, on, 'all')
      await otherTheme(on)
      await look(`${place} wide ${theme}`, on, 'colours inside')
      await on.setViewportSize(phone)
      await look(`${place} on a phone`, on, 'all but colours')
      await fits(on, place)
    }
    /**
     * Every other place is seen on a phone, every other one wide, each in the theme and the
     * language that the last one was not.
     */
    let isWide = false
    const lookOnce = async (place: string, on: Page) => {
      isWide = !isWide
      await otherTheme(on)
      if (isWide) {
        await on.setViewportSize(wide)
        await look(`${place} wide ${theme}`, on, 'all')
      }
      await on.setViewportSize(phone)
      if (!isWide) await look(`${place} on a phone ${theme}`, on, 'all')
      await fits(on, place)
    }
    const examine = amount(lookOnce, lookAround)
    let language: 'en' | 'ja' = 'en'
    for (const place of places) {
      // One that is open already would be taken for the next.
      if (await page.getByRole('dialog').count()) {
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      await followLink(page, place)
      if (/new=|task=/.test(place)) await page.getByRole('dialog').waitFor()
      await settled()
      await examine(`${place} in ${language}`, page)
      // The next is met in the language and the theme that this one ended with.
      language = language === 'en' ? 'ja' : 'en'
      await speak(page, language)
      if (examine === lookAround) await fits(page, `${place} in ${language}`)
    }
    await page.goto('/')
    await settled()
    // What only a phone shows stands around every place: its colours are seen on one.
    await look(`phone ${theme}`, page, 'colours')
    await otherTheme(page)
    await look(`phone ${theme}`, page, 'colours')
    await openPalette(page)
    await examine('palette', page)
    const visitor = await here.signedOutPage({ colorScheme: theme })
    await visitor.goto('/sign-in')
    await visitor.locator('h1').waitFor()
    await examine('/sign-in', visitor)
    expect(found).toEqual({})
    expect(said).toEqual([])
  },
  manyVisitsMs,
)

/** As if it had been chosen in another tab. */
async function speak(page: Page, language: 'en' | 'ja'): Promise<void> {
  await page.evaluate((chosen) => {
    localStorage.setItem('holdfast.language', chosen)
    dispatchEvent(new StorageEvent('storage', { key: 'holdfast.language' }))
  }, language)
  await page.waitForFunction((wanted) => document.documentElement.lang === wanted, language)
}

/** At 360 px nothing scrolls sideways and nothing to press is small. */
async function fits(page: Page, place: string): Promise<void> {
  const wider = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(wider, place).toBe(0)
  const small = await page.evaluate(() =>
    [...document.querySelectorAll('a, button, input, select, textarea')]
      .filter((each) => !each.classList.contains('sr-only') && !each.matches('[type="checkbox"]'))
      .map((each) => ({ each, box: each.getBoundingClientRect() }))
      // WCAG 2.5.8: 24 px, except links inside a sentence; a checkbox has its label.
      .filter(
        ({ each, box }) =>
          box.width > 1 &&
          box.height > 1 &&
          box.height < 24 &&
          getComputedStyle(each).display !== 'inline',
      )
      .map(({ each }) => each.outerHTML.slice(0, 120)),
  )
  expect(small, place).toEqual([])
}

test('[UI5] axe finds nothing in a menu, a question, a secret, an error or offline', async () => {
  await here.elsewhere.post('/api/agents', {
    body: { id: 'pulls', name: 'Pulls', protocol: 'mcp' },
  })
  const page = await here.ownerPage('/agents/pulls')
  await page.getByRole('button', { name: /Account and preferences/ }).click()
  await page.getByRole('menu').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Replace passkey…' }).click()
  await page.getByRole('alertdialog').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Replace', exact: true }).click()
  await page.locator('[data-secret]').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Close without copying' }).click()
  await page.getByLabel('Name', { exact: true }).fill('')
  await page.getByText('This is needed').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await here.restartAfter(async () => {
    await page.getByText(/^Offline since/).waitFor()
    expect(await axeFindings(page)).toEqual([])
  })
})

test('[UI5] the page speaks the browser’s Japanese and changes without a reload', async () => {
  const page = await here.ownerPage('/conversations/nobody:1', { locale: 'ja-JP' })
  await page.getByText('会話 nobody:1 はありません').waitFor()
  await page.goto(`${here.server.url}/`)
  await page.getByRole('heading', { name: 'いま', level: 1 }).waitFor()
  await page.getByRole('heading', { name: '対応待ち' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('ja')
  await page.getByRole('button', { name: /アカウントと表示設定/ }).click()
  await page.getByRole('menuitemradio', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('en')
  await page.reload()
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
})

test('[UI5] the theme follows the system until another one is chosen and stays', async () => {
  const page = await here.ownerPage('/', { colorScheme: 'dark' })
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(await background()).toBe('rgb(0, 0, 0)')
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(background).toBe('rgb(255, 255, 255)')
  await openPalette(page)
  await page.keyboard.type('theme dark')
  await page.keyboard.press('Enter')
  await expect.poll(background).toBe('rgb(0, 0, 0)')
  await page.reload()
  expect(await background()).toBe('rgb(0, 0, 0)')
})

test('[UI5] [UI11] the palette goes, searches, creates and returns by keyboard alone', async () => {
  const page = await here.ownerPage('/system', { reducedMotion: 'no-preference' })
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content')
  await page.keyboard.press('Tab')
  await openPalette(page)
  const input = page.getByRole('combobox', { name: 'Command palette' })
  await page.keyboard.press('Escape')
  await input.waitFor({ state: 'detached' })
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toContain('New session')

  await openPalette(page)
  await page.keyboard.type('codex')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Codex', level: 1 }).waitFor()
  // What the server knows comes behind what the page knows; a task is opened.
  await openPalette(page)
  await page.keyboard.type('one after')
  await page
    .getByRole('group', { name: 'Tasks' })
    .getByRole('option', { name: /The one after it/ })
    .waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Title').waitFor()
  await page.keyboard.press('Escape')
  await openPalette(page)
  await page.keyboard.type('hello')
  await page
    .getByRole('group', { name: 'Sessions' })
    .getByRole('option', { name: /Hello/ })
    .waitFor()
  await page
    .getByRole('group', { name: 'Messages' })
    .getByRole('option', { name: /Hello/ })
    .waitFor()
  await page.keyboard.press('Escape')
  await openPalette(page)
  await page.keyboard.type('new project')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New project' }).waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')
  await page.keyboard.type('by-keyboard')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'by-keyboard', level: 1 }).waitFor()
})

test('[UI5] focus is visible on everything that can have it', async () => {
  const page = await here.ownerPage('/people')
  await page.getByRole('button', { name: /^Revoke / }).waitFor()
  const unseen: string[] = []
  let presses = 0
  for (; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    const found = await page.evaluate(() => {
      const focused = document.activeElement
      if (!focused || focused === document.body) return 'over'
      const outlined = [focused, focused.closest('label')].some(
        (each) => each && getComputedStyle(each).outlineStyle !== 'none',
      )
      return outlined ? undefined : focused.outerHTML.slice(0, 120)
    })
    if (found === 'over') break
    if (found) unseen.push(found)
  }
  expect(unseen).toEqual([])
  expect(presses).toBeGreaterThan(10)
})

test('[UI5] who asked for less motion gets none', async () => {
  const page = await here.ownerPage('/', { reducedMotion: 'reduce' })
  await openPalette(page)
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
})

test('[SE6] nothing inline is needed, not even for a menu', async () => {
  const page = await here.ownerPage('/', { reducedMotion: 'no-preference' })
  const said = errorsOf(page)
  await page.getByRole('button', { name: /Account and preferences/ }).click()
  await page.getByRole('menu').waitFor()
  expect(said).toEqual([])
  expect(await page.locator('style, [onclick], script:not([src])').count()).toBe(0)
})

test('[UI5] the page can be installed: a manifest with icons, and a service worker', async () => {
  const page = await here.ownerPage('/', { serviceWorkers: 'allow' })
  const manifest = (await (await page.request.get('/manifest.webmanifest')).json()) as {
    icons: { src: string }[]
    start_url: string
  }
  expect(manifest.start_url).toBe('/')
  for (const { src } of manifest.icons) {
    const answer = await page.request.get(src)
    expect([src, answer.status(), answer.headers()['content-type']?.startsWith('image/')]).toEqual([
      src,
      200,
      true,
    ])
  }
  expect(
    await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL),
  ).toBe(`${here.server.url}/service-worker.js`)
})

test('[UI5] the first visit loads less than 230 kB of script', async () => {
  const page = await here.signedOutPage({ anew: true })
  const scripts: Promise<number>[] = []
  page.on('requestfinished', (request) => {
    if (request.resourceType() === 'script')
      scripts.push(request.sizes().then((sizes) => sizes.responseBodySize))
  })
  await page.goto(await here.signInLink())
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
  // With everything that is fetched ahead for the next places.
  await page.waitForFunction(() => {
    const fetched = performance.getEntriesByType('resource').map(({ name }) => name)
    return ['/creation-', '/tasks-page-'].every((part) =>
      fetched.some((name) => name.includes(part)),
    )
  })
  page.removeAllListeners('requestfinished')
  const sizes = await Promise.all(scripts)
  expect(sizes.length).toBeGreaterThan(5)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(230_000)
})
