/**
 * Processes on the page: the chat panel's states (CH9), System, and what runs on Now. The
 * coordinator is played by the test.
 */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { connectMcp } from '../../support/mcp.ts'
import { playCoordinator } from '../../support/played-coordinator.ts'
import { axeFindings } from '../axe.ts'
import { visit } from '../visit.ts'

const here = visit()

/** A project with an agent that Holdfast starts. */
async function workshop(agentId: string) {
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: { name: `shop-${agentId}` },
  })
  const body = { id: agentId, name: `Agent ${agentId}`, command: 'holdfast', args: ['demo-mcp'] }
  await here.elsewhere.post('/api/agents', { body: { ...body, protocol: 'mcp' } })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId },
  })
  return { projectId, agentId, address: `/projects/${projectId}/chat/${agentId}` }
}

const presence = (page: Page, state: string) => page.locator(`[data-presence="${state}"]`).waitFor()

async function signIn(launchToken: string, projectId: string) {
  const agent = await connectMcp(here.server.url, launchToken)
  await agent.call('authenticate', { project_id: projectId })
  return agent
}

test('[CH9] the page shows an agent that cannot start, starts, is ready and answers', async () => {
  const { projectId, address } = await workshop('ann')
  const page = await here.ownerPage(address)
  await presence(page, 'noCoordinator')
  await page.getByText('No coordinator is connected, so no agent can be started').waitFor()
  const machine = await playCoordinator(here.server)
  await presence(page, 'starting')
  await page.getByText(/^Starting · \d+ s$/).waitFor()
  const launchId = await machine.ordered()
  const { launchToken } = await machine.take(launchId)
  await page.getByText('Starting its process').waitFor()
  await machine.started(launchId)
  await page.getByText('Signing in').waitFor()
  const agent = await signIn(launchToken, projectId)
  await presence(page, 'ready')
  await page.getByRole('textbox', { name: /^Write to/ }).fill('hello')
  await page.keyboard.press('Enter')
  await agent.call('get_next_action', { wait_seconds: 5 })
  await agent.call('get_pending_messages')
  await presence(page, 'thinking')
  await page.reload()
  await presence(page, 'thinking')
  await agent.call('respond_chat', { content: 'hello yourself' })
  await page.getByRole('log').getByText('hello yourself').waitFor()
  await presence(page, 'ready')
  expect(await axeFindings(page)).toEqual([])
  await machine.goodbye()
})

test('[CH9] [CO7] a start that fails is told with a retry; too many are held', async () => {
  const machine = await playCoordinator(here.server)
  const { projectId, address } = await workshop('ben')
  await here.elsewhere.patch('/api/projects/{projectId}', {
    params: { projectId },
    body: { settings: { 'restart.max': 1, 'restart.window_seconds': 3600 } },
  })
  const page = await here.ownerPage(address)
  await presence(page, 'starting')
  const first = await machine.ordered()
  await machine.take(first)
  await machine.failedToStart(first, "There is no program ben on this machine's PATH.")
  const trouble = page.getByRole('alert')
  await presence(page, 'held')
  await trouble.getByText('Agent ben failed too often and is not started again').waitFor()
  await trouble.getByText('no program ben', { exact: false }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await trouble.getByRole('button', { name: 'Release Agent ben' }).click()
  const second = await machine.ordered()
  await machine.take(second)
  await machine.started(second)
  await presence(page, 'starting')
  await machine.goodbye()
})

test('[UI1] System lists what lives, stops it when told twice, says why others ended', async () => {
  const machine = await playCoordinator(here.server, 'workbench')
  const { projectId, agentId } = await workshop('cid')
  const page = await here.ownerPage('/system')
  const now = await here.ownerPage('/')
  await page.getByText('workbench').waitFor()
  const path = '/api/projects/{projectId}/chat/start'
  await here.elsewhere.post(path, { params: { projectId }, query: { agentId } })
  const launchId = await machine.ordered()
  await machine.take(launchId)
  await machine.started(launchId, 31_337)
  await machine.wrote(launchId, 'first line\nsecond line <b>\n')
  const row = page.locator(`[data-launch="${launchId}"]`)
  await row.getByText('Running').waitFor()
  await row.getByText('31337').waitFor()
  await now.locator('[data-running="cid"]').getByText('Signing in').waitFor()
  await row.getByRole('link').click()
  const drawer = page.getByRole('dialog', { name: 'Launch' })
  await drawer.getByText('second line <b>', { exact: false }).waitFor()
  expect(page.url()).toContain(`launch=${launchId}`)
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await row.getByRole('button', { name: 'Stop Agent cid' }).click()
  const ask = page.getByRole('alertdialog')
  await ask.getByText('Kept: every message and task.', { exact: false }).waitFor()
  await ask.getByRole('button', { name: 'Stop' }).click()
  await machine.stopOrdered()
  await row.getByText('Stopping').waitFor()
  await machine.exited(launchId, { signal: 'SIGTERM', stopped: true })
  await page
    .getByRole('list', { name: 'Ended' })
    .getByText('Was stopped by a person · signal SIGTERM')
    .waitFor()
  expect(await axeFindings(page)).toEqual([])
  await machine.goodbye()
  await page.locator('[data-coordinator="stopped"]').getByText('workbench').waitFor()
})
