/**
 * The first visit on a phone (UI6), and there, in Japanese and dark, the list of worktrees and the
 * Changes (WT6): for the release.
 */

import { expect, test } from 'vitest'
import { makeRepository } from '../../support/git-repository.ts'
import { axeFindings } from '../axe.ts'
import { assignDemoAgent } from '../demo-agent.ts'
import { phone } from '../tabs.ts'
import { firstVisit, visit } from '../visit.ts'

const here = visit({ up: true })

test('[UI6] on a phone, too, the first answer is two actions away', async () => {
  await firstVisit(here, phone)
})

test('[WT6] the worktrees and the Changes fit a phone, in Japanese and dark', async () => {
  const repository = makeRepository()
  const settings = { 'permission.policy': 'allow_all' }
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: { name: 'phone', path: repository.folder, settings },
  })
  await assignDemoAgent(here.elsewhere, projectId, { id: 'phoner', name: 'Phoner' })
  const page = await here.ownerPage(`/projects/${projectId}/all-sessions`, {
    viewport: phone,
    locale: 'ja',
    colorScheme: 'dark',
  })
  await page.getByRole('button', { name: '新しいコンソール' }).click()
  await page.getByRole('button', { name: 'エージェントを追加' }).click()
  await page.getByRole('textbox', { name: '役割', exact: true }).fill('認証')
  await page.getByRole('button', { name: '起動', exact: true }).click()
  const pane = page.locator('[data-role="認証"]')
  await pane.locator('[data-state="idle"]').waitFor()
  await pane
    .getByRole('textbox')
    .fill('[[write src/a/very/long/path/to/some/file/with/a/long/name.txt こんにちは]]')
  await pane.getByRole('textbox').press('Enter')
  await page.getByRole('link', { name: 'レビュー (1)' }).click()
  const review = page.getByRole('region', { name: '認証 の変更' })
  await review.getByText('変更されたファイル 1 件').waitFor()
  await review.getByRole('insertion').getByText('こんにちは').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
  await page.locator(':root[data-theme="light"]').waitFor({ state: 'attached' })
  expect(await axeFindings(page, 'colours inside')).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(
    true,
  )
  await page.goto(`/projects/${projectId}/all-sessions`)
  await page.getByRole('heading', { name: 'ワークツリー' }).waitFor()
  await page.getByText('使用中').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(
    true,
  )
})
