/** Sessions that a person has already, taken in on the page (IM9). */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { axeFindings } from '../axe.ts'
import { phone, wide } from '../tabs.ts'
import { visit } from '../visit.ts'

const samples = fileURLToPath(new URL('../../past-sessions/samples', import.meta.url))
const here = visit({
  up: true,
  env: { HOME: temporaryFolder(), CLAUDE_CONFIG_DIR: join(samples, 'claude/config') },
})

test('[IM9] sessions are listed with folder and date, chosen, taken in and opened', async () => {
  const page = await here.ownerPage('/?new=import', { viewport: wide })
  const dialog = page.getByRole('dialog', { name: 'Import sessions' })
  const list = dialog.getByRole('list', { name: 'Import sessions' })
  await expect.poll(() => list.getByRole('checkbox').count()).toBeGreaterThan(1)
  expect(await axeFindings(page)).toEqual([])
  await page.setViewportSize(phone)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width)
  const count = await list.getByRole('checkbox').count()
  await dialog.getByRole('button', { name: /^Choose all/ }).click()
  await dialog.getByRole('button', { name: `Import ${count} sessions` }).click()
  await dialog.getByText(`${count} imported.`).waitFor()
  const taken = await here.elsewhere.get('/api/imported-sessions')
  expect(taken.items).toHaveLength(count)
  // What is there is opened, and not offered again.
  await expect.poll(() => list.getByRole('checkbox').count()).toBe(0)
  const [one] = taken.items
  const row = list.getByRole('listitem').filter({ hasText: one?.title ?? '' })
  await row.getByRole('link', { name: 'Open' }).click()
  await page.waitForURL((url) => decodeURIComponent(url.pathname).endsWith(one?.key ?? ''))
})
