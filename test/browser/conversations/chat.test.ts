/**
 * The chat panel (CH): history, presence, what is sent and never lost. The agent is one that others
 * wrote, over MCP.
 */
import { expect, test } from 'vitest'
import { visit } from '../visit.ts'
import { agentThere, composer, openChatRoom, presence } from './chat-panel.ts'

const here = visit()
const chatRoom = (agentId: string) => openChatRoom(here, agentId)

test('[CH9] the panel calls the agent, shows it think and answer, and lets it go', async () => {
  const room = await chatRoom('ann')
  const page = await here.ownerPage(`/projects/${room.projectId}`)
  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  // The only agent is chosen already.
  await page.waitForURL(`**${room.address}`)
  await presence(page, 'waiting')
  await page.getByText(/^Waiting for it to sign in · \d+ s$/).waitFor()
  const agent = await room.signIn()
  await presence(page, 'ready')

  await composer(page).fill('first line')
  await composer(page).press('Control+Enter')
  await page.keyboard.type('second  line <b>not bold</b> https://example.com')
  await page.getByLabel('Priority').selectOption('urgent')
  await composer(page).press('Enter')
  const log = page.getByRole('log')
  await log.getByText('Urgent', { exact: true }).waitFor()
  expect(await composer(page).inputValue()).toBe('')
  await page.locator('[data-unsent]').waitFor({ state: 'detached' })
  const { messages } = await agent.call('get_pending_messages', { session_token: agent.token })
  expect(messages).toMatchObject([
    { content: 'first line\nsecond  line <b>not bold</b> https://example.com', priority: 'urgent' },
  ])
  await presence(page, 'thinking')
  await agent.call('respond_chat', { session_token: agent.token, content: '**plain** <img src=x>' })
  // Markdown of our own elements; markup of theirs stays text (SE6).
  await log.locator('strong').getByText('plain', { exact: true }).waitFor()
  await log.getByText('<img src=x>').waitFor()
  expect(await log.locator('a, img').count()).toBe(0)
  await log.getByText('Agent ann', { exact: true }).waitFor()
  await presence(page, 'ready')
  expect(await log.getByText('The chat was opened.').count()).toBe(0)

  await page.getByRole('link', { name: 'Now' }).click()
  const query = { projectId: room.projectId, agentId: 'ann' }
  const states = async () =>
    (await here.elsewhere.get('/api/agent-sessions', { query })).items.map(({ state }) => state)
  await expect.poll(states).toEqual(['terminating'])
})

test('[CH9] an agent that waits for a decision is said to, and is answered there', async () => {
  const room = await chatRoom('eva')
  await room.write('may I?')
  const agent = await room.signIn()
  const page = await here.ownerPage(room.address)
  await agent.call('get_pending_messages', { session_token: agent.token })
  await agent.call('request_approval', {
    session_token: agent.token,
    checkpoint_type: 'plan',
    instruction_content: 'Delete it',
  })
  await presence(page, 'asking')
  const card = page.getByRole('list', { name: 'Waiting for you' })
  await card.getByText('Delete it').waitFor()
  await card.getByRole('button', { name: 'Approve' }).press('Enter')
  await presence(page, 'thinking')
  await card.waitFor({ state: 'detached' })
  await expect
    .poll(() => composer(page).evaluate((area) => area === document.activeElement))
    .toBe(true)
})

test('[CH9] who likes Enter to make a new line chooses so, and Ctrl+Enter sends', async () => {
  const room = await chatRoom('liz')
  const page = await here.ownerPage(room.address)
  await page.getByRole('button', { name: 'Account and preferences' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Enter sends what you write' }).click()
  await page.keyboard.press('Escape')
  await page.getByText('Ctrl+Enter sends, Enter makes a new line').waitFor()
  await composer(page).fill('first')
  await composer(page).press('Enter')
  await page.keyboard.type('second')
  expect(await composer(page).inputValue()).toBe('first\nsecond')
  await composer(page).press('Control+Enter')
  await page.getByRole('log').getByText('second').waitFor()
  expect(await composer(page).inputValue()).toBe('')
})

test('[CH10] a message sent while the server is away survives a reload, arrives once', async () => {
  const room = await chatRoom('bob')
  const page = await here.ownerPage(room.address, { serviceWorkers: 'allow' })
  await presence(page, 'waiting')
  await page.evaluate(() => navigator.serviceWorker.ready)
  await here.restartAfter(async () => {
    await presence(page, 'offline')
    await composer(page).fill('written while away')
    await composer(page).press('Enter')
    await page.locator('[data-unsent]').getByText('written while away').waitFor()
    await page
      .getByText('It is kept and goes out when the server is back.', { exact: false })
      .waitFor()
    // Saying so takes its room from the page, and pushes nothing out of sight.
    await page.getByRole('button', { name: 'Try now' }).waitFor()
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollHeight - innerHeight))
      .toBe(0)
    await composer(page).fill('still a draft')
    await page.reload()
    await page.getByText('The server cannot be reached.').waitFor()
  })
  await page.getByRole('log').getByText('written while away').waitFor()
  await page.locator('[data-unsent]').waitFor({ state: 'detached' })
  expect(await composer(page).inputValue()).toBe('still a draft')
  expect(await room.said()).toEqual(['written while away'])
  expect(await page.evaluate(() => localStorage.getItem('holdfast.outbox'))).toBeNull()
})

test('[CH8] [CH11] a long chat opens at its end and brings older ones in scrolling', async () => {
  const room = await chatRoom('dora')
  for (let number = 1; number <= 180; number++) await room.write(`message ${number}`)
  const page = await here.ownerPage(room.address)
  const other = await here.ownerPage(room.address)
  const log = page.getByRole('log')
  await log.getByText('message 180', { exact: true }).waitFor()
  expect(await log.getByText('message 1', { exact: true }).count()).toBe(0)
  const scrollUp = async () => {
    await log.evaluate((element) => element.scrollTo({ top: -element.scrollHeight }))
    return log.getByText('message 1', { exact: true }).count()
  }
  await expect.poll(scrollUp).toBe(1)
  await log.getByText('This is where it began.').waitFor()
  // Only what is near is drawn (UI7); scrolled through from the top, each is there once, in its
  // order.
  const seen: (string | null | undefined)[] = []
  let mostDrawn = 0
  const look = async () => {
    const drawn = await log
      .locator('[data-seq]')
      .evaluateAll((rows) => rows.map((row) => row.lastElementChild?.textContent))
    mostDrawn = Math.max(mostDrawn, drawn.length)
    seen.push(...drawn.filter((text) => !seen.includes(text)))
    await log.evaluate((element) => element.scrollBy({ top: 600 }))
    return seen.length
  }
  await expect.poll(look, { interval: 50 }).toBe(180)
  expect(seen).toEqual(Array.from({ length: 180 }, (_, index) => `message ${index + 1}`))
  expect(mostDrawn).toBeLessThan(120)
  await composer(other).fill('from the other tab')
  await composer(other).press('Enter')
  await log.getByText('from the other tab').waitFor()
  await other.getByRole('log').getByText('from the other tab').waitFor()
})

test('[CH5] a reload keeps the agent, and the stream of the page names its panel', async () => {
  const room = await chatRoom('fay')
  const page = await here.ownerPage(room.address)
  const states = await agentThere(here, room, page)
  const streamNames = page.waitForRequest((request) =>
    /\/api\/events\?.*panels=[0-9a-f]{32}/.test(request.url()),
  )
  await page.reload()
  await streamNames
  await presence(page, 'ready')
  expect(await states()).toEqual(['active'])
})

test('[CH10] what is typed to an agent in one project stands in no other chat', async () => {
  const room = await chatRoom('moving')
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: { name: 'another' },
  })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: room.agentId },
  })
  const page = await here.ownerPage(room.address)
  await composer(page).fill('only for the first')
  const go = (path: string) => page.evaluate((to) => history.pushState({}, '', to), path)
  await go(`/projects/${projectId}/chat/${room.agentId}`)
  await page.locator('[data-console-bar]').getByRole('link', { name: 'another' }).waitFor()
  await expect.poll(() => composer(page).inputValue()).toBe('')
  await go(room.address)
  await page
    .locator('[data-console-bar]')
    .getByRole('link', { name: `with-${room.agentId}` })
    .waitFor()
  await expect.poll(() => composer(page).inputValue()).toBe('only for the first')
})

test('[CH4] the panel closes although the request for it fails', async () => {
  const room = await chatRoom('cas')
  const page = await here.ownerPage(room.address)
  await presence(page, 'waiting')
  await room.signIn()
  await presence(page, 'ready')
  const asked: string[] = []
  await page.route('**/chat/end*', (route) => {
    asked.push(route.request().method())
    return route.abort()
  })
  await page.getByRole('link', { name: 'Now' }).click()
  await composer(page).waitFor({ state: 'detached' })
  await expect.poll(() => asked).toEqual(['POST'])
  const query = { projectId: room.projectId, agentId: 'cas' }
  expect(
    (await here.elsewhere.get('/api/agent-sessions', { query })).items.map(({ state }) => state),
  ).toEqual(['active'])
})
