/** What an agent changed, seen and brought out in the page: a real repository, a real agent, a browser (WT2, WT3, WT6). */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeRepository } from '../../support/git-repository.ts'
import { axeFindings } from '../axe.ts'
import { phone } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit({ up: true })

test('[WT2] the Changes of a role: files and diff as they come, commit, merge, patch, and removal that says what is lost', async () => {
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
  await pane.locator('[data-state="ready"]').waitFor()
  const box = pane.getByRole('textbox')
  await box.fill('[[write hello.txt hi there]]')
  await box.press('Enter')
  await pane.locator('[data-state="ready"]').waitFor()
  await pane.getByRole('button', { name: 'Changes' }).click()
  const drawer = page.getByRole('dialog', { name: 'Changes of auth' })
  await drawer.getByText('1 changed file').waitFor()
  await drawer.getByText('hello.txt').click()
  await drawer.getByText('hi there').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await drawer.getByRole('button', { name: 'Commit' }).click()
  await drawer.getByText('1 commit ahead').waitFor()
  await drawer.getByRole('textbox', { name: 'Into branch' }).fill('release')
  await drawer.getByRole('button', { name: 'Merge' }).click()
  await drawer.getByText('It is in release now.').waitFor()
  expect(repository.git('show', 'release:hello.txt')).toBe('hi there')
  const { items } = await here.elsewhere.get('/api/projects/{projectId}/worktrees', { params: { projectId } })
  const folder = items[0]?.folder ?? ''
  await drawer.getByRole('button', { name: 'Close' }).click()
  await box.fill('[[write other.txt more]]')
  await box.press('Enter')
  await pane.getByRole('button', { name: 'Changes' }).click()
  await drawer.getByText('other.txt').waitFor()
  await drawer.getByRole('button', { name: 'Remove worktree' }).click()
  const confirm = page.getByRole('alertdialog')
  await confirm.getByText('1 file not committed').waitFor()
  await confirm.getByRole('button', { name: 'Remove worktree' }).click()
  await confirm.getByText('Somebody works in this worktree').waitFor()
  expect(existsSync(join(folder, 'other.txt'))).toBe(true)
  await confirm.getByRole('button', { name: 'Cancel' }).click()
  await drawer.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'End auth' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'End', exact: true }).click()
  await pane.locator('[data-state="gone"]').waitFor()
  await pane.getByRole('button', { name: 'Changes' }).click()
  await drawer.getByRole('button', { name: 'Remove worktree' }).click()
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
  await pane.locator('[data-state="ready"]').waitFor()
  await pane.getByRole('textbox').fill('[[write src/a/very/long/path/to/some/file/with/a/long/name.txt こんにちは]]')
  await pane.getByRole('textbox').press('Enter')
  await pane.getByRole('button', { name: '変更' }).click()
  const drawer = page.getByRole('dialog', { name: '認証 の変更' })
  await drawer.getByText('変更されたファイル 1 件').waitFor()
  await drawer.getByText('name.txt').click()
  await drawer.getByText('こんにちは').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
  await page.goto(`/projects/${projectId}/console`)
  await page.getByRole('heading', { name: 'ワークツリー' }).waitFor()
  await page.getByText('使用中').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
})
