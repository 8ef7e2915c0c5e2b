/**
 * Three agents side by side, each in a worktree: answered one by one, reviewed and landed, wide and
 * on a phone. Two of them are in test/browser/consoles/console.test.ts, one's changes in
 * changes.test.ts.
 */
import { expect, test } from 'vitest'
import { makeRepository } from '../../support/git-repository.ts'
import { phone, wide } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit({ up: true })

test('[UI3] [UI12] agents side by side are answered one by one, and reviewed', async () => {
  const repository = makeRepository()
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: { name: 'three', path: repository.folder },
  })
  const agent = {
    id: 'threefold',
    name: 'Threefold',
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
  const roles = ['parser', 'printer', 'tests']
  const pane = (role: string) => page.locator(`[data-role="${role}"]`)
  for (const role of roles) {
    await page.getByRole('button', { name: 'Add agent' }).click()
    await page.getByRole('textbox', { name: 'Role', exact: true }).fill(role)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await pane(role).locator('[data-state="idle"]').waitFor()
  }
  for (const role of roles) {
    await pane(role).getByRole('textbox').fill(`[[ask]] [[write ${role}.txt by ${role}]]`)
    await pane(role).getByRole('textbox').press('Enter')
  }
  for (const role of roles) await pane(role).locator('[data-outcome="open"]').waitFor()
  // No letter decides, typed or not.
  await pane('printer').getByRole('textbox').focus()
  await page.keyboard.press('Alt+R')
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await page.keyboard.type('a r')
  expect(await page.locator('[data-outcome="open"]').count()).toBe(roles.length)
  await pane('printer').locator('[data-decide="rejected"]').click()
  await pane('printer').locator('[data-outcome="denied"]').waitFor()
  expect(await page.locator('[data-outcome="open"]').count()).toBe(roles.length - 1)
  for (const role of roles.slice(2)) {
    await pane(role).locator('[data-decide="approved"]').click()
    await pane(role).locator('[data-outcome="allowed"]').waitFor()
  }
  // On a phone one column is in sight.
  await page.setViewportSize(phone)
  await page.getByRole('button', { name: /^parser/ }).click()
  await pane('parser').locator('[data-decide="approved"]').click()
  await pane('parser').locator('[data-outcome="allowed"]').waitFor()
  // What is committed while its agent still works is not all of it.
  await pane('parser').locator('[data-turn="answered"]').waitFor()
  const console = page.url()
  const reviewed = [
    ['parser', phone],
    ['tests', wide],
  ] as const
  for (const [role, size] of reviewed) {
    await page.goto(console)
    await page.setViewportSize(size)
    await (size === wide ? pane(role) : page).getByRole('link', { name: 'Review (1)' }).click()
    const review = page.getByRole('region', { name: `Changes of ${role}` })
    await review.getByRole('insertion').getByText(`by ${role}`).waitFor()
    await review.getByRole('button', { name: 'Commit 1 file and merge into main' }).click()
    await review.getByText('main has it', { exact: true }).waitFor()
    await review.getByText('main has everything already.').waitFor()
    expect(repository.git('show', `main:${role}.txt`)).toBe(`by ${role}`)
  }
})
