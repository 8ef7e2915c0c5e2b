/**
 * WT3, condition by condition: a worktree goes only when nothing can be lost by it, or exactly what
 * was confirmed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commitAll } from '../../../src/coordinator/worktrees/commit.ts'
import { processesIn } from '../../../src/coordinator/worktrees/inspect-worktrees.ts'
import {
  lossesOf,
  removePlainFolder,
  removeWorktree,
} from '../../../src/coordinator/worktrees/remove-worktree.ts'
import { openWorktree } from '../../../src/coordinator/worktrees/repository.ts'
import type { RemovalResult } from '../../../src/protocol/worktrees/worktree.ts'
import { gitMeeting, testGit } from '../../support/git-repository.ts'
import { type ProjectWithWorktree, projectWithWorktree } from '../../support/our-worktree.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const remove = async (
  { open, root }: ProjectWithWorktree,
  confirmed?: string,
): Promise<RemovalResult> => removeWorktree(await open(), { root, processesIn, confirmed })

const branches = ({ project }: ProjectWithWorktree): string =>
  project.git('branch', '--list', 'holdfast/*')

test('[WT3] a worktree with nothing to lose goes, and its branch with it', async () => {
  const made = await projectWithWorktree()
  made.tree.write('.env', 'copied')
  made.tree.write('node_modules/x', 'installed')
  expect(await remove(made)).toEqual({ outcome: 'removed' })
  expect([existsSync(made.top), branches(made)]).toEqual([false, ''])
  expect(made.project.git('worktree', 'list').split('\n').length).toBe(1)
})

const losses: readonly [string, (made: ProjectWithWorktree) => unknown, object][] = [
  [
    'an untracked file',
    ({ tree }) => tree.write('x.txt', 'x'),
    { files: [{ path: 'x.txt', change: 'untracked' }] },
  ],
  [
    'a changed file',
    ({ tree }) => tree.write('README.md', 'x'),
    { files: [{ path: 'README.md', change: 'modified' }] },
  ],
  [
    'a staged file',
    ({ tree }) => {
      tree.write('x.txt', 'x')
      tree.git('add', '.')
    },
    { files: [{ path: 'x.txt', change: 'added' }] },
  ],
  [
    'a commit that is nowhere else',
    async ({ tree, open }) => {
      tree.write('x.txt', 'x')
      await commitAll(await open(), 'Only here')
    },
    { commits: [{ subject: 'Only here' }] },
  ],
  [
    'a commit between branches',
    ({ tree }) => {
      tree.git('switch', '--quiet', '--detach')
      tree.git('commit', '--quiet', '--allow-empty', '-m', 'Nowhere')
    },
    { commits: [{ subject: 'Nowhere' }] },
  ],
  [
    'a branch that was left behind',
    ({ tree }) => {
      tree.git('commit', '--quiet', '--allow-empty', '-m', 'On the branch')
      tree.git('switch', '--quiet', '--create', 'elsewhere', 'main')
    },
    { commits: [{ subject: 'On the branch' }] },
  ],
  [
    'a merge that is not finished',
    ({ project, tree }) => {
      project.git('commit', '--quiet', '--allow-empty', '-m', 'Theirs')
      tree.git('commit', '--quiet', '--allow-empty', '-m', 'Ours')
      tree.git('merge', '--quiet', '--no-commit', '--no-ff', 'main')
    },
    { unfinished: ['merge'] },
  ],
]

test.each(losses)(
  '[WT3] one with %s stays, and says what would be lost; confirmed, it goes',
  async (_what, spoil, expected) => {
    const made = await projectWithWorktree()
    await spoil(made)
    const kept = await remove(made)
    expect(kept).toMatchObject({ outcome: 'would_lose', losses: expected })
    expect(existsSync(made.top)).toBe(true)
    expect(await remove(made, '0'.repeat(64))).toMatchObject({ outcome: 'would_lose' })
    const digest = kept.outcome === 'would_lose' ? kept.losses.digest : undefined
    expect(await remove(made, digest)).toEqual({ outcome: 'removed' })
    expect([existsSync(made.top), branches(made)]).toEqual([false, ''])
  },
)

test('[WT3] what was confirmed is what is lost: a file that came later, or was worked on, is not', async () => {
  const made = await projectWithWorktree()
  made.tree.write('one.txt', 'x')
  const { digest } = await lossesOf(await made.open())
  made.tree.write('two.txt', 'x')
  expect(await remove(made, digest)).toMatchObject({ outcome: 'would_lose' })
  const both = await lossesOf(await made.open())
  made.tree.write('two.txt', 'x and more')
  expect(await remove(made, both.digest)).toMatchObject({ outcome: 'would_lose' })
  expect(existsSync(join(made.top, 'two.txt'))).toBe(true)
})

test('[WT3] commits that another branch, a tag or a remote has are not lost', async () => {
  for (const keep of [
    ['branch', 'kept'],
    ['tag', 'kept'],
    ['update-ref', 'refs/remotes/origin/auth', 'HEAD'],
  ]) {
    const made = await projectWithWorktree()
    made.tree.git('commit', '--quiet', '--allow-empty', '-m', 'Kept')
    expect(await remove(made)).toMatchObject({ outcome: 'would_lose' })
    made.tree.git(...keep)
    expect(await remove(made)).toEqual({ outcome: 'removed' })
  }
})

test('[WT3] a worktree in which a process lives stays, whatever is confirmed', async () => {
  const made = await projectWithWorktree()
  mkdirSync(join(made.top, 'deep'))
  const child = spawn(process.execPath, ['-e', 'console.log("up"); setTimeout(() => {}, 60000)'], {
    cwd: join(made.top, 'deep'),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const { digest } = await lossesOf(await made.open())
  expect(await remove(made, digest)).toMatchObject({
    outcome: 'refused',
    reason: 'in_use',
    why: expect.stringContaining(String(child.pid)),
  })
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await remove(made)).toEqual({ outcome: 'removed' })
})

test('[WT3] a commit that comes when the losses have been looked at keeps its branch', async () => {
  const made = await projectWithWorktree()
  const commit = (): string =>
    made.tree.git('commit', '--quiet', '--allow-empty', '-m', 'Meanwhile')
  let looks = 0
  const coming = async (): Promise<number[]> => {
    if (++looks === 2) commit()
    return []
  }
  expect(await removeWorktree(await made.open(), { root: made.root, processesIn: coming })).toEqual(
    { outcome: 'removed' },
  )
  expect(made.project.git('log', '-1', '--format=%s', 'holdfast/1c55ab10/auth')).toBe('Meanwhile')
})

test('[WT3] a commit that comes while git removes the tree keeps its branch', async () => {
  const made = await projectWithWorktree()
  const git = gitMeeting(
    'worktree remove',
    `git -C ${made.top} commit --quiet --allow-empty -m Meanwhile`,
  )
  expect(
    await removeWorktree(await openWorktree(git, made.top), { root: made.root, processesIn }),
  ).toEqual({
    outcome: 'removed',
  })
  expect(made.project.git('log', '-1', '--format=%s', 'holdfast/1c55ab10/auth')).toBe('Meanwhile')
})

test('[WT3] a person’s own checkout or worktree is not ours, and is not even opened', async () => {
  const { project, root, top } = await projectWithWorktree()
  const theirs = join(temporaryFolder(), 'theirs')
  project.git('worktree', 'add', '--quiet', '-b', 'holdfast/1c55ab10/fake', theirs)
  for (const folder of [project.folder, theirs, root, join(top, '..')])
    await expect(openWorktree(testGit(), folder)).rejects.toThrow()
})

test('[WT3] a worktree outside of our own folder stays, and where git refuses we stop and say so', async () => {
  const made = await projectWithWorktree()
  const elsewhere = await removeWorktree(await made.open(), {
    root: temporaryFolder(),
    processesIn,
  })
  expect(elsewhere).toMatchObject({ outcome: 'refused', reason: 'not_ours' })
  made.project.git('worktree', 'lock', '--reason', 'on a disk that comes and goes', made.top)
  expect(await remove(made)).toMatchObject({
    outcome: 'refused',
    reason: 'git_refused',
    why: expect.stringContaining('locked'),
  })
  expect(existsSync(join(made.top, 'README.md'))).toBe(true)
  expect(branches(made)).toContain('holdfast/1c55ab10/auth')
})

test('[WT3] of plain directories only an empty one goes', async () => {
  const root = temporaryFolder()
  const [empty, full] = [join(root, 'empty'), join(root, 'full')]
  for (const folder of [empty, full]) mkdirSync(folder)
  writeFileSync(join(full, 'x'), 'x')
  expect(await removePlainFolder(root, empty)).toEqual({ outcome: 'removed' })
  expect(await removePlainFolder(root, full)).toMatchObject({ outcome: 'refused' })
  expect(await removePlainFolder(root, temporaryFolder())).toMatchObject({
    outcome: 'refused',
    reason: 'not_ours',
  })
  expect(existsSync(join(full, 'x'))).toBe(true)
})
