/**
 * RV3, LD1, LD4 and LD5 in the page: a comment becomes a prompt, is answered and resolved, and the
 * work lands by one press; a conflict is seen on both sides, given to the agent, and lands.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { at, makeRepository } from '../../support/git-repository.ts'
import { axeFindings } from '../axe.ts'
import { phone } from '../tabs.ts'
import { visit } from '../visit.ts'

const here = visit({ up: true })

/** A session whose agent has a worktree of its own, and the page of its review. */
async function openReview(name: string, first: string) {
  const repository = makeRepository()
  const { id: projectId } = await here.elsewhere.post('/api/projects', {
    body: {
      name,
      path: repository.folder,
      settings: { 'permission.policy': 'allow_all', 'chat.workplace': 'worktree' },
    } as never,
  })
  const agent = {
    id: name,
    name: 'Lander',
    protocol: 'acp' as const,
    command: 'holdfast',
    args: ['demo-acp'],
  }
  await here.elsewhere.post('/api/agents', { body: agent })
  await here.elsewhere.put('/api/projects/{projectId}/agents/{agentId}', {
    params: { projectId, agentId: agent.id },
  })
  const key = `web:${projectId}.${agent.id}`
  const say = (content: string) =>
    here.elsewhere.post('/api/chat', { body: { projectId, toAgentId: agent.id, content } })
  const idle = () =>
    expect
      .poll(
        async () =>
          (await here.elsewhere.get('/api/conversations/{key}', { params: { key } })).activity,
      )
      .toBe('idle')
  const answers = async () =>
    (
      await here.elsewhere.get('/api/conversations/{key}/messages', { params: { key }, query: {} })
    ).items.filter(({ role }) => role === 'assistant').length
  await say(first)
  await expect.poll(answers).toBe(1)
  await idle()
  const { items } = await here.elsewhere.get('/api/projects/{projectId}/worktrees', {
    params: { projectId },
  })
  const tree = items[0]
  return {
    repository,
    say,
    idle,
    answers,
    folder: tree?.folder ?? '',
    address: `/projects/${projectId}/review/${tree?.id}`,
  }
}

test('[RV3] [LD1] [LD5] [LD9] a comment is sent, resolved, landed, undone', async () => {
  const { repository, address, answers, idle } = await openReview(
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
  await page.getByRole('button', { name: 'Send 1 comment' }).click()
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

test('[LD4] [LD9] the agent resolves a conflict, which then lands', async () => {
  const { repository, address, folder, idle, answers } = await openReview(
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
