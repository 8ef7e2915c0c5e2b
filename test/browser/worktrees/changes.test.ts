/** What an agent changed, seen and brought out in the page: a real repository, a real agent, a browser (WT2, WT3, WT6). */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeRepository } from '../../support/git-repository.ts'
import { axeFindings } from '../axe.ts'
import { phone } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit({ up: true })

test('[WT2] [UI12] the Changes of a role: files and diff as they come, commit, merge, patch, and removal that says what is lost', async () => {
  const repository = makeRepository()
  repository.git('branch', 'release')
  const body = { name: 'changes', path: repository.folder, settings: { 'permission.policy': 'allow_all' } }
  const { id: projectId } = await here.elsewhere.post('/api/projects', { body })
  const agent = { id: 'changer', name: 'Changer', protocol: 'acp' as const, command: 'holdfast', args: ['demo-acp'] }
  await here.elsewhere.post('/api/agents', { body: agent })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', { params: { projectId, agentId: agent.id } })
  const page = await here.ownerPage(`/projects/${projectId}/console`)
  await page.getByRole('button', { name: 'New console' }).click()
  await page.getByRole('button', { name: 'Add agent' }).click()
  await page.getByRole('textbox', { name: 'Role', exact: true }).fill('auth')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const pane = page.locator('[data-role="auth"]')
  await pane.locator('[data-state="idle"]').waitFor()
  const box = pane.getByRole('textbox')
  await box.fill('[[write hello.txt hi there]]')
  await box.press('Enter')
  await pane.locator('[data-state="idle"]').waitFor()
  const console = page.url()
  await pane.getByRole('link', { name: 'Changes (1)' }).click()
  const review = page.getByRole('region', { name: 'Changes of auth' })
  const diff = review.getByRole('region', { name: 'Changes in hello.txt' })
  await diff.getByRole('insertion').getByText('hi there').waitFor()
  expect(await diff.getByRole('row').last().getByRole('cell').allTextContents()).toEqual(['', '1', 'hi there'])
  await review
    .getByRole('navigation')
    .getByRole('link', { name: /hello\.txt/ })
    .getByTitle('1 added, 0 removed')
    .waitFor()
  await review.getByRole('radio', { name: 'Side by side' }).check()
  expect(await diff.getByRole('row').last().getByRole('cell').count()).toBe(4)
  expect(await axeFindings(page)).toEqual([])
  await review.getByRole('button', { name: 'Commit' }).click()
  await review.getByText('1 file is committed.').waitFor()
  await review.getByText('1 commit ahead').waitFor()
  await review.getByRole('textbox', { name: 'Into branch' }).fill('no-such-branch')
  await review.getByRole('button', { name: 'Merge' }).click()
  await review.getByRole('alert').waitFor()
  await review.getByRole('textbox', { name: 'Into branch' }).fill('release')
  await review.getByRole('button', { name: 'Merge' }).click()
  // What was done stays to be read; a refusal that is mended does not.
  await review.getByText('It is in release now.').waitFor()
  expect(await review.getByRole('status', { name: 'What was done' }).getByRole('listitem').count()).toBe(2)
  expect(await review.getByRole('alert').count()).toBe(0)
  expect(repository.git('show', 'release:hello.txt')).toBe('hi there')
  const { items } = await here.elsewhere.get('/api/projects/{projectId}/worktrees', { params: { projectId } })
  const folder = items[0]?.folder ?? ''
  await page.goto(console)
  await box.fill('[[write other.txt more]]')
  await box.press('Enter')
  await pane.getByRole('link', { name: 'Changes (2)' }).click()
  await review.getByRole('region', { name: 'Changes in other.txt' }).waitFor()
  // By turn: the second one wrote only this file.
  await review.getByLabel('Show').selectOption({ label: 'Turn 2 +1 −0' })
  await review.getByRole('navigation', { name: 'Changed files' }).waitFor({ state: 'detached' })
  await review.getByRole('region', { name: 'Changes in other.txt' }).waitFor()
  expect(await review.getByRole('region', { name: 'Changes in hello.txt' }).count()).toBe(0)
  await review.getByLabel('Show').selectOption({ label: 'All changes' })
  await review.getByRole('button', { name: 'Remove worktree' }).click()
  const confirm = page.getByRole('alertdialog')
  await confirm.getByText('1 file not committed').waitFor()
  await confirm.getByRole('button', { name: 'Remove worktree' }).click()
  await confirm.getByText('Somebody works in this worktree').waitFor()
  expect(existsSync(join(folder, 'other.txt'))).toBe(true)
  await confirm.getByRole('button', { name: 'Cancel' }).click()
  await review.getByRole('link', { name: 'To the session' }).click()
  await page.getByRole('button', { name: 'End auth' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'End', exact: true }).click()
  await pane.locator('[data-state="gone"]').waitFor()
  await pane.getByRole('link', { name: 'Changes (2)' }).click()
  await review.getByRole('button', { name: 'Remove worktree' }).click()
  await confirm.getByText('1 file not committed').waitFor()
  await confirm.getByRole('button', { name: 'Remove worktree' }).click()
  await confirm.waitFor({ state: 'detached' })
  await expect.poll(() => existsSync(folder)).toBe(false)
})

test('[WT6] on a phone, in Japanese and dark, the list of worktrees and the Changes fit', async () => {
  const repository = makeRepository()
  const settings = { 'permission.policy': 'allow_all' }
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: { name: 'phone', path: repository.folder, settings },
  })
  const agent = { id: 'phoner', name: 'Phoner', protocol: 'acp' as const, command: 'holdfast', args: ['demo-acp'] }
  await here.elsewhere.post('/api/agents', { body: agent })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', { params: { projectId, agentId: agent.id } })
  const page = await here.ownerPage(`/projects/${projectId}/console`, { viewport: phone, locale: 'ja', colorScheme: 'dark' })
  await page.getByRole('button', { name: '新しいコンソール' }).click()
  await page.getByRole('button', { name: 'エージェントを追加' }).click()
  await page.getByRole('textbox', { name: '役割', exact: true }).fill('認証')
  await page.getByRole('button', { name: '起動', exact: true }).click()
  const pane = page.locator('[data-role="認証"]')
  await pane.locator('[data-state="idle"]').waitFor()
  await pane.getByRole('textbox').fill('[[write src/a/very/long/path/to/some/file/with/a/long/name.txt こんにちは]]')
  await pane.getByRole('textbox').press('Enter')
  await page.getByRole('link', { name: '変更 (1)' }).click()
  const review = page.getByRole('region', { name: '認証 の変更' })
  await review.getByText('変更されたファイル 1 件').waitFor()
  await review.getByText('こんにちは').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
  await page.goto(`/projects/${projectId}/console`)
  await page.getByRole('heading', { name: 'ワークツリー' }).waitFor()
  await page.getByText('使用中').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
})
