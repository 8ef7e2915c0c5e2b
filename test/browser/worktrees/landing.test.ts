/**
 * RV3, LD1 and LD5 in the page: a comment becomes a prompt, is answered and resolved, and the work
 * lands by one press.
 */
import { expect, test } from 'vitest'
import { axeFindings } from '../axe.ts'
import { phone } from '../tabs.ts'
import { visit } from '../visit.ts'
import { openReview } from './open-review.ts'

const here = visit({ up: true })

test('[RV3] [RV5] [UI12] [LD1] [LD5] [LD9] a comment is sent, resolved, landed, undone', async () => {
  const { repository, address, answers, idle } = await openReview(
    here,
    'landing',
    '[[write shop.txt open late]] Open late',
  )
  const page = await here.ownerPage(address)
  const landing = page.getByRole('region', { name: 'Land', exact: true })
  const press = landing.getByRole('button', { name: 'Commit 1 file and merge into main' })
  await press.waitFor()
  await landing.getByText('What happens').click()
  await landing.getByText(/^Commit 1 file as /).waitFor()
  await page
    .getByRole('region', { name: 'Changes in shop.txt' })
    .getByRole('button', { name: 'Comment on line 1' })
    .click()
  await page
    .getByRole('textbox', { name: 'Comment', exact: true })
    .fill('[[write shop.txt open very late]] [[say c1: Very late now.]]')
  await page.getByRole('button', { name: 'Add draft' }).click()
  // RV5: `v` marks the file as viewed and folds it, and the other way; `t` goes to the files.
  const mark = page.getByRole('checkbox', { name: 'Viewed: shop.txt' })
  const tree = page.getByRole('navigation', { name: 'Changed files' })
  await page.keyboard.press('v')
  await tree.getByText('1 of 1 viewed').waitFor()
  expect(await mark.isChecked()).toBe(true)
  await page.keyboard.press('v')
  await tree.getByText('1 of 1 viewed').waitFor({ state: 'detached' })
  expect(await mark.isChecked()).toBe(false)
  await page.keyboard.press('t')
  expect(
    await tree
      .getByRole('link', { name: /shop\.txt/ })
      .evaluate((link) => link === document.activeElement),
  ).toBe(true)
  // UI12: drafts are sent from the head, in sight in every view.
  await page.locator('header').getByRole('button', { name: 'Send 1 comment' }).click()
  await expect.poll(answers).toBe(2)
  await idle()
  // The page looks again by itself when the agent has finished.
  await page.getByRole('insertion').getByText('open very late').waitFor()
  const comment = page.getByRole('article', { name: 'Comment 1' })
  await comment.getByText('Very late now.', { exact: true }).waitFor()
  await comment.getByRole('button', { name: 'Resolve' }).click()
  await comment.getByRole('button', { name: 'Reopen' }).waitFor()
  await page.setViewportSize(phone)
  await landing.getByRole('textbox', { name: 'Commit message' }).fill('Open very late')
  expect(await axeFindings(page)).toEqual([])
  const before = repository.git('rev-parse', 'main')
  await press.click()
  const outcomes = landing.getByRole('status', { name: 'What landed' })
  await outcomes.getByText('main has it', { exact: true }).waitFor()
  await outcomes.getByText('1 file committed: “Open very late”').waitFor()
  expect(repository.git('show', 'main:shop.txt')).toBe('open very late')
  expect(repository.git('log', '-1', '--format=%s', 'main')).toBe('Open very late')
  await page.reload()
  await outcomes.getByRole('button', { name: 'Undo' }).click()
  await outcomes.getByText('Undone: main is where it was').waitFor()
  expect(repository.git('rev-parse', 'main')).toBe(before)
  await landing.getByRole('button', { name: 'Merge into main', exact: true }).waitFor()
})
