/**
 * What an agent changed, seen and brought out in the page: a real repository, a real agent, a
 * browser (WT2, WT3, WT6).
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeRepository } from '../../support/git-repository.ts'
import { anyOf } from '../any-of.ts'
import { axeFindings } from '../axe.ts'
import { phone, wide } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit({ up: true })

test('[WT2] [UI10] [UI12] the Changes of a role show, commit, merge, export, remove', async () => {
  const repository = makeRepository()
  repository.git('branch', 'release')
  const body = {
    name: 'changes',
    path: repository.folder,
    settings: { 'permission.policy': 'allow_all' },
  }
  const { id: projectId } = await here.elsewhere.post('/api/projects', { body })
  const agent = {
    id: 'changer',
    name: 'Changer',
    protocol: 'acp' as const,
    command: 'holdfast',
    args: ['demo-acp'],
  }
  await here.elsewhere.post('/api/agents', { body: agent })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: agent.id },
  })
  const page = await here.ownerPage(`/projects/${projectId}/all-sessions`)
  await page.getByRole('button', { name: 'New console' }).click()
  await page.getByRole('button', { name: 'Add agent' }).click()
  await page.getByRole('textbox', { name: 'Role', exact: true }).fill('auth')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const pane = page.locator('[data-role="auth"]')
  await pane.locator('[data-state="idle"]').waitFor()
  const box = pane.getByRole('textbox')
  /** A turn that is over: what it changed is offered a moment after its answer is read. */
  const answered = (text: string) =>
    pane.locator('[data-turn="answered"]').filter({ hasText: text })
  await box.fill('[[write hello.txt hi there]] first')
  await box.press('Enter')
  await answered('echo: first').getByRole('link', { name: 'Review', exact: true }).waitFor()
  const console = page.url()
  // UI10: a second turn is reviewed by itself, taken back in its pane, brought back, and taken back
  // again.
  await box.fill('[[write hello.txt something else]] second')
  await box.press('Enter')
  const second = answered('echo: second')
  await second.getByRole('link', { name: 'Review', exact: true }).click()
  const ofTurn = page.getByRole('region', { name: 'Changes in hello.txt' })
  await ofTurn.getByRole('deletion').getByText('hi there').waitFor()
  expect(await page.getByRole('combobox', { name: 'Show' }).inputValue()).toBe(
    new URL(page.url()).searchParams.get('turn'),
  )
  await page.goBack()
  const rewind = async () => {
    await second.getByRole('button', { name: 'Go back or fork' }).click()
    await page.getByRole('menuitem', { name: 'Rewind to before this' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rewind', exact: true }).click()
    await pane.getByText(/rewound this to before a message/).waitFor()
    await second.waitFor({ state: 'detached' })
  }
  await rewind()
  expect(await axeFindings(page)).toEqual([])
  await pane.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo', exact: true }).click()
  await second.waitFor()
  await pane.getByText(/rewound this/).waitFor({ state: 'detached' })
  await rewind()
  await pane.getByRole('link', { name: 'Review (1)' }).click()
  const review = page.getByRole('region', { name: 'Changes of auth' })
  const diff = review.getByRole('region', { name: 'Changes in hello.txt' })
  await diff.getByRole('insertion').getByText('hi there').waitFor()
  expect(
    await diff.getByRole('row').filter({ hasText: 'hi there' }).getByRole('cell').allTextContents(),
  ).toEqual(['', '1', 'hi there'])
  await review
    .getByRole('navigation')
    .getByRole('link', { name: /hello\.txt/ })
    .getByTitle('1 added, 0 removed')
    .waitFor()
  await review.getByRole('radio', { name: 'Side by side' }).check()
  expect(
    await diff.getByRole('row').filter({ hasText: 'hi there' }).getByRole('cell').count(),
  ).toBe(4)
  expect(await axeFindings(page)).toEqual([])
  const remove = async () => {
    await review.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Download patch' }).waitFor()
    await page.getByRole('menuitem', { name: 'Remove worktree' }).click()
  }
  const landing = review.getByRole('region', { name: 'Land', exact: true })
  const other = async (name: string) => {
    await landing.getByRole('button', { name: 'Other ways to land' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await other('Commit 1 file')
  await review.getByText('1 commit ahead').waitFor()
  await other('Into another branch…')
  const into = landing.getByRole('textbox', { name: 'Into branch' })
  await into.fill('no-such-branch')
  await into.press('Enter')
  await landing.getByText('no-such-branch is not there').waitFor()
  expect(
    await landing.getByRole('button', { name: 'Merge into no-such-branch' }).isDisabled(),
  ).toBe(true)
  await other('Into another branch…')
  await into.fill('release')
  await into.press('Enter')
  await landing.getByRole('button', { name: 'Merge into release' }).click()
  // What was done stays to be read.
  await landing
    .getByRole('status', { name: 'What landed' })
    .getByText('release has it', { exact: true })
    .waitFor()
  await landing.getByText('release has everything already.').waitFor()
  expect(await review.getByRole('alert').count()).toBe(0)
  expect(repository.git('show', 'release:hello.txt')).toBe('hi there')
  const { items } = await here.elsewhere.get('/api/projects/{projectId}/worktrees', {
    params: { projectId },
  })
  const folder = items[0]?.folder ?? ''
  await page.goto(console)
  await box.fill('[[write other.txt more]]')
  await box.press('Enter')
  await pane.getByRole('link', { name: 'Review (2)' }).click()
  await review.getByRole('region', { name: 'Changes in other.txt' }).waitFor()
  // By turn: the second one wrote only this file.
  await review.getByLabel('Show').selectOption({ label: 'Prompt 2 +1 −0' })
  await review
    .getByRole('navigation', { name: 'Changed files' })
    .getByText('1 changed file')
    .waitFor()
  await review.getByRole('region', { name: 'Changes in other.txt' }).waitFor()
  expect(await review.getByRole('region', { name: 'Changes in hello.txt' }).count()).toBe(0)
  await review.getByLabel('Show').selectOption({ label: 'All changes' })
  await remove()
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
  await pane.getByRole('link', { name: 'Review (2)' }).click()
  await remove()
  await confirm.getByText('1 file not committed').waitFor()
  await confirm.getByRole('button', { name: 'Remove worktree' }).click()
  await confirm.waitFor({ state: 'detached' })
  await expect.poll(() => existsSync(folder)).toBe(false)
})

test('[UI1] [RS1] one press resumes work and shows what its agent was told', async () => {
  const { id: projectId } = await here.elsewhere.post('/api/projects', { body: { name: 'rex' } })
  const agent = {
    id: 'rex',
    name: 'Rex',
    protocol: 'acp' as const,
    command: 'holdfast',
    args: ['demo-acp'],
  }
  await here.elsewhere.post('/api/agents', { body: agent })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: agent.id },
  })
  const params = { projectId }
  const task = {
    phase: 1,
    type: 'code',
    title: 'Land softly',
    description: '[[hang]]',
    assignedTo: 'rex',
  }
  const { id: taskId } = await here.elsewhere.post('/api/projects/{projectId}/tasks', {
    params,
    body: task,
  })
  const page = await here.ownerPage(`/projects/${projectId}/tasks?task=${taskId}`, {
    viewport: phone,
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click()
  const works = async () =>
    (await here.elsewhere.get('/api/conversations', { query: { projectId, live: true } })).items
  for (const size of [phone, wide]) {
    await page.setViewportSize(size)
    await expect
      .poll(async () => (await works()).map(({ activity }) => activity))
      .toEqual(['working'])
    const { items } = await here.elsewhere.get('/api/processes', { query: { projectId } })
    const launchId = items.find(({ state }) => state === 'running')?.launchId ?? ''
    await here.elsewhere.post('/api/processes/{launchId}/stop', { params: { launchId } })
    await page.goto('/')
    const failed = page.getByRole('region', { name: 'Failed' })
    await failed
      .locator('[data-interrupted]')
      .getByRole('button', { name: /^Interrupted/ })
      .click()
    await failed.getByRole('button', { name: 'Resume the work in rex' }).click()
    await page.getByRole('button', { name: 'Resume 1 agent' }).click()
    await page.waitForURL(`**/projects/${projectId}/session/work*`)
    const log = page.getByRole('log')
    await anyOf(log.getByText('Land softly')).waitFor()
    // In what it was told first, which is folded.
    await expect
      .poll(() => log.getByText(/begun before and interrupted/).count())
      .toBeGreaterThan(0)
  }
  expect(await axeFindings(page)).toEqual([])
})
