/**
 * Conversations in the page: by channel, by day, searched, and as long as they come (UI4, UI7,
 * DC5).
 */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { maxHistoryMessages } from '../../../src/protocol/conversations/message.ts'
import { maxShown } from '../../../web/src/conversations/messages/window.ts'
import { axeFindings } from '../axe.ts'
import { phone } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit()

async function say(key: string, ...contents: string[]): Promise<void> {
  await here.elsewhere.post('/api/conversations', { body: { key } })
  for (const content of contents)
    await here.elsewhere.post('/api/conversations/{key}/messages', {
      params: { key },
      body: { role: 'user', content },
    })
}

/** Many at once, up to a history's length. */
const put = (key: string, contents: readonly string[]) =>
  here.elsewhere.put('/api/conversations/{key}/messages', {
    params: { key },
    body: { messages: contents.map((content) => ({ role: 'user' as const, content })) },
  })

const at = (key: string, query = ''): string => `/conversations/${encodeURIComponent(key)}${query}`
const rows = (page: Page) => page.getByRole('log').locator('[data-seq]')
/** The numbers of the messages on the page, from the top. */
const numbersOf = (page: Page) =>
  rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-seq')))

test('[UI4] [DC5] a search marks what it found, leads to it and shows new messages', async () => {
  await say('telegram:42')
  const many = (word: string) => Array.from({ length: 130 }, (_, n) => `${word} ${n}`)
  await put('telegram:42', [...many('note'), '本日の承認待ちは三件です', ...many('later')])
  await say('slack:C1', 'the approval of the plan')
  // Indexed is what was written, also where that takes longer than a search waits for it.
  await expect
    .poll(
      async () => (await here.elsewhere.get('/api/search', { query: { q: '承認' } })).items.length,
    )
    .toBe(1)
  const page = await here.ownerPage('/conversations')
  const list = page.getByRole('navigation', { name: 'conversations' })
  await list.getByRole('link', { name: /^C1/ }).waitFor()
  await list.getByRole('link', { name: 'Telegram', exact: true }).click()
  await list.getByRole('link', { name: /^C1/ }).waitFor({ state: 'detached' })
  await list.getByRole('link', { name: 'All', exact: true }).click()

  await page.getByRole('searchbox').fill('承認')
  const hit = list.getByRole('link', { name: /本日の承認待ち/ })
  await hit.waitFor()
  expect(await hit.locator('mark').allTextContents()).toEqual(['承認'])
  await page.getByRole('searchbox').press('ArrowDown')
  await page.keyboard.press('Enter')
  const found = page.getByRole('log').locator('[aria-current]')
  await found.getByText('本日の承認待ちは三件です').waitFor()
  await expect.poll(() => found.evaluate((row) => row.getBoundingClientRect().top > 0)).toBe(true)
  expect(page.url()).toContain('at=')
  // Back is the search, with what was found.
  await page.goBack()
  await hit.waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('承認')
  await page.getByRole('searchbox').fill('...')
  await list.getByText('Type a word to look for.').waitFor()
  await page.getByRole('searchbox').fill('zebra')
  await list.getByText('Nothing was found for “zebra”.').waitFor()

  await page.goto(at('slack:C1'))
  await page.getByRole('log').getByText('the approval of the plan').waitFor()
  await say('slack:C1', 'said elsewhere')
  await page.getByRole('log').getByText('said elsewhere').waitFor()
  expect(await axeFindings(page)).toEqual([])
})

test('[CV3] flags are shown and changed, unknown ones kept', async () => {
  const key = 'slack:flags'
  await say(key, 'hi')
  const params = { params: { key } }
  await here.elsewhere.put('/api/conversations/{key}/flags', {
    ...params,
    body: { localOnly: true, mine: [1] },
  })
  const page = await here.ownerPage(at(key))
  await page.getByRole('button', { name: 'Flags (2)' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('"mine"').waitFor()
  await dialog.getByLabel('Local models only').uncheck()
  await dialog.getByLabel('Route it came from').fill('telegram')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await here.elsewhere.get('/api/conversations/{key}/flags', params)).toEqual({
    originRoute: 'telegram',
    mine: [1],
  })
})

test('[DC5] [DC3] the days of a conversation are chapters, their notes a calendar', async () => {
  const key = 'telegram:days'
  await say(
    key,
    'what was said on the first day',
    '<img src=x onerror="document.title=1"> **bold**',
  )
  const now = new Date(Date.now() + 48 * 3_600_000).toISOString()
  const { date } = await here.elsewhere.post('/api/conversations/{key}/cutover', {
    params: { key },
    body: { now },
  })
  const page = await here.ownerPage(at(key), { viewport: phone })
  const log = page.getByRole('log')
  await log.getByText('what was said on the first day').waitFor()
  await log.getByRole('link', { name: 'Note' }).click()
  const note = page.getByRole('article')
  await note.getByText('what was said on the first day').waitFor()
  await note.getByText('<img src=x').waitFor()
  expect(page.url()).toContain(`day=${date}`)
  await page.getByRole('list', { name: 'Month' }).getByRole('link').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
    phone.width,
  )
  expect(await axeFindings(page)).toEqual([])
})

/**
 * What the rule asks for:
 * `MESSAGES=100000 npx vitest run test/browser/conversations/conversations.test.ts`.
 */
const count = Number(process.env['MESSAGES'] ?? 10_000)

test('[UI7] a very long conversation is on the page in part, and nothing is skipped', async () => {
  const key = 'slack:long'
  await say(key)
  for (let done = 0; done < count; done += maxHistoryMessages) {
    const some = { length: Math.min(maxHistoryMessages, count - done) }
    await put(
      key,
      Array.from(some, (_, n) => `message ${done + n} of many`),
    )
  }
  const page = await here.ownerPage(at(key))
  const log = page.getByRole('log')
  await log.getByText(`message ${count - 1} of many`, { exact: true }).waitFor()
  const seen = new Set<number>()
  const look = async (): Promise<void> => {
    const texts = await rows(page).allTextContents()
    const numbers = texts.map((text) => Number(/message (\d+) of many/.exec(text)?.[1]))
    expect(numbers.length).toBeLessThanOrEqual(maxShown)
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => (numbers[0] ?? 0) + n))
    for (const number of numbers) seen.add(number)
  }
  for (let step = 0; step < 10; step++) {
    await look()
    const [first] = await numbersOf(page)
    await log.evaluate((box) => box.scrollTo(0, 0))
    await expect.poll(async () => (await numbersOf(page))[0]).not.toBe(first)
  }
  await look()
  expect(seen.size).toBeGreaterThan(1000)
  expect(Math.max(...seen) - Math.min(...seen)).toBe(seen.size - 1)
  await log.focus()
  await page.keyboard.press('Home')
  await log.getByText('message 0 of many', { exact: true }).waitFor()
  await log.focus()
  await page.keyboard.press('End')
  await log.getByText(`message ${count - 1} of many`, { exact: true }).waitFor()
  await look()
})

test('[UI7] what is said while older messages are read is shown as soon as they are', async () => {
  const key = 'slack:meanwhile'
  await say(key)
  await put(
    key,
    Array.from({ length: 150 }, (_, n) => `message ${n} of some`),
  )
  const page = await here.ownerPage('/conversations')
  const answer = Promise.withResolvers<void>()
  let asked = 0
  await page.route(/\/archive\?.*before=/, async (route) => {
    asked++
    await answer.promise
    await route.continue()
  })
  await page.goto(at(key))
  const log = page.getByRole('log')
  await log.getByText('message 149 of some', { exact: true }).waitFor()
  await expect
    .poll(async () => {
      await log.evaluate((box) => box.scrollTo(0, 0))
      return asked
    })
    .toBe(1)
  await say(key, 'said meanwhile')
  answer.resolve()
  await log.getByText('message 0 of some', { exact: true }).waitFor({ state: 'attached' })
  await log.getByText('said meanwhile').waitFor({ state: 'attached' })
  await page.unrouteAll({ behavior: 'wait' })
})
