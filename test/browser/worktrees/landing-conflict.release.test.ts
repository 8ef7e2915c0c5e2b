/**
 * LD4 and LD9 in the page: a conflict is seen on both sides, given to the agent, and lands. Over
 * HTTP: test/journeys/landing.test.ts.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { at } from '../../support/git-repository.ts'
import { axeFindings } from '../axe.ts'
import { phone } from '../tabs.ts'
import { visit } from '../visit.ts'
import { openReview } from './open-review.ts'

const here = visit({ up: true })

test('[LD4] [LD9] the agent resolves a conflict, which then lands', async () => {
  const { repository, address, folder, idle, answers } = await openReview(
    here,
    'conflict',
    '[[write shop.txt open late]] Open late',
  )
  writeFileSync(join(repository.folder, 'shop.txt'), 'open early')
  repository.git('add', '-A')
  repository.git('commit', '-qm', 'Open early')
  const before = repository.git('rev-parse', 'main')
  const page = await here.ownerPage(address)
  const conflicts = page.getByRole('region', { name: 'Conflicts' })
  await conflicts.getByText('main has changed the same places in 1 file').waitFor()
  await conflicts.getByText(/“Open early” by /).waitFor()
  expect(await axeFindings(page)).toEqual([])
  const landing = page.getByRole('region', { name: 'Land', exact: true })
  expect(await landing.getByRole('button', { name: /merge into main/ }).count()).toBe(0)
  await conflicts.getByRole('button', { name: 'Let Lander resolve it' }).click()
  await page.getByText(/^Lander resolves the conflict/).waitFor()
  await expect.poll(answers).toBe(2)
  await idle()
  expect(repository.git('rev-parse', 'main')).toBe(before)
  // The demo agent runs no git of its own: what an agent would do.
  const tree = at(folder)
  expect(() => tree.git('merge', before)).toThrow()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await landing.getByText('Conflict markers are left in the changes.').waitFor()
  tree.write('shop.txt', 'open early and late')
  await page.setViewportSize(phone)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await landing.getByRole('button', { name: /^Commit \d files? and merge into main$/ }).click()
  await landing.getByText('main has it', { exact: true }).waitFor()
  expect(repository.git('show', 'main:shop.txt')).toBe('open early and late')
})
