/** The first run (UI6): from nothing to an own agent's first prompt in five actions. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from '../../support/built-product.ts'
import { makeRepository } from '../../support/git-repository.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { axeFindings } from '../axe.ts'
import { phone, wide } from '../tabs.ts'
import { visit } from '../visit.ts'

const home = temporaryFolder()
for (const name of ['src', 'bin']) mkdirSync(join(home, name), { recursive: true })
const program = (name: string, ...lines: string[]) =>
  writeFileSync(join(home, name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 })
// In the place of Codex: it signs in with a code, and is prompted.
program(
  'codex',
  '[ "$1" = login ] || { echo 9.1.0; exit; }',
  'echo "Open https://example.com/device and type WDJB-MJHT"',
  `until [ -e ${home}/opened ]; do sleep 0.05; done`,
  `mkdir -p ${home}/.codex; touch ${home}/.codex/auth.json`,
)
program('codex-acp', `exec ${process.execPath} ${main} demo-acp`)
program(
  'bin/npm',
  'echo "added 27 packages"; mkdir -p "$3/node_modules/.bin"',
  `cp ${home}/codex ${home}/codex-acp "$3/node_modules/.bin"`,
)
const here = visit({
  up: true,
  env: { HOME: home, PATH: `${home}/bin:${process.env['PATH'] ?? ''}` },
})

test('[UI6] [AG18] repository, install, sign in, prompt, Start: the agent answers', async () => {
  const folder = join(home, 'src', 'ledger')
  renameSync(makeRepository().folder, folder)
  const page = await here.ownerPage('/', { viewport: wide })
  const repositories = page.getByRole('list', { name: 'Which repository?' })
  await repositories.getByRole('button', { name: /^ledger/ }).waitFor()
  expect(await page.getByRole('link', { name: /^demo/ }).count()).toBe(0)
  expect(await axeFindings(page)).toEqual([])
  await page.setViewportSize(phone)
  await repositories.getByRole('button', { name: /^ledger/ }).click()
  const codex = page.getByRole('listitem').filter({ hasText: 'Codex' })
  await codex.getByText('npm install --prefix').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  expect(await axeFindings(page)).toEqual([])
  // Nothing is made before Start is pressed.
  const named = async () => (await here.elsewhere.get('/api/projects')).items
  expect((await named()).filter(({ name }) => name === 'ledger')).toEqual([])
  await codex.getByRole('button', { name: 'Install Codex' }).click()
  await codex.getByText('codex login --device-auth').waitFor()
  await codex.getByRole('button', { name: 'Sign in to Codex' }).click()
  const link = codex.getByRole('link', { name: 'Open example.com' })
  expect(await link.getAttribute('href')).toBe('https://example.com/device')
  await codex.getByText('WDJB-MJHT', { exact: true }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  // The person has signed in on the page that was opened.
  writeFileSync(join(home, 'opened'), '')
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA')
  await page.keyboard.type('hello there')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.waitForURL(/\/projects\/[^/]+\/session\//)
  await page.getByRole('log').getByText('echo: hello there', { exact: true }).waitFor()
  expect((await named())[0]).toMatchObject({
    name: 'ledger',
    path: folder,
    agentIds: ['codex-acp'],
  })
  // UI15: its place stands on the project's page with what it takes, and goes with the session.
  const projectId = (await named())[0]?.id ?? ''
  const listed = async () =>
    (
      await here.elsewhere.get('/api/projects/{projectId}/worktrees', {
        params: { projectId },
        query: {},
      })
    ).items
  const [place] = await listed()
  expect(existsSync(place?.folder ?? '')).toBe(true)
  await page.goto(`/projects/${projectId}`)
  const places = page.getByRole('list', { name: 'Places' })
  await places.getByRole('link', { name: 'hello there' }).waitFor()
  await page.getByText(/^1 · \d/).waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  await page.getByRole('button', { name: /^Close 1 idle session/ }).click()
  await page.getByText(/^1 of 1 session closed/).waitFor()
  await places.waitFor({ state: 'detached' })
  expect(await listed()).toEqual([])
  expect(existsSync(place?.folder ?? '')).toBe(false)
  await page.goto('/')
  await page.getByText('Nothing waits for you.').waitFor()
  expect(await page.getByText('Which repository?').count()).toBe(0)
})
