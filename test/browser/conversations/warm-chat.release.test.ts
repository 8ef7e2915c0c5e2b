/**
 * More of a chat with the real thing (warm-chat.test.ts): cut off, taken back and forked, crashed.
 * In `npm test` turns are taken back in test/browser/worktrees/changes.test.ts, messages sent while
 * the server is away in chat.test.ts, and crashes held in test/server.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openForwardProxy } from '../../support/forward-proxy.ts'
import { makeRepository } from '../../support/git-repository.ts'
import { axeFindings } from '../axe.ts'
import { wide } from '../tabs.ts'
import { visit } from '../visit.ts'
import { allow, answered, openChat, presence, say } from './warm-chat.ts'

const here = visit({ up: true })

test('[CH10] one process answers everything once through a reload and a time offline', async () => {
  const { page, projectId, said, processes } = await openChat(here, 'ben')
  await presence(page, 'ready')
  // The agent answers when a person has allowed it, so that nothing here hangs on time.
  await say(page, '[[ask]] one')
  await presence(page, 'asking')
  await page.reload()
  await presence(page, 'asking')
  await allow(here, projectId)
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

test('[CH14] a page cut off in the middle and at the end of an answer shows all once', async () => {
  const proxy = await openForwardProxy()
  const { page, projectId, said, processes } = await openChat(here, 'eli', {}, 'acp', {
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
      await allow(here, projectId)
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
  const { page, said, processes } = await openChat(here, 'cid', { 'restart.max': 2 })
  await presence(page, 'ready')
  await say(page, '[[crash]]')
  // Lost twice, it is not given to a third by itself; the next message finds an agent that has
  // failed too often.
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

test('[UI10] a turn shows what it changed, is taken back and forked to another', async () => {
  const repository = makeRepository()
  const { page, projectId } = await openChat(here, 'rewinder', {}, 'acp', {
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
