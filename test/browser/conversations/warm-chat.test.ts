/** A chat with the real thing: Holdfast with its coordinator, the demo agent as a process of its own, and a browser on a phone. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openForwardProxy } from '../../support/forward-proxy.ts'
import { makeRepository } from '../../support/git-repository.ts'
import { anyOf } from '../any-of.ts'
import { axeFindings } from '../axe.ts'
import { phone, type TabOptions, wide } from '../tabs.ts'
import { firstVisit, visit } from '../visit.ts'

const here = visit({ up: true })

const presence = (page: Page, state: string) => page.locator(`[data-presence="${state}"]`).waitFor()
const answered = (page: Page, text: string) =>
  page.getByRole('log').getByText(text, { exact: true }).waitFor()

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: /^Write to/ }).fill(text)
  await page.keyboard.press('Enter')
}

/** A project of its own with an agent that Holdfast starts. */
async function openChat(
  agentId: string,
  settings: Record<string, number> = {},
  protocol: 'mcp' | 'acp' = 'mcp',
  options: TabOptions = {},
) {
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: { name: agentId, settings },
  })
  const body = {
    id: agentId,
    name: agentId,
    protocol,
    command: 'holdfast',
    args: [`demo-${protocol}`],
  }
  await here.elsewhere.post('/api/agents', { body })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId },
  })
  const query = { projectId, agentId }
  const page = await here.ownerPage(`/projects/${projectId}/chat/${agentId}`, {
    viewport: phone,
    colorScheme: 'dark',
    ...options,
  })
  return {
    page,
    projectId,
    processes: async () => (await here.elsewhere.get('/api/processes', { query })).items,
    states: async () =>
      (await here.elsewhere.get('/api/processes', { query })).items.map(({ state }) => state),
    said: async () =>
      (
        await here.elsewhere.get('/api/projects/{projectId}/agents/{agentId}/messages', {
          params: query,
        })
      ).items.map(({ content }) => content),
  }
}

/** What the agent of the project has asked for; it may not have asked yet. */
async function allow(projectId: string): Promise<void> {
  const asked = async () =>
    (await here.elsewhere.get('/api/approvals')).items.filter(
      (each) => each.projectId === projectId,
    )
  await expect.poll(asked).toHaveLength(1)
  const params = { projectId, approvalId: String((await asked())[0]?.id) }
  await here.elsewhere.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
    params,
    body: { status: 'approved' },
  })
}

test('[UI6] the first visit offers the demo agent by one button, later visits do not', async () => {
  const page = await firstVisit(here, wide)
  // In the plan, and as what it does now.
  await anyOf(page.getByText('Say what was done')).waitFor()
  await page.getByText('ls -l', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByText('wrote hello.md').waitFor()
  await page.getByRole('link', { name: 'Now' }).click()
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
  await page.getByRole('link', { name: /^demo/ }).waitFor()
  expect(await page.getByText('Look around').count()).toBe(0)
})

test('[CH1] the agent comes when the panel opens and goes when it closes, each time', async () => {
  const { page, processes, states } = await openChat('ann')
  await presence(page, 'ready')
  await say(page, 'hello')
  await answered(page, 'echo: hello')
  expect(await axeFindings(page)).toEqual([])
  const [first] = await processes()
  await page.getByRole('link', { name: 'Now' }).click()
  await expect.poll(states).toEqual(['ended'])
  await page.goBack()
  await expect.poll(states).toEqual(['running', 'ended'])
  await presence(page, 'ready')
  await answered(page, 'echo: hello')
  const [second] = await processes()
  expect(second?.pid).not.toBe(first?.pid)
  expect(await states()).toEqual(['running', 'ended'])
})

test('[CH10] one process answers everything once through a reload and a time offline', async () => {
  const { page, projectId, said, processes } = await openChat('ben')
  await presence(page, 'ready')
  // The agent answers when a person has allowed it, so that nothing here hangs on time.
  await say(page, '[[ask]] one')
  await presence(page, 'asking')
  await page.reload()
  await presence(page, 'asking')
  await allow(projectId)
  await presence(page, 'ready')
  await page.context().setOffline(true)
  await say(page, 'written while away')
  await page.locator('[data-unsent]').waitFor()
  await page.context().setOffline(false)
  await answered(page, 'echo: written while away')
  const all = await said()
  expect(all.filter((text) => text.includes('written while away'))).toEqual([
    'echo: written while away',
    'written while away',
  ])
  expect(all).toHaveLength(4)
  expect(await processes()).toHaveLength(1)
})

test('[CH14] an answer is read while it is being said, and stands there once whole', async () => {
  const { page, projectId, said } = await openChat('dot', {}, 'acp')
  await presence(page, 'ready')
  // The agent says the first part and then waits for a person, so that nothing here hangs on time.
  await say(page, '[[say the first part]] [[ask]] the rest')
  const saying = page.locator('[data-saying]')
  await saying.getByText('the first part').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.reload()
  await saying.getByText('the first part').waitFor()
  // CH16: what waits meanwhile is taken back.
  await say(page, 'never mind')
  await page.getByRole('button', { name: 'Withdraw' }).click()
  await page.locator('[data-queued]').waitFor({ state: 'detached' })
  await allow(projectId)
  const whole = 'the first part\nallowed\necho: the rest'
  await page.getByRole('log').locator('[data-seq]', { hasText: 'echo: the rest' }).waitFor()
  await saying.waitFor({ state: 'detached' })
  expect(await page.getByRole('log').getByText('the first part', { exact: false }).count()).toBe(2)
  expect((await said())[0]).toBe(whole)
  expect(await said()).not.toContain('never mind')

  // AG6: its vendor's limit, with its end; what a person said about it is there after a reload too.
  await say(page, '[[limit 3600]]')
  await page.getByRole('button', { name: /^Go on by itself at .*\d\d:\d\d$/ }).click()
  await page.locator('[data-limit="goes-on"]').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.reload()
  await page.getByRole('button', { name: 'Do not go on by itself' }).click()
  await page.locator('[data-limit="waits"]').waitFor()
})

test('[UI4] a chat with a prompted agent shows tools and plan, queues, and stops it', async () => {
  const { page, projectId } = await openChat('fox', {}, 'acp')
  await presence(page, 'ready')
  const log = page.getByRole('log')
  await say(page, '[[plan]] [[write hello.txt hello there]] [[ask]] first')
  // The permission stands in the turn that asks; one of the same agent elsewhere does not.
  await log.locator('[data-outcome="open"]').waitFor()
  await log.locator('[data-tool] ins', { hasText: 'hello there' }).waitFor()
  await log.getByText(/of 3 done$/).waitFor()
  await say(page, 'second')
  await page.locator('[data-queued="1"]').getByText('second').waitFor()
  expect(await axeFindings(page)).toEqual([])
  // Most of a phone is the transcript.
  expect((await log.boundingBox())?.height).toBeGreaterThan(phone.height * 0.6)
  await log.getByRole('button', { name: 'Approve', exact: true }).click()
  await log.locator('[data-outcome="allowed"]').waitFor()
  await answered(page, 'echo: second')
  const text = await log.innerText()
  const places = ['first', 'echo: first', 'second', 'echo: second'].map((each) =>
    text.indexOf(each),
  )
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  // After a reload all of it is there, in the same order.
  await page.reload()
  await log.locator('[data-tool] ins', { hasText: 'hello there' }).waitFor()
  await answered(page, 'echo: second')

  await say(page, '[[say so far]] [[hang]]')
  await log.getByText('so far', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await log.locator('[data-turn="cancelled"]').waitFor()
  await presence(page, 'ready')
  expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0)
  expect(
    (await here.elsewhere.get('/api/approvals')).items.filter(
      (each) => each.projectId === projectId,
    ),
  ).toEqual([])
})

test('[UI1] the sidebar lists sessions with state and title, marks unread, renames', async () => {
  const { page, projectId } = await openChat('gil', {}, 'acp', { viewport: wide })
  const rows = page.getByRole('navigation', { name: 'Projects' }).getByRole('link')
  await presence(page, 'ready')
  await say(page, 'Move **the build** [[ask]]')
  await rows.filter({ hasText: 'Waiting for you: Move the build' }).waitFor()
  await page.getByRole('link', { name: 'Now' }).click()
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
  await allow(projectId)
  await rows.filter({ hasText: 'Finished: Move the build' }).filter({ hasText: 'unread' }).click()
  await page.getByRole('log').getByText('echo: Move').waitFor()
  await rows
    .filter({ hasText: 'Move the build' })
    .filter({ hasText: 'unread' })
    .waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Details' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Vite 8')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Vite 8', level: 1 }).waitFor()
  await rows.filter({ hasText: 'Vite 8' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  // By keyboard: the composer, all keys, and folding.
  await page.getByRole('button', { name: 'Details' }).press('c')
  await page.waitForFunction(() => document.activeElement?.matches('[data-composer] textarea'))
  await page.getByRole('button', { name: 'Sessions of gil' }).press('Enter')
  await page.getByRole('button', { name: 'Sessions of gil', expanded: false }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
})

test('[CH14] a page cut off in the middle and at the end of an answer shows all once', async () => {
  const proxy = await openForwardProxy()
  const { page, projectId, said, processes } = await openChat('eli', {}, 'acp', {
    proxy: { server: proxy.url },
  })
  await presence(page, 'ready')
  await say(page, '[[say the first part]] [[ask]] [[say the second part]] [[ask]] the rest')
  const saying = page.locator('[data-saying]')
  await saying.getByText('the first part').waitFor()
  /** The agent goes on while the page is away. */
  const allowWhileAway = (meanwhile: () => Promise<void>) =>
    proxy.cutDuring(async () => {
      await presence(page, 'offline')
      await allow(projectId)
      await meanwhile()
    })
  await allowWhileAway(async () => {})
  await saying.getByText('the second part').waitFor()
  const times = async (text: string, within = page.getByRole('log')) =>
    (await within.innerText()).split(text).length - 1
  expect([await times('the first part', saying), await times('the second part', saying)]).toEqual([
    1, 1,
  ])

  const whole = 'the first part\nallowed\nthe second part\nallowed\necho: the rest'
  await allowWhileAway(async () => {
    await expect.poll(async () => (await said())[0]).toBe(whole)
  })
  await page.getByRole('log').locator('[data-seq]', { hasText: 'echo: the rest' }).waitFor()
  await saying.waitFor({ state: 'detached' })
  // Once as it was asked, once as it was answered.
  expect([await times('the first part'), await times('the second part')]).toEqual([2, 2])
  expect([await said(), await processes()]).toMatchObject([{ length: 2 }, { length: 1 }])
})

test('[CO7] an agent that crashes again and again is held with reason and last words', async () => {
  const { page, said, processes } = await openChat('cid', { 'restart.max': 2 })
  await presence(page, 'ready')
  await say(page, '[[crash]]')
  // Lost twice, it is not given to a third by itself; the next message finds an agent that has failed too often.
  await page
    .getByRole('status')
    .filter({ hasText: 'ended twice while it worked on this' })
    .waitFor()
  await say(page, 'are you there?')
  await presence(page, 'held')
  const trouble = page.getByRole('alert')
  await trouble.getByRole('button', { name: 'Release cid' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await trouble.getByRole('link', { name: 'What it wrote' }).click()
  await page.getByRole('dialog', { name: 'Launch' }).getByText('Crashed').waitFor()
  expect((await processes()).map(({ state, reason }) => [state, reason])).toEqual([
    ['held', null],
    ['ended', 'crashed'],
    ['ended', 'crashed'],
  ])
  expect(await said()).toEqual([
    'are you there?',
    expect.stringContaining('ended twice'),
    '[[crash]]',
  ])
})

test('[CX9] the chat shows where it works, and one press chooses another place', async () => {
  const { page, projectId } = await openChat('kit', {}, 'acp')
  await presence(page, 'ready')
  await here.elsewhere.patch('/api/projects/{projectId}', {
    params: { projectId },
    body: { path: makeRepository().folder },
  })
  await page.reload()
  await page.getByRole('button', { name: 'Details' }).click()
  await page.locator('[data-workplace="checkout"]').getByText('In the project’s folder').waitFor()
  const shown = async () =>
    (
      await here.elsewhere.get('/api/conversations/{key}', {
        params: { key: `web:${projectId}.kit` },
      })
    ).workplace?.kind
  await page.getByRole('button', { name: 'Use a worktree' }).click()
  await page.locator('[data-workplace="worktree"]').getByText('In a worktree of its own').waitFor()
  expect(await shown()).toBe('worktree')
  await page.getByRole('button', { name: 'Use the project’s folder' }).click()
  await page.locator('[data-workplace="checkout"]').waitFor()
  expect(await shown()).toBe('checkout')
})

test('[UI10] a turn shows what it changed, is taken back and forked to another', async () => {
  const repository = makeRepository()
  const { page, projectId } = await openChat('rewinder', {}, 'acp', {
    viewport: wide,
    colorScheme: 'light',
  })
  await presence(page, 'ready')
  const place = {
    params: { projectId },
    body: { path: repository.folder, settings: { 'permission.policy': 'allow_all' } },
  } as const
  await here.elsewhere.patch('/api/projects/{projectId}', place)
  const other = {
    id: 'other-rewinder',
    name: 'Other',
    protocol: 'acp',
    command: 'holdfast',
    args: ['demo-acp'],
  } as const
  await here.elsewhere.post('/api/agents', { body: { ...other, args: [...other.args] } })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: other.id },
  })
  const log = page.getByRole('log')
  const answer = (text: string) =>
    log.locator('[data-turn="answered"]').filter({ hasText: `echo: ${text}` })
  const menu = (text: string) => answer(text).getByRole('button', { name: 'Go back or fork' })
  await say(page, '[[write a.txt one]] first')
  await menu('first').waitFor()
  await say(page, '[[write a.txt two]] second')
  await menu('second').waitFor()
  await answer('second')
    .getByRole('button', { name: /1 file/ })
    .click()
  const diff = log.getByRole('region', { name: 'Changes in a.txt' })
  await diff.getByRole('deletion').getByText('one').waitFor()
  await diff.getByRole('insertion').getByText('two').waitFor()
  const head = page.getByRole('heading', { level: 1 }).locator('..')
  await head.getByTitle('2 added, 1 removed').waitFor()
  // The project's own folder is nobody's worktree to review.
  expect(await head.getByRole('link', { name: 'Review' }).count()).toBe(0)
  const key = `web:${projectId}.rewinder`
  const { workplace } = await here.elsewhere.get('/api/conversations/{key}', { params: { key } })
  const file = join(workplace?.folder ?? '', 'a.txt')
  writeFileSync(file, 'mine')
  await menu('second').click()
  await page.getByRole('menuitem', { name: 'Rewind to before this' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('button', { name: 'Rewind', exact: true }).click()
  await dialog.getByText('a.txt changed').waitFor()
  expect(readFileSync(file, 'utf8')).toBe('mine')
  await dialog.getByRole('button', { name: 'Overwrite and go on' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(readFileSync(file, 'utf8')).toBe('one')
  await log.getByText('echo: second').waitFor({ state: 'detached' })
  await log.getByText(/rewound this to before a message/).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await log.getByRole('button', { name: 'Undo' }).click()
  await dialog.getByRole('button', { name: 'Undo', exact: true }).click()
  await log.getByText('echo: second').waitFor()
  expect(readFileSync(file, 'utf8')).toBe('mine')
  await log.getByText(/rewound this/).waitFor({ state: 'detached' })
  await menu('first').click()
  await page.getByRole('menuitem', { name: 'Fork with Other' }).click()
  await page.getByRole('textbox', { name: 'Write to Other' }).waitFor()
  await log.getByText('Forked from').waitFor()
  expect(await log.getByText('echo: second').count()).toBe(0)
  await say(page, '[[write b.txt forked]] third')
  await log.getByText('echo: third').waitFor()
  await log.getByRole('button', { name: /1 file/ }).waitFor()
  const rows = page
    .getByRole('navigation', { name: 'Projects' })
    .locator(`li:has(> div a[href="/projects/${projectId}"]) [data-view]`)
  await expect.poll(() => rows.count()).toBe(2)
  await head.getByRole('link', { name: 'Review' }).click()
  await page
    .getByRole('region', { name: 'Changes in b.txt' })
    .getByRole('insertion')
    .getByText('forked')
    .waitFor()
})

test('[AG14] [UI9] a chat takes a model and a picture; Now shows and stops the agent', async () => {
  const { page } = await openChat('chooser', {}, 'acp', { viewport: wide, colorScheme: 'light' })
  const log = page.getByRole('log')
  await say(page, 'first')
  await answered(page, 'echo: first')
  const model = page.getByRole('combobox', { name: 'Model' })
  await model.selectOption({ label: 'Demo Large' })
  const picture = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
    'base64',
  )
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: picture })
  await page.getByRole('list', { name: 'Attached' }).getByRole('img').waitFor()
  await say(page, 'look')
  await log.getByText('(image/png)').waitFor()
  await log.getByRole('img', { name: 'A picture' }).waitFor()
  await page.reload()
  await log.getByRole('img', { name: 'A picture' }).waitFor()
  await expect.poll(() => model.inputValue()).toBe('demo-large')
  await say(page, 'Count to many [[slow 600 500]]')
  await page.locator('[data-turn="running"]').waitFor()
  await anyOf(page.getByRole('link', { name: 'Now' })).click()
  const row = page
    .getByRole('region', { name: 'At work' })
    .locator('[data-session^="web:"]')
    .filter({ hasText: 'chooser' })
  await row.filter({ hasText: 'Writes' }).getByRole('button', { expanded: false }).click()
  await row.getByRole('button', { name: /^Stop: / }).click()
  await row.waitFor({ state: 'detached' })
})
