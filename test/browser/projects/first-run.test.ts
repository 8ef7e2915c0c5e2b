/** The first run (UI6): from nothing to an own agent's first prompt in five actions. */
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from '../../support/built-product.ts'
import { makeRepository } from '../../support/git-repository.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { axeFindings } from '../axe.ts'
import { phone, wide } from '../tabs.ts'
import { visit } from '../visit.ts'

const home = temporaryFolder()
mkdirSync(join(home, 'src'), { recursive: true })
const here = visit({ up: true, env: { HOME: home } })

test('[UI6] repository, agent, prompt, Start: the own agent answers; no demo is shown', async () => {
  const folder = join(home, 'src', 'ledger')
  renameSync(makeRepository().folder, folder)
  await here.elsewhere.post('/api/agents', {
    body: {
      id: 'mate',
      name: 'Mate',
      protocol: 'acp',
      command: process.execPath,
      args: [main, 'demo-acp'],
    },
  })
  const page = await here.ownerPage('/', { viewport: wide })
  const repositories = page.getByRole('list', { name: 'Which repository?' })
  await repositories.getByRole('button', { name: /^ledger/ }).waitFor()
  expect(await page.getByRole('link', { name: /^demo/ }).count()).toBe(0)
  expect(await axeFindings(page)).toEqual([])
  await page.setViewportSize(phone)
  await repositories.getByRole('button', { name: /^ledger/ }).click()
  await page.getByRole('button', { name: 'Use Mate' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  expect(await axeFindings(page)).toEqual([])
  // Nothing is made before Start is pressed.
  const named = async () => (await here.elsewhere.get('/api/projects')).items
  expect((await named()).filter(({ name }) => name === 'ledger')).toEqual([])
  await page.getByRole('button', { name: 'Use Mate' }).click()
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA')
  await page.keyboard.type('hello there')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.waitForURL(/\/projects\/[^/]+\/session\//)
  await page.getByRole('log').getByText('echo: hello there', { exact: true }).waitFor()
  expect((await named())[0]).toMatchObject({ name: 'ledger', path: folder, agentIds: ['mate'] })
  await page.goto('/')
  await page.getByText('Nothing waits for you.').waitFor()
  expect(await page.getByText('Which repository?').count()).toBe(0)
})
