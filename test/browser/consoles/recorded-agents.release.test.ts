/**
 * Three real agents side by side, as they were recorded: what they say, ask and use is shown,
 * allowed, refused and stopped in a browser.
 */
import { expect, test } from 'vitest'
import { makeRepository } from '../../support/git-repository.ts'
import { recorded } from '../../support/recorded-agent.ts'
import { axeFindings } from '../axe.ts'
import { phone, wide } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit({ up: true })

test('[UI3] [AG4] Claude Code, Codex and Gemini work side by side in one console', async () => {
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: { name: 'three', path: makeRepository().folder },
  })
  const names = ['claude', 'codex', 'gemini']
  for (const id of names) {
    const { file, args } = recorded(id)
    await here.elsewhere.post('/api/agents', {
      body: { id, name: id, protocol: 'acp', command: file, args: [...args] },
    })
    await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
      params: { projectId, agentId: id },
    })
  }
  const page = await here.ownerPage(`/projects/${projectId}/all-sessions`, { viewport: wide })
  await page.getByRole('button', { name: 'New console' }).click()
  const pane = (role: string) => page.locator(`[data-role="${role}"]`)
  const say = async (role: string, text: string) => {
    await pane(role).getByRole('textbox').fill(text)
    await pane(role).getByRole('textbox').press('Enter')
  }
  for (const role of names) {
    await page.getByRole('button', { name: 'Add agent' }).click()
    await page.getByRole('textbox', { name: 'Role', exact: true }).fill(role)
    await page.getByRole('combobox', { name: 'Agent' }).selectOption({ label: role })
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await pane(role).locator('[data-state="idle"]').waitFor()
    await say(role, 'hello there')
    await pane(role).getByRole('log').getByText('echo: hello there').waitFor()
  }
  await say('claude', '[[write /scratch/work/notes.txt written by claude]] first')
  await pane('claude').locator('[data-permission][data-outcome="open"]').waitFor()
  await pane('claude').locator('[data-decide="approved"]').click()
  await pane('claude').locator('[data-outcome="allowed"]').waitFor()
  await pane('claude').getByRole('log').getByText('echo: first').waitFor()
  await say('codex', '[[run touch /scratch/work/never.txt]] denied')
  await pane('codex').locator('[data-decide="rejected"]').click()
  await pane('codex').locator('[data-permission]:not([data-outcome="open"])').waitFor()
  await say('gemini', 'count [[slow 200 50]]')
  await pane('gemini').getByRole('button', { name: 'Stop', exact: true }).click()
  await pane('gemini').locator('[data-turn="cancelled"]').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.setViewportSize(phone)
  await page
    .getByRole('navigation', { name: 'Roles' })
    .getByRole('button', { name: /claude/ })
    .click()
  await pane('claude').getByRole('log').getByText('echo: first').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
})
