/**
 * LD1-LD5 on the machine that has the files: a plan changes nothing, its steps are completed when
 * they are repeated, and the person's checkout shows what it showed before.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { planLanding } from '../../../src/coordinator/landing/plan-landing.ts'
import { runStep, undoMove } from '../../../src/coordinator/landing/run-step.ts'
import { openWorktree } from '../../../src/coordinator/worktrees/repository.ts'
import type { LandingWay, MadePlan } from '../../../src/protocol/review/landing-requests.ts'
import { amount } from '../../support/extent.ts'
import { gitStoppedAt, gitWith, makeRepository, testGit } from '../../support/git-repository.ts'
import { projectWithWorktree } from '../../support/our-worktree.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const signature = {
  name: 'Ada',
  email: 'ada@example.com',
  ofOwner: false,
  date: '2026-03-01T09:00:00.000Z',
}
type Way = (typeof ways)[number]
const ways = ['merge', 'rebase', 'squash'] as const
/** Each is tried one way or the other in `npm test`. */
const oneWay: readonly Way[] = ['rebase']
const otherWays: readonly Way[] = ['merge', 'squash']

async function openRoom() {
  const project = makeRepository()
  project.write('a.txt', 'one\ntwo\nthree\n')
  project.write('b.txt', 'b\n')
  project.git('add', '.')
  project.git('commit', '-q', '-m', 'first')
  const room = await projectWithWorktree(project)
  const { tree, top } = room
  const main = project.git('rev-parse', '--abbrev-ref', 'HEAD')
  const request = (how: LandingWay) =>
    ({
      kind: 'land-plan',
      top,
      key: 'web:p.a',
      how,
      into: main,
      ofCaller: true,
      message: 'Count further',
      signature,
      coAuthor: 'Coder <coder@agents.holdfast.invalid>',
      protectedBranches: [] as string[],
      check: null,
      address: null,
      title: 'Count further',
    }) as const
  const plan = async (how: LandingWay, more: object = {}): Promise<MadePlan> =>
    planLanding(await room.open(), { ...request(how), ...more }, null)
  const run = async ({ steps }: MadePlan, git = testGit()) => {
    for (const step of steps) {
      const ask = { kind: 'land-step', top, key: 'web:p.a', step } as const
      const answer = await runStep(await openWorktree(git, top), ask)
      if (answer.outcome === 'refused') return answer
    }
    return { outcome: 'done' } as const
  }
  const status = () => project.git('status', '--porcelain')
  return { ...room, main, plan, run, status, tree, project }
}

/** Returns what makes the folders as they are now again: sooner than all the git that made them. */
function keep(...folders: readonly string[]): () => void {
  const copies = folders.map((folder) => [folder, temporaryFolder()] as const)
  const copy = (from: string, to: string): void =>
    cpSync(from, to, { recursive: true, verbatimSymlinks: true })
  for (const [folder, copied] of copies) copy(folder, copied)
  return () => {
    for (const [folder, copied] of copies) {
      rmSync(folder, { recursive: true })
      copy(copied, folder)
    }
  }
}

type Room = Awaited<ReturnType<typeof openRoom>>

/**
 * Work of the agent, committed and not; the base has moved; the person has changes of their own.
 */
function diverge({ tree, project, status }: Room): string {
  tree.write('a.txt', 'one\ntwo\nthree\nfour\n')
  tree.git('commit', '-qam', 'four')
  tree.write('new.txt', 'new\n')
  project.write('c.txt', 'c\n')
  project.git('add', '.')
  project.git('commit', '-q', '-m', 'moved')
  project.write('b.txt', 'mine\n')
  project.write('notes.txt', 'mine too\n')
  return status()
}

test.each(amount<readonly Way[]>(otherWays, ways))(
  '[LD1] [LD2] [LD3] %s: the plan changes nothing, and its steps bring the work in with what the person has lying about untouched',
  async (how) => {
    const room = await openRoom()
    const { tree, project, main, status } = room
    const before = diverge(room)
    const refs = () => [project.git('for-each-ref'), tree.git('status', '--porcelain'), status()]
    const seen = refs()
    const plan = await room.plan(how)
    expect(refs()).toEqual(seen)
    expect(plan).toMatchObject({ blocks: [], into: main, conflicts: [] })
    expect(plan.steps.map((step) => step.do)).toEqual(['commit', 'move'])
    expect((await room.plan(how)).plan).toBe(plan.plan)
    const later = { signature: { ...signature, date: '2026-03-02T09:00:00.000Z' }, message: 'x' }
    expect((await room.plan(how, later)).plan).toBe(plan.plan)
    expect(await room.run(plan)).toEqual({ outcome: 'done' })
    expect(project.git('rev-parse', main)).toBe(plan.commit)
    expect(status()).toBe(before)
    expect(readFileSync(join(project.folder, 'b.txt'), 'utf8')).toBe('mine\n')
    expect(readFileSync(join(project.folder, 'a.txt'), 'utf8')).toContain('four')
    expect(readFileSync(join(project.folder, 'new.txt'), 'utf8')).toBe('new\n')
    expect(tree.git('status', '--porcelain')).toBe('')
    const parents = project.git('log', '-1', '--format=%p', main).split(' ').length
    expect(parents).toBe(how === 'merge' ? 2 : 1)
    expect(project.git('log', '-1', '--format=%an %cn', main)).toBe('Ada Ada')
    if (how === 'squash')
      expect(project.git('log', '-1', '--format=%s %b', main)).toBe(
        'Count further Co-authored-by: Coder <coder@agents.holdfast.invalid>',
      )
    // Repeated as after a lost answer.
    expect(await room.run(plan)).toEqual({ outcome: 'done' })
    expect(status()).toBe(before)
  },
)

test.each(amount<readonly Way[]>(oneWay, ways))(
  '[LD2] %s, cut off at any git that it runs, is completed by the same steps and loses nothing',
  async (how) => {
    const room = await openRoom()
    const { project, tree, main, status } = room
    const before = diverge(room)
    const plan = await room.plan(how)
    const restore = keep(project.folder, room.root)
    let isWhole = false
    for (let stop = 1; !isWhole; stop += amount(3, 1)) {
      restore()
      const git = gitStoppedAt(stop)
      const cut = await room.run(plan, git.git).catch((error: unknown) => error)
      isWhole = !git.wasStopped()
      if (isWhole) expect(cut).toEqual({ outcome: 'done' })
      const about = `stopped at ${stop}: ${git.stoppedAt()}`
      expect(await room.run(plan), about).toEqual({ outcome: 'done' })
      expect(project.git('rev-parse', main), about).toBe(plan.commit)
      expect(status(), about).toBe(before)
      expect(tree.git('status', '--porcelain'), about).toBe('')
      expect(readFileSync(join(project.folder, 'b.txt'), 'utf8'), about).toBe('mine\n')
      expect(existsSync(join(project.folder, '.git', 'index.lock')), about).toBe(false)
    }
  },
  120_000,
)

test('[LD2] what a step needs and makes is on disk before anybody is told', async () => {
  const room = await openRoom()
  const { project, main } = room
  diverge(room)
  const old = project.git('rev-parse', main)
  const plan = await room.plan('squash')
  const bin = temporaryFolder()
  const synced = join(bin, 'synced')
  const tip = `git -C '${project.folder}' rev-parse ${main}`
  const script = `#!/bin/sh\necho "$1 $(${tip})" >> '${synced}'\n`
  writeFileSync(join(bin, 'sync'), script, { mode: 0o755 })
  const git = gitWith({ PATH: `${bin}:${process.env['PATH']}`, HOME: temporaryFolder() })
  expect(await room.run(plan, git)).toEqual({ outcome: 'done' })
  const lines = readFileSync(synced, 'utf8').trim().split('\n')
  expect(lines).toEqual([...Array(3).fill(`-f ${old}`), `-f ${plan.commit}`])
  writeFileSync(join(bin, 'sync'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  room.tree.write('more.txt', 'more\n')
  expect(await room.run(await room.plan('squash'), git)).toMatchObject({
    outcome: 'refused',
    why: expect.stringContaining('could not be brought to disk'),
  })
})

test('[LD1] what has moved since is another plan, and a step of the old one changes nothing', async () => {
  const room = await openRoom()
  const { tree, project, main } = room
  diverge(room)
  const plan = await room.plan('merge')
  tree.write('new.txt', 'newer\n')
  expect((await room.plan('merge')).plan).not.toBe(plan.plan)
  project.git('commit', '-q', '--allow-empty', '-m', 'again')
  const tip = project.git('rev-parse', main)
  expect(await room.run(plan)).toMatchObject({ outcome: 'refused', code: 'plan_changed' })
  expect(project.git('rev-parse', main)).toBe(tip)
})

test('[LD1] [LD4] what stands in the way is said: conflicts with both sides, protection, staged changes, concerned files, markers, filters', async () => {
  const room = await openRoom()
  const { tree, project, main } = room
  expect((await room.plan('merge')).blocks).toEqual(['nothing_to_land'])
  tree.write('a.txt', 'ONE\ntwo\nthree\n')
  expect(await room.plan('merge', { protectedBranches: [main] })).toMatchObject({
    blocks: ['branch_protected'],
  })
  project.write('a.txt', 'mine\n')
  expect((await room.plan('merge')).blocks).toEqual(['base_in_use'])
  project.git('checkout', '-q', 'a.txt')
  project.write('b.txt', 'staged\n')
  project.git('add', 'b.txt')
  expect(await room.plan('merge')).toMatchObject({
    blocks: ['base_in_use'],
    about: { base_in_use: expect.stringContaining('b.txt') },
  })
  project.git('reset', '-q', '--hard')
  project.write('a.txt', 'Uno\ntwo\nthree\n')
  project.git('commit', '-qam', 'in Spanish')
  const refs = project.git('for-each-ref')
  for (const how of ways)
    expect(await room.plan(how)).toMatchObject({
      blocks: ['merge_conflict'],
      conflicts: [
        {
          path: 'a.txt',
          ours: { author: 'Ada', subject: 'Count further' },
          theirs: { author: 'Ada', subject: 'in Spanish' },
        },
      ],
    })
  expect(project.git('for-each-ref')).toBe(refs)
  tree.write('a.txt', '<<<<<<< ours\nONE\n=======\nUno\n>>>>>>> theirs\ntwo\nthree\n')
  expect((await room.plan('merge')).blocks).toContain('markers_left')
  tree.write('.gitattributes', '*.bin filter=lfs\n')
  tree.write('large.bin', 'large\n')
  expect((await room.plan('merge')).blocks).toContain('needs_filter')
})

test('[LD5] a move is undone while the branch is where it put it and no remote has it', async () => {
  const room = await openRoom()
  const { project, main, status } = room
  const before = diverge(room)
  const plan = await room.plan('squash')
  const old = project.git('rev-parse', main)
  await room.run(plan)
  const undo = async () =>
    undoMove((await room.open()).repository, { branch: main, from: plan.commit, to: old })
  project.git('update-ref', 'refs/remotes/origin/main', plan.commit)
  expect(await undo()).toMatchObject({ outcome: 'refused', code: 'not_undone' })
  project.git('update-ref', '-d', 'refs/remotes/origin/main')
  expect(await undo()).toEqual({ outcome: 'done' })
  expect(await undo()).toEqual({ outcome: 'done' })
  expect([project.git('rev-parse', main), status()]).toEqual([old, before])
  await room.run(plan)
  project.git('commit', '-q', '--allow-empty', '-m', 'later')
  expect(await undo()).toMatchObject({ outcome: 'refused', code: 'not_undone' })
})

test('[LD1] hooks of the repository are named and not run', async () => {
  const room = await openRoom()
  const { project, tree } = room
  const hook = join(project.folder, '.git', 'hooks', 'pre-commit')
  mkdirSync(dirname(hook), { recursive: true })
  writeFileSync(hook, `#!/bin/sh\ntouch '${join(project.folder, 'ran')}'\nexit 1\n`, {
    mode: 0o755,
  })
  tree.write('new.txt', 'new\n')
  const plan = await room.plan('merge')
  expect(plan.notes).toEqual(['hooks_not_run: pre-commit'])
  expect(await room.run(plan)).toEqual({ outcome: 'done' })
  expect(existsSync(join(project.folder, 'ran'))).toBe(false)
})
