/**
 * The chat panel in several tabs, and what its browser keeps (CH5, CH9, CH10): for the release. One
 * tab: chat.test.ts.
 */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { visit } from '../visit.ts'
import { agentThere, composer, openChatRoom, presence } from './chat-panel.ts'

const here = visit()
const chatRoom = (agentId: string) => openChatRoom(here, agentId)

test('[CH9] who comes later, or again, sees that it thinks too', async () => {
  const room = await chatRoom('gus')
  await room.write('hello')
  const agent = await room.signIn()
  const page = await here.ownerPage(room.address)
  await presence(page, 'ready')
  await agent.call('get_pending_messages', { session_token: agent.token })
  await presence(page, 'thinking')
  await page.reload()
  await presence(page, 'thinking')
  const later = await here.ownerPage(room.address)
  await presence(later, 'thinking')
  await agent.call('respond_chat', { session_token: agent.token, content: 'hi' })
  for (const each of [page, later]) {
    await presence(each, 'ready')
    expect(await each.locator('[data-presence="thinking"]').count()).toBe(0)
  }
})

test('[CH10] a message of a browser that ended too early is sent again, there once', async () => {
  const room = await chatRoom('cleo')
  const page = await here.ownerPage(room.address)
  await presence(page, 'waiting')
  const clientIds: unknown[] = []
  let kept: string | null = null
  await page.route('**/api/chat', async (route) => {
    clientIds.push((route.request().postDataJSON() as { clientId: unknown }).clientId)
    // What lies in the browser while the message is on its way.
    kept ??= await page.evaluate(() => localStorage.getItem('holdfast.outbox'))
    await route.continue()
  })
  await composer(page).fill('only once')
  await composer(page).press('Enter')
  await page.getByRole('log').getByText('only once').waitFor()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('holdfast.outbox'))).toBeNull()
  await page.evaluate((text) => localStorage.setItem('holdfast.outbox', text ?? ''), kept)
  await page.reload()
  await expect.poll(() => page.evaluate(() => localStorage.getItem('holdfast.outbox'))).toBeNull()
  await page.getByRole('log').getByText('only once').waitFor()
  expect(new Set(clientIds).size).toBe(1)
  expect(await room.said()).toEqual(['only once'])
})

test('[CH10] what one person has not sent goes out as nobody else’s in that browser', async () => {
  const room = await chatRoom('cora')
  const page = await here.ownerPage(room.address)
  await presence(page, 'waiting')
  const owners = await page.context().cookies()
  const { token } = await here.elsewhere.post('/api/people', {
    body: { name: 'Cleo', role: 'member' },
  })
  /** Somebody signs in, in another tab. */
  const cleoComes = () =>
    page.request.post('/api/login', { data: { token }, failOnStatusCode: true })
  const unsent = () =>
    page.evaluate(() => JSON.parse(localStorage.getItem('holdfast.outbox') ?? '[]').length)
  const write = async (text: string) => {
    await composer(page).fill(text)
    await composer(page).press('Enter')
  }
  const tries: number[] = []
  page.on(
    'response',
    (response) => new URL(response.url()).pathname === '/api/chat' && tries.push(response.status()),
  )
  await page.route('**/api/chat', (route) => route.abort())
  await write('of the owner')
  await page.locator('[data-unsent]').getByText('of the owner').waitFor()

  await cleoComes()
  await page.unroute('**/api/chat')
  // The tab that is still the owner's tries again with what the browser has now.
  await expect.poll(() => tries).toContain(401)
  expect([await room.said(), await unsent()]).toEqual([[], 1])
  await page.reload()
  await presence(page, 'waiting')
  await write('of Cleo')
  await page.getByRole('log').getByText('of Cleo').waitFor()
  await expect.poll(unsent).toBe(1)
  expect(await page.locator('[data-unsent]').count()).toBe(0)
  expect(await room.said()).toEqual(['of Cleo'])

  await page.context().addCookies(owners)
  await page.reload()
  await page.getByRole('log').getByText('of the owner').waitFor()
  await expect.poll(unsent).toBe(0)
  expect(await room.said()).toEqual(['of the owner', 'of Cleo'])
})

test('[CH5] with two tabs open the agent stays until the last of them is closed', async () => {
  const room = await chatRoom('eve')
  const page = await here.ownerPage(room.address)
  const states = await agentThere(here, room, page)
  const other = await here.ownerPage(room.address)
  await presence(other, 'ready')
  // That the agent is there is told before the server knows of this panel.
  await other.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/chat/start')),
  )
  const closed = page.waitForResponse((response) => response.url().includes('/chat/end?panelId='))
  await page.getByRole('link', { name: 'Now' }).click()
  await closed
  expect(await states()).toEqual(['active'])
  await other.getByRole('link', { name: 'Now' }).click()
  await expect.poll(states).toEqual(['terminating'])
})

test('[CH5] a tab out of sight keeps its panel; a fourth gives its connection back', async () => {
  const room = await chatRoom('hal')
  const first = await here.ownerPage(room.address, { anew: true })
  const tabs: Page[] = []
  for (let tab = 0; tab < 4; tab++) {
    const page = tab === 0 ? first : await first.context().newPage()
    if (page !== first) await page.goto(room.address)
    await presence(page, 'waiting')
    await page.clock.install()
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { get: () => true })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    // Given back: its stream ends.
    const ended =
      tab === 3
        ? page.waitForEvent('requestfailed', (request) => request.url().includes('/api/events'))
        : undefined
    await page.clock.fastForward(61_000)
    await ended
    tabs.push(page)
  }
  await room.write('is anybody there?')
  for (const page of tabs.slice(0, 3))
    await page.getByRole('log').getByText('is anybody there?').waitFor()
  expect(await tabs[3]?.getByRole('log').getByText('is anybody there?').count()).toBe(0)
})
