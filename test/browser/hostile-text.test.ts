/**
 * What agents write to deceive who reads it, or to stop the page: permissions, files, changes,
 * answers (SE6, SE13).
 */

import { expect, test } from 'vitest'
import { anyOf } from './any-of.ts'
import { axeFindings } from './axe.ts'
import { assignDemoAgent } from './demo-agent.ts'
import { visit } from './visit.ts'

const here = visit({ up: true })

test('[SE13] characters that turn text around are shown by number wherever text is', async () => {
  const { id: projectId } = await here.elsewhere.post('/api/projects', { body: { name: 'turned' } })
  await assignDemoAgent(here.elsewhere, projectId, { id: 'turner', name: 'Turner' })
  const page = await here.ownerPage(`/projects/${projectId}/chat/turner`)
  const box = page.getByRole('textbox', { name: /^Write to/ })
  await box.fill('[[write a\u202Etxt.exe is\u2066 it]] [[ask run x\u202Egpj.sh]] done')
  await box.press('Enter')
  const log = page.getByRole('log')
  const card = log.locator('[data-permission][data-outcome="open"]')
  await anyOf(card.getByText(String.raw`run x\u202egpj.sh`)).waitFor()
  const change = log.locator('[data-tool]').filter({ hasText: String.raw`a\u202etxt.exe` })
  await change.locator('ins', { hasText: String.raw`is\u2066 it` }).waitFor()
  const turnedOn = (part: 'data-tool' | 'data-permission' | 'data-approval') =>
    page
      .locator(`[${part}]`)
      .evaluateAll((all) =>
        all.map(({ outerHTML }) => /[\u202a-\u202e\u2066-\u2069]/.test(outerHTML)),
      )
  expect([...(await turnedOn('data-tool')), ...(await turnedOn('data-permission'))]).not.toContain(
    true,
  )
  expect(await axeFindings(page)).toEqual([])
  await page.goto(`/projects/${projectId}/approvals`)
  await anyOf(page.locator('[data-approval]').getByText(String.raw`run x\u202egpj.sh`)).waitFor()
  expect(await turnedOn('data-approval')).toEqual([false])
})

test('[SE6] answers that nest or repeat without end are shown, and the page goes on', async () => {
  const key = 'slack:bombs'
  const stars = '*'.repeat(150_000)
  const bombs = [
    '>'.repeat(50_000),
    '1. '.repeat(20_000).trim(),
    `${'*'.repeat(4000)}a${'*'.repeat(4000)}`,
  ]
  await here.elsewhere.post('/api/conversations', { body: { key } })
  for (const content of [stars, ...bombs, 'It **goes on**'])
    await here.elsewhere.post('/api/conversations/{key}/messages', {
      params: { key },
      body: { role: 'assistant', content },
    })
  const page = await here.ownerPage(`/conversations/${key}`)
  const log = page.getByRole('log')
  await log.locator('strong', { hasText: 'goes on' }).waitFor()
  const shown = () => log.locator('[data-seq] p').allTextContents()
  // As text until it is read, and when it could not be.
  await expect.poll(shown).toEqual(expect.arrayContaining(bombs))
  // What is read of so many stars is a line across.
  const isLine = async () => (await log.locator('[data-seq] hr').count()) === 1
  await expect.poll(async () => (await shown()).includes(stars) !== (await isLine())).toBe(true)
  await page.getByRole('link', { name: /^Now/ }).click()
  await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor()
})
