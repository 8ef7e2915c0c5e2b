/**
 * A prompt that failed is a card with what can be done about it (UI22), and another agent goes on
 * with the session, which is told before what that agent will read (UI23).
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { askingAgent } from '../../support/asking-agent.ts'
import { axeFindings } from '../axe.ts'
import { phone, wide } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit({ up: true })
const failedThrice = ['failed', 'failed', 'failed']

test('[UI22] [UI23] a failure says what helps, and another agent goes on', async () => {
  const { id: projectId } = await here.elsewhere.post('/api/projects', { body: { name: 'fails' } })
  const failing = askingAgent()
  const agents = [
    { id: 'failing', name: 'Failing', command: failing.file, args: [...failing.args] },
    { id: 'helping', name: 'Helping', command: 'holdfast', args: ['demo-acp'] },
  ]
  for (const agent of agents) {
    await here.elsewhere.post('/api/agents', { body: { ...agent, protocol: 'acp' } })
    const params = { projectId, agentId: agent.id }
    await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', { params })
  }
  const { key } = (await here.elsewhere.post('/api/projects/{projectId}/conversations', {
    params: { projectId },
    body: { agentId: 'failing', content: 'fail at once' },
  })) as { key: string }
  const page = await here.ownerPage(`/projects/${projectId}/session/${encodeURIComponent(key)}`)
  const log = page.getByRole('log')
  const card = log.getByRole('alert').filter({ hasText: 'Failing could not answer' })
  await card.getByText('no such model').waitFor()
  await card.getByText('Failing reported this.').waitFor()
  const shots = process.env['SHOTS']
  if (shots) await page.screenshot({ path: join(shots, 'failure-wide.png') })
  expect(await axeFindings(page)).toEqual([])
  await card.getByRole('button', { name: 'Try again' }).click()
  await log.locator('details[data-failure="error"]').waitFor()
  await card.waitFor()
  await page.setViewportSize(phone)
  if (shots) await page.screenshot({ path: join(shots, 'failure-phone.png') })
  expect(await axeFindings(page)).toEqual([])
  // From its row on Now it is tried again as well.
  await page.goto('/')
  const row = page.getByRole('region', { name: 'Failed' }).getByRole('article')
  await row.getByRole('button', { name: /^Failed: fail at once/ }).click()
  await row.getByRole('button', { name: 'Continue with…' }).waitFor()
  if (shots) await page.screenshot({ path: join(shots, 'failed-row-phone.png') })
  expect(await axeFindings(page)).toEqual([])
  await row.getByRole('button', { name: 'Try again' }).click()
  const path = '/api/conversations/{key}/turns'
  const turns = async () => (await here.elsewhere.get(path, { params: { key } })).items
  await expect.poll(async () => (await turns()).map(({ state }) => state)).toEqual(failedThrice)
  await page.goto(`/projects/${projectId}/session/${encodeURIComponent(key)}`)
  await card.getByRole('button', { name: 'Continue with…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Continue with…' })
  await dialog.getByText(/^It reads the whole session first: \d+ messages, about/).waitFor()
  if (shots) await page.screenshot({ path: join(shots, 'continue-phone.png') })
  expect(await axeFindings(page)).toEqual([])
  await page.setViewportSize(wide)
  if (shots) await page.screenshot({ path: join(shots, 'continue-wide.png') })
  await dialog.getByRole('button', { name: 'Continue with Helping' }).click()
  await dialog.waitFor({ state: 'detached' })
  const composer = page.getByRole('textbox', { name: 'Write to Helping' })
  await composer.fill('go on')
  await composer.press('Enter')
  await log.getByText('echo: go on', { exact: true }).waitFor()
  await page.reload()
  await log.getByText('echo: go on', { exact: true }).waitFor()
  expect(await log.getByRole('alert').count()).toBe(0)
  // Who said what stays to be seen.
  expect(await log.getByText('Failing', { exact: true }).count()).toBe(3)
  expect(await log.getByText('Helping', { exact: true }).count()).toBe(1)
})
