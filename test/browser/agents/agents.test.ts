/** Agents, people and tokens in the page: secrets are shown once and never again. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createClient, ProblemError } from '../../../src/client/client.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { axeFindings } from '../axe.ts'
import { visit } from '../visit.ts'

/** Two agents are installed there; one of them needs something written down first. */
const programs = temporaryFolder()
for (const name of ['claude', 'gemini'])
  writeFileSync(join(programs, name), '#!/bin/sh\necho 9.9.9\n', { mode: 0o755 })
const here = visit({ env: { PATH: `${programs}:${process.env['PATH']}` } })

/** Reads the secret that is shown, and closes it. */
async function takeSecret(page: Page, title: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name: title })
  const secret = (await dialog.locator('[data-secret]').textContent()) ?? ''
  await page.keyboard.press('Escape')
  await dialog.getByText('Copy it now: it is shown only this once.').waitFor()
  await dialog.getByRole('button', { name: 'Close without copying' }).click()
  await dialog.waitFor({ state: 'detached' })
  return secret
}

const whoHas = (token: string) =>
  createClient({ url: here.server.url, token })
    .get('/api/me')
    .then(
      (me) => me.id,
      (error: unknown) => error instanceof ProblemError && error.problem.code,
    )

test('[AS7] an agent is added, its passkey is shown once, and a new one replaces it', async () => {
  const page = await here.ownerPage('/agents?new=agent')
  const dialog = page.getByRole('dialog', { name: 'New agent' })
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText('This is needed').waitFor()
  // The field may stand out of sight of the button.
  const name = dialog.getByLabel('Name', { exact: true })
  await expect.poll(() => name.evaluate((input) => input === document.activeElement)).toBe(true)
  await dialog.getByLabel('Name', { exact: true }).fill('Codex')
  await dialog.getByLabel('Id').fill('codex')
  await dialog.getByRole('radio', { name: /^MCP/ }).check()
  await dialog.getByPlaceholder('claude-code-acp').fill('codex-acp')
  await dialog.getByLabel('Arguments').fill('--model\no5')
  await dialog.getByRole('button', { name: 'Add variable' }).click()
  await dialog
    .getByRole('group', { name: 'Environment' })
    .getByLabel('Name', { exact: true })
    .fill('API_KEY')
  await dialog.getByLabel('Value API_KEY').fill('sk-very-secret-value')

  // Closed and opened again, what was typed is still there, but not in any storage: it may hold
  // secrets.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(
    await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
  ).not.toContain('secret')
  await page.getByRole('link', { name: 'New agent' }).click()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const passkey = await takeSecret(page, 'Passkey of Codex')
  expect(await whoHas(passkey)).toBe('codex')
  expect(
    await here.elsewhere.get('/api/agents/{agentId}', { params: { agentId: 'codex' } }),
  ).toMatchObject({
    command: 'codex-acp',
    args: ['--model', 'o5'],
  })

  await page.getByRole('heading', { name: 'Codex', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Replace passkey…' }).click()
  await page.getByRole('button', { name: 'Replace', exact: true }).click()
  const replaced = await takeSecret(page, 'Passkey of Codex')
  expect(await whoHas(replaced)).toBe('codex')
  expect(await whoHas(passkey)).toBe('authentication_failed')
  expect(await page.content()).not.toContain(replaced)
})

test('[SE7] values of the environment are never shown, and stay when others change', async () => {
  const env = { API_KEY: 'sk-very-secret-value', OTHER: 'another-secret-value' }
  await here.elsewhere.post('/api/agents', {
    body: { id: 'masked', name: 'Masked', protocol: 'acp', command: 'x', env },
  })
  const page = await here.ownerPage('/agents/masked')
  await page.getByLabel('Value API_KEY').waitFor()
  expect(await page.content()).not.toContain('secret-value')
  const sent = page.waitForRequest((request) => request.method() === 'PATCH')
  await page.getByLabel('Role').fill('reviewer')
  await page.getByRole('button', { name: 'Save' }).click()
  expect((await sent).postDataJSON()).toEqual({ role: 'reviewer' })

  await page.getByText('1 change not saved').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Remove OTHER' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('1 change not saved').waitFor({ state: 'detached' })
  const agent = await here.elsewhere.get('/api/agents/{agentId}', { params: { agentId: 'masked' } })
  expect(agent).toMatchObject({ role: 'reviewer', env: { API_KEY: expect.any(String) } })
  expect(Object.keys(agent.env)).toEqual(['API_KEY'])
})

test('[UI2] deleting an agent says what is lost and what stays, and asks once', async () => {
  await here.elsewhere.post('/api/agents', { body: { id: 'gone', name: 'Gone', protocol: 'mcp' } })
  const page = await here.ownerPage('/agents/gone')
  await page.getByRole('button', { name: 'Delete agent…' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete Gone?' })
  await question.getByText(/^Lost:/).waitFor()
  await question.getByText(/^Stays:/).waitFor()
  await question.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  await expect.poll(() => page.getByRole('main').getByText('Gone', { exact: true }).count()).toBe(0)
})

test('[HT2] a refusal says what happened, was kept and is to be done, with its code', async () => {
  await here.elsewhere.post('/api/agents', {
    body: { id: 'taken', name: 'Taken', protocol: 'mcp' },
  })
  const page = await here.ownerPage('/agents?new=agent')
  const dialog = page.getByRole('dialog', { name: 'New agent' })
  await dialog.getByLabel('Name', { exact: true }).fill('Another')
  await dialog.getByLabel('Id').fill('taken')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const alert = dialog.getByRole('alert')
  await alert.getByText('This id or name is taken').waitFor()
  await alert
    .getByText('Nothing was changed. What you typed is still here. Choose another one.')
    .waitFor()
  await alert.getByText('Code already_exists').waitFor()
  expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('Another')
})

test('[SE3] a person is added with a token shown once, and removed', async () => {
  const page = await here.ownerPage('/people')
  await page.getByRole('link', { name: 'Add person' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Ada')
  await page.getByRole('radio', { name: 'Viewer' }).check()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const token = await takeSecret(page, 'Sign-in token of Ada')
  expect(await whoHas(token)).toMatch(/^[0-9a-f-]{36}$/)
  await page.getByRole('button', { name: 'Remove Ada' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  // While it is open there is no list to be found by role.
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await page.getByRole('list', { name: 'People' }).getByText('Ada').waitFor({ state: 'detached' })
  expect(await whoHas(token)).toBe('authentication_failed')
})

test('[SE3] a script token is made with the chosen scopes, shown once, and revoked', async () => {
  const page = await here.ownerPage('/people')
  await page.getByRole('link', { name: 'New token' }).click()
  const dialog = page.getByRole('dialog', { name: 'New token' })
  await dialog.getByLabel('Name').fill('nightly')
  await dialog.getByLabel('Read everything').uncheck()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Choose at least one').waitFor()
  await dialog.getByLabel('Read everything').check()
  await dialog.getByLabel('Work in projects').check()
  await dialog.getByRole('button', { name: 'Create' }).click()
  const token = await takeSecret(page, 'Token nightly')
  await page.getByText('read · write').waitFor()
  expect(await createClient({ url: here.server.url, token }).get('/api/me')).toMatchObject({
    scopes: ['read', 'write'],
  })
  await page.getByRole('button', { name: 'Revoke nightly' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('No tokens yet.').waitFor()
  expect(await whoHas(token)).toBe('authentication_failed')
})

test('[AG5] an agent that is installed is added with one click', async () => {
  const page = await here.ownerPage('/agents')
  const found = page.getByRole('list', { name: 'Installed on this machine' })
  await found
    .getByRole('listitem')
    .filter({ hasText: 'Claude Code' })
    .getByText('version 9.9.9')
    .waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Add Claude Code MCP' }).click()
  await page.waitForURL('**/agents/claude')
  await page.getByRole('heading', { name: 'Claude Code', level: 1 }).waitFor()
  await page.goBack()
  await found.getByText('added as claude').waitFor()
  await page.getByRole('button', { name: 'Add Gemini CLI MCP' }).click()
  await page.waitForURL('**/agents/gemini')
  const agent = await here.elsewhere.get('/api/agents/{agentId}', { params: { agentId: 'claude' } })
  expect(agent).toMatchObject({ protocol: 'mcp', command: 'claude', holdSeconds: 600 })
})

test('[AG15] a chat says at its head that its agent never asks for permission', async () => {
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: { name: 'asked by nobody' },
  })
  for (const [id, name] of [
    ['pi', 'Pi'],
    ['asks', 'Asks'],
  ] as const) {
    await here.elsewhere.post('/api/agents', {
      body: { id, name, protocol: 'acp', command: `/nowhere/${id}-acp` },
    })
    await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
      params: { projectId, agentId: id },
      body: {},
    })
  }
  const page = await here.ownerPage(`/projects/${projectId}/chat/pi`)
  await page.getByText('Pi never asks for permission: it writes and runs what it wants').waitFor()
  await page.goto(`/projects/${projectId}/chat/asks`)
  await page.getByRole('textbox', { name: 'Write to Asks' }).waitFor()
  expect(await page.getByText('never asks for permission').count()).toBe(0)
})
