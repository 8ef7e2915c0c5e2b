/**
 * `holdfast review`, `land` and `hosts`: a real worktree behind a real server; what is shown is
 * what is done (RV1, LD1, LD5, LD8).
 */
import { expect, test } from 'vitest'
import { runCommand, type Typed } from '../../support/command-line.ts'
import { openWorktreeRoom } from '../../support/worktree-machine.ts'

async function open() {
  const room = await openWorktreeRoom()
  const env = { HOLDFAST_URL: room.server.url, HOLDFAST_TOKEN: room.server.ownerToken }
  const { tree } = await room.work('auth')
  const key = `console:${room.inside.sessionId}.auth`
  // A prompt begins the conversation.
  const prompts = `/api/user-sessions/${room.inside.sessionId}/agents/auth/prompts`
  await room.server.ask(prompts, { method: 'POST', body: { content: 'Say more' } })
  await room.machine1.answer('done')
  const holdfast = (argv: readonly string[], typed: Typed = {}) =>
    runCommand(argv, { ...typed, env })
  return { ...room, tree, key, holdfast }
}

test('[RV1] [LD1] [LD5] the diff is printed, the plan shown, carried out and undone', async () => {
  const { holdfast, tree, key, project } = await open()
  tree.write('README.md', '# project\n\nchanged\n')
  const shown = await holdfast(['review', key])
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('+changed') })
  const before = project.git('rev-parse', 'HEAD')
  const plan = await holdfast(['land', key, '--dry-run'])
  expect(plan.stdout).toMatch(/1\. commit 1 files as .+\n2\. move main by fast-forward/)
  expect(project.git('rev-parse', 'HEAD')).toBe(before)
  const landed = await holdfast(['land', key, '--how', 'squash', '--message', 'Say more'])
  expect(landed).toMatchObject({ code: 0, stdout: expect.stringContaining('main is at') })
  expect(project.git('log', '-1', '--format=%s')).toBe('Say more')
  expect((await holdfast(['land', key])).code).not.toBe(0)
  expect((await holdfast(['land', key, '--undo'])).code).toBe(0)
  expect(project.git('rev-parse', 'HEAD')).toBe(before)
})

test('[LD8] a token comes from standard input alone, is tried, and is never shown', async () => {
  const { holdfast } = await open()
  expect((await holdfast(['hosts'])).stdout).toContain('No hosts')
  const refused = await holdfast(['hosts', 'add', '127.0.0.1:1'], { input: 'secret-token' })
  expect(refused.code).not.toBe(0)
  expect(refused.stdout + refused.stderr).not.toContain('secret-token')
  expect((await holdfast(['hosts', 'remove', '127.0.0.1:1'])).code).not.toBe(0)
})
