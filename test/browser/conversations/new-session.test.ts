/** A session begun from anywhere, with the real thing: it is answered by a process of its own. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { phone, wide } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit({ up: true })

test('[UI14] [SN12] `n` begins a session beside the first, shows it, and it is written in', async () => {
  const agentId = 'robin'
  const { id: projectId } = await here.elsewhere.post('/api/projects', { body: { name: 'robin' } })
  const body = { id: agentId, name: agentId, protocol: 'acp', command: 'holdfast' } as const
  await here.elsewhere.post('/api/agents', { body: { ...body, args: ['demo-acp'] } })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId },
  })
  const page = await here.ownerPage('/', { viewport: wide })
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog', { name: 'New session' })
  await dialog.getByLabel('What should be done?').fill('a first')
  // Closed and opened again, what was typed is there.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('banner').getByRole('link', { name: 'New session', exact: true }).click()
  const area = dialog.getByLabel('What should be done?')
  await expect.poll(() => area.inputValue()).toBe('a first')
  await area.press('End')
  await area.pressSequentially(' job')
  await dialog.getByRole('combobox', { name: 'Project' }).selectOption({ label: 'robin' })
  await area.press('Enter')
  await page.waitForURL(/\/projects\/[^/]+\/session\/session/)
  const log = page.getByRole('log')
  await log.getByText('echo: a first job', { exact: true }).waitFor()
  await page.getByRole('textbox', { name: /^Write to/ }).fill('and more')
  await page.keyboard.press('Enter')
  await log.getByText('echo: and more', { exact: true }).waitFor()
  const { items } = await here.elsewhere.get('/api/processes', { query: { projectId, agentId } })
  expect(items).toHaveLength(1)
  expect(items).toMatchObject([{ conversationKey: expect.stringMatching(/^session:/) }])
  const shots = process.env['SHOTS']
  if (shots) await page.screenshot({ path: join(shots, 'session-wide.png') })
  // An idle agent that is warm is not at work, and no row leads to another session.
  const again = await here.ownerPage('/')
  await again.getByText('Nothing waits for you.').waitFor()
  expect(await again.getByRole('region', { name: 'At work' }).count()).toBe(0)
  if (shots === undefined) return
  await page.setViewportSize(phone)
  await page.screenshot({ path: join(shots, 'session-phone.png') })
  await page.goto(new URL('/?new=session', page.url()).href)
  await page.getByRole('dialog', { name: 'New session' }).waitFor()
  await page.screenshot({ path: join(shots, 'now-phone.png') })
})
