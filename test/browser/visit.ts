/**
 * What every browser test needs: one server, one browser, and pages that are signed in as somebody.
 */
import type { Cookie, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { sharedBrowser } from '../support/browser.ts'
import {
  type HoldfastOptions,
  type RunningHoldfast,
  startHoldfast,
} from '../support/running-server.ts'
import { type TabOptions, type Tabs, tabsOf, type wide } from './tabs.ts'

export interface Visit {
  readonly server: RunningHoldfast
  /** Another program that talks to the same server as the owner. */
  readonly elsewhere: ReturnType<typeof createClient>
  /** A page of somebody who is not signed in. Gone when the test ends. */
  signedOutPage(options?: TabOptions): Promise<Page>
  /** A page of the owner, at the address. */
  ownerPage(path: string, options?: TabOptions): Promise<Page>
  /** A link that works once. */
  signInLink(): Promise<string>
  /**
   * Stops the server, does something meanwhile, and starts it again at the same address with the
   * same data.
   */
  restartAfter(meanwhile: () => Promise<void>): Promise<void>
}

/**
 * Where the worker's files visit, one after the other: at one address, so that each takes up the
 * tabs of the one before, with all that the browser has fetched and compiled of the page.
 */
let place: { readonly port: string; readonly tabs: Tabs } | undefined

async function startAtPlace(options: HoldfastOptions): Promise<RunningHoldfast> {
  if (!place) return startHoldfast(options)
  const { port, tabs } = place
  return startHoldfast({ ...options, args: ['--port', port] }).catch(async () => {
    // Another program was given the port meanwhile.
    place = undefined
    await tabs.close()
    return startAtPlace(options)
  })
}

/** Call once at the top of a test file. The demo project of a first start is there. */
export function visit(options: HoldfastOptions = {}): Visit {
  let server: RunningHoldfast
  let tabs: Tabs
  /** The owner signs in once: sign-ins are limited, cookies are not. */
  let cookies: Cookie[] | undefined
  const elsewhere = () => createClient({ url: server.url, token: server.token })

  beforeAll(async () => {
    server = await startAtPlace(options)
    place ??= { port: new URL(server.url).port, tabs: tabsOf(await sharedBrowser(), server.url) }
    tabs = place.tabs
  })
  afterAll(async () => void (await server?.stop()))

  const signedOutPage: Visit['signedOutPage'] = (options = {}) => tabs.open(options)
  const signInLink = async (): Promise<string> =>
    `${server.url}/sign-in#${(await elsewhere().post('/api/sign-in-codes')).code}`

  return {
    get server() {
      return server
    },
    get elsewhere() {
      return elsewhere()
    },
    signedOutPage,
    signInLink,
    async ownerPage(path, options) {
      const page = await signedOutPage(options)
      if (!cookies) {
        await page.request.post('/api/login', {
          data: { token: server.token },
          failOnStatusCode: true,
        })
        cookies = await page.context().cookies()
      }
      await page.context().addCookies(cookies)
      await page.goto(path)
      // Not by role: under an open dialog the page is hidden from assistive technology.
      await page.locator('h1').waitFor()
      return page
    },
    async restartAfter(meanwhile) {
      const { data } = server
      const port = new URL(server.url).port
      await server.stop()
      try {
        await meanwhile()
      } finally {
        server = await startHoldfast({ ...options, data, args: ['--port', port] })
      }
    },
  }
}

/** What the browser logs as an error from here on. */
export function errorsOf(page: Page): string[] {
  const said: string[] = []
  page.on(
    'console',
    (message) =>
      message.type() === 'error' && said.push(`${message.text()} ${message.location().url}`),
  )
  page.on('pageerror', (error) => said.push(error.message))
  return said
}

/**
 * The first visit of anybody to this server, in two actions: the link is opened, and the demo agent
 * looked at. No error is logged, before signing in neither.
 */
export async function firstVisit(here: Visit, viewport: typeof wide): Promise<Page> {
  const page = await here.signedOutPage({ viewport })
  const errors = errorsOf(page)
  await page.goto('/')
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await page.goto(await here.signInLink())
  const hello = page.getByRole('button', { name: 'Look around with a demo agent' })
  await hello.waitFor()
  // In sight without scrolling.
  expect((await hello.boundingBox())?.y).toBeLessThan(viewport.height - 100)
  await hello.click()
  await page.getByText('I am the demo agent').waitFor()
  expect(errors).toEqual([])
  return page
}

/** Opens the command palette and waits until one can type. */
export async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+K')
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox')
}
