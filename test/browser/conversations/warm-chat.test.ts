/**
 * A chat with the real thing: Holdfast with its coordinator, the demo agent as a process of its
 * own, and a browser on a phone.
 */
import { expect, test } from 'vitest'
import { makeRepository } from '../../support/git-repository.ts'
import { anyOf } from '../any-of.ts'
import { axeFindings } from '../axe.ts'
import { phone, wide } from '../tabs.ts'
import { firstVisit, visit } from '../visit.ts'
import { allow, answered, openChat, presence, say } from './warm-chat.ts'

const here = visit({ up: true })

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
  const { page, processes, states } = await openChat(here, 'ann')
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

test('[CH14] an answer is read while it is being said, and stands there once whole', async () => {
  const { page, projectId, said } = await openChat(here, 'dot', {}, 'acp')
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
  await allow(here, projectId)
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
  const { page, projectId } = await openChat(here, 'fox', {}, 'acp')
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
  const { page, projectId } = await openChat(here, 'gil', {}, 'acp', { viewport: wide })
  const rows = page.getByRole('navigation', { name: 'Projects' }).getByRole('link')
  await presence(page, 'ready')
  await say(page, 'Move **the build** [[ask]]')
  await rows.filter({ hasText: 'Waiting for you: Move the build' }).waitFor()
  await page.getByRole('link', { name: 'Now' }).click()
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
  await allow(here, projectId)
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

test('[CX9] the chat shows where it works, and one press chooses another place', async () => {
  const { page, projectId } = await openChat(here, 'kit', {}, 'acp')
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

test('[AG14] [UI9] a chat takes a model and a picture; Now shows and stops the agent', async () => {
  const { page } = await openChat(here, 'chooser', {}, 'acp', {
    viewport: wide,
    colorScheme: 'light',
  })
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
