/** A project with an agent that Holdfast starts, its console, and what is done in it. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { TabOptions } from '../tabs.ts'
import type { Visit } from '../visit.ts'

/** A project of its own with an ACP agent that Holdfast starts, and its console tab. */
export async function openProject(here: Visit, name: string, options: TabOptions = {}) {
  const { id: projectId } = await here.elsewhere.post('/api/projects', { body: { name } })
  const body = {
    id: name,
    name: `Demo ${name}`,
    protocol: 'acp' as const,
    command: 'holdfast',
    args: ['demo-acp'],
  }
  await here.elsewhere.post('/api/agents', { body })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: name },
  })
  const machines = async () =>
    (await here.elsewhere.get('/api/coordinators')).items.map(({ state }) => state)
  await expect.poll(machines).toContain('connected')
  const page = await here.ownerPage(`/projects/${projectId}/all-sessions`, options)
  return { page, projectId }
}

export const pane = (page: Page, role: string) => page.locator(`[data-role="${role}"]`)
export const inState = (page: Page, role: string, state: string) =>
  pane(page, role).locator(`[data-state="${state}"]`).waitFor()

export async function addAgent(
  page: Page,
  role: string,
  button = 'Add agent',
  start = 'Start',
  label = 'Role',
): Promise<void> {
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('textbox', { name: label, exact: true }).fill(role)
  await page.getByRole('button', { name: start, exact: true }).click()
  await inState(page, role, 'idle')
}

export async function say(page: Page, role: string, text: string): Promise<void> {
  const box = pane(page, role).getByRole('textbox')
  await box.fill(text)
  await box.press('Enter')
}
