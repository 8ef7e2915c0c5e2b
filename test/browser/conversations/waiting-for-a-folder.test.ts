/** Two chats in one folder: the second waits for the first, and says so above its composer, unless a person has it answered now. */
import { expect, test } from 'vitest'
import { makeRepository } from '../../support/git-repository.ts'
import { phone } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit({ up: true })

test('[CX11] a message that waits for a folder says so; "Answer now" has it answered', async () => {
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: {
      name: 'shared',
      path: makeRepository().folder,
      settings: { 'chat.workplace': 'checkout' },
    },
  })
  for (const id of ['first', 'second']) {
    await here.elsewhere.post('/api/agents', {
      body: { id, name: id, protocol: 'acp', command: 'holdfast', args: ['demo-acp'] },
    })
    await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
      params: { projectId, agentId: id },
    })
  }
  const waiting = async () =>
    (await here.elsewhere.get('/api/approvals')).items.filter(
      (each) => each.projectId === projectId && each.status === 'pending',
    )
  // The turn lasts until somebody allows what it asks for.
  await here.elsewhere.post('/api/chat', {
    body: { projectId, toAgentId: 'first', content: '[[ask]] done' },
  })
  await expect.poll(waiting).toHaveLength(1)

  const page = await here.ownerPage(`/projects/${projectId}/chat/second`, { viewport: phone })
  await page.getByRole('textbox', { name: /^Write to/ }).fill('hello')
  await page.keyboard.press('Enter')
  const note = page.locator('[data-waits-for="checkout"]')
  await note.getByText('Another conversation works in this folder').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  await note.getByRole('button', { name: 'Answer now' }).click()
  await page.getByRole('log').getByText('echo: hello', { exact: true }).waitFor()
  await note.waitFor({ state: 'detached' })
  // The first was not disturbed: it asks as before.
  expect(await waiting()).toHaveLength(1)
})
