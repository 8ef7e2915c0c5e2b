/**
 * What stands around the transcript of a session: the queue with its order, what was taken back,
 * the keys, how much is new, and where the last visit ended (UI20, UI21).
 */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { AgentCommand } from '../../support/acp-agent.ts'
import { hostile } from '../../support/hostile-agent.ts'
import { axeFindings } from '../axe.ts'
import { phone } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit({ up: true })

/** Asks for a colour. */
const choosing = hostile({
  onPrompt: `
    const colour = { type: 'string', enum: ['Green', 'Blue as the sea'] }
    const requestedSchema = { type: 'object', properties: { colour } }
    const message = 'Which colour?'
    await ask('elicitation/create', { sessionId: 's1', mode: 'form', message, requestedSchema })
    say('painted')
    done()`,
})
const demo: AgentCommand = { file: 'holdfast', args: ['demo-acp'] }

async function beginSession(name: string, prompt: string, program = demo) {
  const { id: projectId } = await here.elsewhere.post('/api/projects', { body: { name } })
  const agent = {
    id: name,
    name: 'Worker',
    protocol: 'acp' as const,
    command: program.file,
    args: [...program.args],
  }
  await here.elsewhere.post('/api/agents', { body: agent })
  const params = { projectId, agentId: name }
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', { params })
  const answer = await here.elsewhere.post('/api/projects/{projectId}/conversations', {
    params: { projectId },
    body: { agentId: name, content: prompt } as never,
  })
  const { key } = answer as unknown as { key: string }
  const write = (content: string) =>
    here.elsewhere.post('/api/conversations/{key}/messages', {
      params: { key },
      body: { role: 'user', content } as never,
    })
  const address = `/projects/${projectId}/session/${encodeURIComponent(key)}`
  return { key, projectId, write, address }
}

const composer = (page: Page) => page.getByRole('textbox', { name: /^Write to/ })
const isFocused = (page: Page) => composer(page).evaluate((area) => area === document.activeElement)
const queuedTexts = (page: Page) =>
  page
    .locator('[data-queued] [title]:not(button)')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('title')))

test('[UI20] [CH18] [SN20] a queue is moved, edited, withdrawn, paused', async () => {
  const begun = await beginSession('queueing', '[[hang]] first')
  const page = await here.ownerPage(begun.address)
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  await expect.poll(() => isFocused(page)).toBe(true)
  for (const text of ['one', 'two', 'three']) {
    await composer(page).fill(text)
    await composer(page).press('Enter')
    await page.locator('[data-queued]').getByText(text, { exact: true }).waitFor()
  }
  await page.getByRole('button', { name: 'Move “three” up or down' }).press('ArrowUp')
  await expect.poll(() => queuedTexts(page)).toEqual(['one', 'three', 'two'])
  const row = (text: string) => page.locator('[data-queued]').filter({ hasText: text })
  await row('two').getByRole('button', { name: 'Send next' }).click()
  await expect.poll(() => queuedTexts(page)).toEqual(['two', 'one', 'three'])
  await page.reload()
  await expect.poll(() => queuedTexts(page)).toEqual(['two', 'one', 'three'])
  expect(await axeFindings(page)).toEqual([])
  await row('one').getByRole('button', { name: 'Edit' }).click()
  await expect.poll(() => composer(page).inputValue()).toBe('one')
  expect(await isFocused(page)).toBe(true)
  await composer(page).fill('one, edited')
  await row('three').getByRole('button', { name: 'Withdraw' }).click()
  await expect.poll(() => composer(page).inputValue()).toBe('three\n\none, edited')
  expect(await queuedTexts(page)).toEqual(['two'])
  // Escape leaves the field; twice at once, it stops all, and says what is left.
  await composer(page).focus()
  await page.keyboard.press('Escape')
  expect(await isFocused(page)).toBe(false)
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  await composer(page).focus()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.getByText('Stopped. 1 queued prompt waits.').waitFor()
  expect(await queuedTexts(page)).toEqual(['two'])
  await page.setViewportSize(phone)
  expect(await axeFindings(page)).toEqual([])
  await page.reload()
  await page.locator('[data-waits-for]').getByRole('button', { name: 'Send' }).click()
  await page.getByRole('log').getByText('echo: two', { exact: true }).waitFor()
})

interface Box {
  readonly y: number
}
const isAbove = (upper: Box | null, lower: Box | null): boolean =>
  upper !== null && lower !== null && upper.y < lower.y

test('[UI21] what is new is counted below, jumped to, and marked on the next visit', async () => {
  const long = Array.from({ length: 80 }, (_, at) => `line ${at}`).join('\n')
  const begun = await beginSession('news', long)
  const page = await here.ownerPage(begun.address)
  const log = page.getByRole('log')
  await log.getByText(/^echo: line 0/).waitFor()
  expect(await page.locator('[data-new-since]').count()).toBe(0)
  await log.evaluate((box) => box.scrollTo({ top: -box.scrollHeight }))
  await page.getByRole('button', { name: 'Newest' }).waitFor()
  await begun.write('said meanwhile')
  await page.getByRole('button', { name: '2 new' }).click()
  await log.getByText('echo: said meanwhile', { exact: true }).waitFor()
  await page.locator('[data-jump]').waitFor({ state: 'detached' })
  expect(await page.locator('[data-new-since]').count()).toBe(0)
  const params = { key: begun.key }
  const about = () => here.elsewhere.get('/api/conversations/{key}', { params })
  await expect.poll(async () => (await about()).unread).toBe(false)
  await page.getByRole('link', { name: 'Now' }).click()
  await log.waitFor({ state: 'detached' })
  await begun.write('said while away')
  await expect.poll(async () => (await about()).messageCount).toBe(6)
  await page.goto(begun.address)
  const line = page.locator('[data-new-since]')
  await line.getByText(/^New since \d\d:\d\d$/).waitFor()
  const answer = log.getByText('echo: said while away', { exact: true })
  await expect
    .poll(async () => isAbove(await line.boundingBox(), await answer.boundingBox()))
    .toBe(true)
  expect(await axeFindings(page)).toEqual([])
})

test('[SN24] opening a session starts nothing; the first key in its composer does', async () => {
  const begun = await beginSession('warming', 'first')
  const page = await here.ownerPage(begun.address)
  const log = page.getByRole('log')
  await log.getByText('echo: first', { exact: true }).waitFor()
  const query = { projectId: begun.projectId }
  const processes = async () => (await here.elsewhere.get('/api/processes', { query })).items
  const states = async () => (await processes()).map(({ state }) => state)
  const params = { key: begun.key }
  const activity = async () =>
    (await here.elsewhere.get('/api/conversations/{key}', { params })).activity
  await expect.poll(activity).toBe('idle')
  const launchId = (await processes())[0]?.launchId ?? ''
  await here.elsewhere.post('/api/processes/{launchId}/stop', { params: { launchId } })
  await expect.poll(states).toEqual(['ended'])
  await page.reload()
  await log.getByText('echo: first', { exact: true }).waitFor()
  await expect.poll(() => isFocused(page)).toBe(true)
  expect(await states()).toEqual(['ended'])
  await page.keyboard.type('s')
  await expect.poll(states).toEqual(['running', 'ended'])
  // The agent is there already when the message is sent.
  await page.keyboard.type('econd')
  await page.keyboard.press('Enter')
  await log.getByText('echo: second', { exact: true }).waitFor()
  expect(await states()).toEqual(['running', 'ended'])
})

test('[UI26] [UI25] [UI27] a wide screen shows the session under the cursor', async () => {
  const begun = await beginSession('beside', 'צבע!', choosing)
  const page = await here.ownerPage('/', { viewport: { width: 1700, height: 900 } })
  const row = page.getByRole('article').filter({ hasText: 'Which colour?' })
  await row.waitFor()
  await expect.poll(() => page.getByRole('log').count()).toBe(0)
  // The one that waits is the first.
  await page.keyboard.press('j')
  const log = page.getByRole('log')
  const card = log.locator('[data-question]').filter({ hasText: 'Which colour?' })
  await card.waitFor()
  // What a person or an agent wrote runs as its language does.
  const direction = (text: string) =>
    log.getByText(text, { exact: true }).evaluate((each) => getComputedStyle(each).direction)
  expect(await direction('צבע!')).toBe('rtl')
  expect(await direction('Which colour?')).toBe('ltr')
  // Reading beside the list takes no focus from it.
  expect(await isFocused(page)).toBe(false)
  expect(await axeFindings(page)).toEqual([])
  await page.goto(begun.address)
  // The agent's own words are on the buttons, in its session too.
  await card.getByRole('button', { name: 'Blue as the sea' }).click()
  await page.reload()
  const decided = log.locator('[data-question][data-outcome="allowed"]')
  await decided.getByText('“Blue as the sea”').waitFor()
  await decided.getByText(/^Owner, /).waitFor()
})
