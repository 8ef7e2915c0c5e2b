/**
 * The tabs of a worker's tests. A new browser with a process of its own costs more than most of
 * what is then done in it, so a test takes up what an earlier one left, with its storage, cookies,
 * routes and listeners cleared away; what the browser has compiled and fetched of the page stays.
 * Never taken up: a tab of a test that failed, one that cannot be cleared, and one with a setting
 * that cannot be undone.
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

/** Only for what hangs: how fast the page is, the benchmarks say. */
const patienceMs = 30_000

export const wide = { width: 1280, height: 800 }
export const phone = { width: 360, height: 740 }

export interface TabOptions extends BrowserContextOptions {
  /**
   * In a browser that was never here and is thrown away: nothing is fetched or compiled yet, and
   * clocks and scripts may be planted.
   */
  readonly anew?: true
}

/** What a tab can be told at any time; with any other option it is anew. */
const changeable: readonly string[] = ['viewport', 'colorScheme', 'reducedMotion']
/** What would be felt by every test after it. */
const cannotBeUndone = [
  'clock',
  'addInitScript',
  'routeWebSocket',
  'exposeFunction',
  'exposeBinding',
] as const
const heard = [
  'console',
  'pageerror',
  'request',
  'requestfinished',
  'requestfailed',
  'response',
  'dialog',
  'download',
] as const
/**
 * A file of the server's that is no page: nothing runs in it, and it has the storage of all of
 * them.
 */
const quietPlace = '/manifest.webmanifest'

export interface Tabs {
  /**
   * A tab of nobody, at no place of ours. Cleared or closed when the test ends: open, it would
   * follow what happens in the next.
   */
  open(options: TabOptions): Promise<Page>
  close(): Promise<void>
}

/**
 * A tab asks for less motion, unless the options say otherwise: what moves is drawn sixty times a
 * second.
 */
export function tabsOf(browser: Browser, baseURL: string): Tabs {
  const free: Page[] = []

  async function make(options: BrowserContextOptions): Promise<Page> {
    // Without the service worker, which fetches the whole page each time a browser is new to it,
    // unless the options allow it.
    const basics = {
      viewport: wide,
      locale: 'en-GB',
      baseURL,
      serviceWorkers: 'block',
      reducedMotion: 'reduce',
    } as const
    const context = await browser.newContext({ ...basics, ...options })
    context.setDefaultTimeout(patienceMs)
    return context.newPage()
  }

  async function takeUp({ viewport, colorScheme, reducedMotion }: TabOptions): Promise<Page> {
    const page = free.pop() ?? keep(await make({}))
    await page.setViewportSize(viewport ?? wide)
    await page.emulateMedia({
      colorScheme: colorScheme ?? 'light',
      reducedMotion: reducedMotion ?? 'reduce',
    })
    return page
  }

  return {
    async open({ anew, ...options }) {
      const kept = !anew && Object.keys(options).every((option) => changeable.includes(option))
      const page = kept ? await takeUp(options) : await make(options)
      onTestFinished(async ({ task }) => {
        const whole = kept && task.result?.state !== 'fail' && page.context().pages().length === 1
        const asNew = whole && (await cleared(page).catch(() => undefined))
        if (asNew) free.push(asNew)
        else await page.context().close()
      })
      return page
    },
    async close() {
      await Promise.all(free.splice(0).map((page) => page.context().close()))
    },
  }
}

function keep(page: Page): Page {
  for (const name of cannotBeUndone) {
    const get = (): never => {
      throw new Error(`page.${name} cannot be undone: open the tab anew`)
    }
    Object.defineProperty(page, name, { get })
  }
  return page
}

async function cleared(page: Page): Promise<Page> {
  for (const event of heard) page.removeAllListeners(event)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.context().setOffline(false)
  await page.goto(quietPlace)
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await page.context().clearCookies()
  return page
}
