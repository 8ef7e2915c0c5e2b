/**
 * RV2, RV3 and RV5 in the page: a comment on a line of what an agent changed is written, sent as
 * its next prompt, answered and resolved; a viewed file is marked. Over HTTP: test/journeys, one
 * comment in the page: landing.test.ts.
 */

import { expect, test } from 'vitest'
import { makeRepository } from '../../support/git-repository.ts'
import { axeFindings } from '../axe.ts'
import { assignDemoAgent } from '../demo-agent.ts'
import { phone } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit({ up: true })

test('[RV2] [RV3] [RV5] a comment on a line becomes the next prompt, is answered in its place and resolved; a viewed file is marked', async () => {
  const repository = makeRepository()
  const body = {
    name: 'review',
    path: repository.folder,
    settings: { 'permission.policy': 'allow_all', 'chat.workplace': 'worktree' },
  }
  const { id: projectId } = await here.elsewhere.post('/api/projects', { body: body as never })
  const agentId = await assignDemoAgent(here.elsewhere, projectId, {
    id: 'reviewed',
    name: 'Reviewed',
  })
  await here.elsewhere.post('/api/chat', {
    body: { projectId, toAgentId: agentId, content: '[[write hello.txt hi there]] first' },
  })
  const key = `web:${projectId}.${agentId}`
  const answered = async () =>
    (
      await here.elsewhere.get('/api/conversations/{key}/messages', { params: { key }, query: {} })
    ).items.filter(({ role }) => role === 'assistant').length
  await expect.poll(answered).toBe(1)
  const { items } = await here.elsewhere.get('/api/projects/{projectId}/worktrees', {
    params: { projectId },
  })
  const page = await here.ownerPage(`/projects/${projectId}/review/${items[0]?.id}`)
  const diff = page.getByRole('region', { name: 'Changes in hello.txt' })
  await diff.getByRole('button', { name: 'Comment on line 1' }).click()
  await page
    .getByRole('textbox', { name: 'Comment', exact: true })
    .fill('[[say c1: It greets now.]] Why?')
  await page.getByRole('button', { name: 'Add draft' }).click()
  const comment = page.getByRole('article', { name: 'Comment 1' })
  await comment.getByText('draft', { exact: true }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Send 1 comment' }).click()
  await page.getByText('1 comment is sent to the agent.').waitFor()
  await comment.getByText('It greets now.', { exact: true }).waitFor()
  await comment.getByText('answered', { exact: true }).waitFor()
  await comment.getByRole('button', { name: 'Resolve' }).click()
  await comment.getByRole('button', { name: 'Reopen' }).waitFor()
  const tree = page.getByRole('navigation', { name: 'Changed files' })
  // What was viewed is folded, and counted.
  await page.getByRole('checkbox', { name: 'Viewed: hello.txt' }).check()
  await diff.waitFor({ state: 'detached' })
  await tree.getByText('1 of 1 viewed').waitFor()
  await page.setViewportSize(phone)
  await page.getByRole('heading', { name: 'hello.txt', exact: true }).click()
  await comment.getByText('resolved', { exact: true }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  // RV1: who has left has reviewed what was there.
  const reviewed = page.waitForResponse((response) => response.url().endsWith('/review/seen'))
  await page.getByRole('link', { name: 'To the session' }).click()
  await reviewed
  await page.goBack()
  await page.getByLabel('Show').selectOption({ label: 'Since my last review' })
  await page.getByText('Nothing here has changed.').waitFor()
  await page.getByLabel('Show').selectOption({ label: 'Not committed' })
  await tree.getByText('1 changed file').waitFor()
  expect(new URL(page.url()).searchParams.get('view')).toBe('uncommitted')
})
