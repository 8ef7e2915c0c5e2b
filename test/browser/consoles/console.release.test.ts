/**
 * More of the console (console.test.ts): on a phone, in the dark and in Japanese, over a restart,
 * and with what is always allowed. In `npm test` every place is seen on a phone in
 * everywhere.test.ts; what sleeps and what is always allowed is in test/server.
 */
import { expect, test } from 'vitest'
import { axeFindings } from '../axe.ts'
import { phone } from '../tabs.ts'
import { visit } from '../visit.ts'
import { addAgent, inState, openProject, pane, say } from './open-console.ts'

const here = visit({ up: true })

test('[UI5] a phone in the dark, in Japanese, shows one role, and axe finds nothing', async () => {
  const { page } = await openProject(here, 'dan', {
    viewport: phone,
    locale: 'ja-JP',
    colorScheme: 'dark',
  })
  await page.getByRole('button', { name: '新しいコンソール' }).click()
  await addAgent(page, 'left', 'エージェントを追加', '起動', '役割')
  await addAgent(page, 'right', 'エージェントを追加', '起動', '役割')
  expect(await pane(page, 'left').isVisible()).toBe(false)
  await page.getByRole('navigation', { name: '役割' }).getByRole('button', { name: /left/ }).click()
  await say(page, 'left', '[[ask]] [[write a.txt x]]')
  await inState(page, 'left', 'waiting')
  expect(await pane(page, 'right').isVisible()).toBe(false)
  expect(await axeFindings(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)

  // UI3: where it is narrow, all settings but the model are behind one button.
  const left = pane(page, 'left')
  expect(await left.getByRole('combobox', { name: 'Model' }).isVisible()).toBe(true)
  expect(await left.getByRole('combobox', { name: 'モード' }).isVisible()).toBe(false)
  await left.getByRole('button', { name: 'その他の設定' }).click()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('menuitemradio', { name: 'Careful' }).click()
  await page.keyboard.press('Escape')
  await left.getByRole('button', { name: 'その他の設定' }).click()
  await page.getByRole('menuitemradio', { name: 'Careful', checked: true }).waitFor()
  await page.keyboard.press('Escape')

  // What the server says of it is Japanese too.
  await page
    .getByRole('navigation', { name: '役割' })
    .getByRole('button', { name: /right/ })
    .click()
  await say(page, 'right', '[[crash]]')
  const failed = pane(page, 'right').locator('[data-failed="running"]')
  await failed.getByText(/終了コード \d+ で終了しました/).waitFor()
  expect(await failed.innerText()).not.toMatch(/\bIt (?:ended|was)\b/)
})

test('[AG16] an agent sleeps in its role after a restart until the next message', async () => {
  const { page } = await openProject(here, 'zoe')
  await page.getByRole('button', { name: 'New console' }).click()
  await addAgent(page, 'coder')
  await say(page, 'coder', 'remember 7')
  await pane(page, 'coder').getByText('echo: remember 7', { exact: true }).waitFor()
  // A turn that still runs when the server stops is one that failed.
  await pane(page, 'coder').locator('[data-turn="answered"]').waitFor()
  await here.restartAfter(async () => undefined)
  await pane(page, 'coder').getByText('Asleep').waitFor()
  expect(await pane(page, 'coder').getByRole('alert').count()).toBe(0)
  await say(page, 'coder', '[[recall]]')
  const recalled = pane(page, 'coder')
    .locator('[data-turn="answered"]')
    .filter({ hasText: '[[recall]]' })
  await recalled.getByText(/remember 7/).waitFor()
})

test('[AG6] what is always allowed on the card is not asked again, and is taken back', async () => {
  const { page, projectId } = await openProject(here, 'eve')
  await page.getByRole('button', { name: 'New console' }).click()
  await addAgent(page, 'asker')
  const asked = (text: string) =>
    pane(page, 'asker')
      .locator('[data-turn]')
      .filter({ hasText: text })
      .locator('[data-permission]')
  const card = asked('at first')
  await say(page, 'asker', '[[ask]] at first')
  await card.getByRole('button', { name: 'Always allow…' }).click()
  expect(await axeFindings(page)).toEqual([])
  expect(await card.getByRole('radio', { name: 'Exactly this' }).isChecked()).toBe(true)
  await card.getByRole('radio', { name: '1 hour' }).check()
  await card.getByRole('button', { name: 'Allow from now on' }).click()
  await card.getByText('Approved').waitFor()
  await say(page, 'asker', '[[ask]] again')
  await asked('again').getByText('Always allowed by').waitFor()
  await say(page, 'asker', '[[ask something else]]')
  await inState(page, 'asker', 'waiting')

  await page.goto(new URL(`/projects/${projectId}/approvals`, page.url()).href)
  const listed = page.locator('[data-allowance]')
  await listed.waitFor()
  // AP6: what waits is read in the inbox as in the console.
  await page.locator('[data-approval]').filter({ hasText: 'something else' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await listed.getByRole('button', { name: /^Take back/ }).click()
  await listed.waitFor({ state: 'detached' })
  expect(
    (await here.elsewhere.get('/api/projects/{projectId}/allowances', { params: { projectId } }))
      .items,
  ).toEqual([])
})
