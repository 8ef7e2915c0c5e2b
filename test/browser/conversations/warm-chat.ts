/** A project with an agent that Holdfast starts, and the page of its chat. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { phone, type TabOptions } from '../tabs.ts'
import type { Visit } from '../visit.ts'

export const presence = (page: Page, state: string) =>
  page.locator(`[data-presence="${state}"]`).waitFor()
export const answered = (page: Page, text: string) =>
  page.getByRole('log').getByText(text, { exact: true }).waitFor()

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: /^Write to/ }).fill(text)
  await page.keyboard.press('Enter')
}

/** A project of its own with an agent that Holdfast starts. */
export async function openChat(
  here: Visit,
  agentId: string,
  settings: Record<string, number> = {},
  protocol: 'mcp' | 'acp' = 'mcp',
  options: TabOptions = {},
) {
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: { name: agentId, settings },
  })
  const body = {
    id: agentId,
    name: agentId,
    protocol,
    command: 'holdfast',
    args: [`demo-${protocol}`],
  }
  await here.elsewhere.post('/api/agents', { body })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId },
  })
  const query = { projectId, agentId }
  const page = await here.ownerPage(`/projects/${projectId}/chat/${agentId}`, {
    viewport: phone,
    colorScheme: 'dark',
    ...options,
  })
  return {
    page,
    projectId,
    processes: async () => (await here.elsewhere.get('/api/processes', { query })).items,
    states: async () =>
      (await here.elsewhere.get('/api/processes', { query })).items.map(({ state }) => state),
    said: async () =>
      (
        await here.elsewhere.get('/api/projects/{projectId}/agents/{agentId}/messages', {
          params: query,
        })
      ).items.map(({ content }) => content),
  }
}

/** What the agent of the project has asked for; it may not have asked yet. */
export async function allow(here: Visit, projectId: string): Promise<void> {
  const asked = async () =>
    (await here.elsewhere.get('/api/approvals')).items.filter(
      (each) => each.projectId === projectId,
    )
  await expect.poll(asked).toHaveLength(1)
  const params = { projectId, approvalId: String((await asked())[0]?.id) }
  await here.elsewhere.post('/api/projects/{projectId}/approvals/{approvalId}/decision', {
    params,
    body: { status: 'approved' },
  })
}
