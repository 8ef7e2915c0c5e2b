/** What an agent did in its worktree, looked at and brought out of it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commitAll } from '../../../src/coordinator/worktrees/commit.ts'
import { diffOf, patchOf } from '../../../src/coordinator/worktrees/diff.ts'
import { diskUseOf } from '../../../src/coordinator/worktrees/inspect-worktrees.ts'
import { mergeWorktree } from '../../../src/coordinator/worktrees/merge-worktree.ts'
import { openWorktree } from '../../../src/coordinator/worktrees/repository.ts'
import { stateOf } from '../../../src/coordinator/worktrees/worktree-state.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { gitMeeting, makeRepository } from '../../support/git-repository.ts'
import { type ProjectWithWorktree, projectWithWorktree } from '../../support/our-worktree.ts'

/** Something of every kind: committed, staged, changed, deleted, moved, untracked, ignored. */
async function busyTree(): Promise<ProjectWithWorktree> {
  const project = makeRepository()
  project.write('old.txt', 'one\ntwo\nthree\nfour\n')
  project.write('gone.txt', 'x\n')
  project.git('add', '.')
  project.git('commit', '--quiet', '-m', 'More')
  const made = await projectWithWorktree(project)
  const { tree } = made
  tree.write('committed.txt', 'c\n')
  tree.git('mv', 'old.txt', 'new.txt')
  tree.git('add', '.')
  tree.git('commit', '--quiet', '-m', 'Work')
  tree.write('staged.txt', 's\n')
  tree.git('add', 'staged.txt')
  tree.write('README.md', '# project\n\nmore\n')
  tree.git('rm', '--quiet', 'gone.txt')
  tree.write('späße/new file.txt', 'u\n')
  tree.write('binary.bin', '\u0000\u0001')
  tree.write('.env', 'SECRET=1')
  return made
}

test('[WT2] the state says branch, how far ahead and behind, and every changed file', async () => {
  const { project, open, tree } = await busyTree()
  project.git('commit', '--quiet', '--allow-empty', '-m', 'Meanwhile')
  expect(await stateOf(await open())).toEqual({
    branch: 'holdfast/1c55ab10/auth',
    head: tree.git('rev-parse', 'HEAD'),
    ahead: 1,
    behind: 1,
    files: [
      { path: 'README.md', change: 'modified' },
      { path: 'committed.txt', change: 'added' },
      { path: 'gone.txt', change: 'deleted' },
      { path: 'new.txt', change: 'renamed' },
      { path: 'staged.txt', change: 'added' },
      { path: 'binary.bin', change: 'untracked' },
      { path: 'späße/new file.txt', change: 'untracked' },
    ],
    fileCount: 7,
    uncommitted: 5,
    command: 'git switch main && git merge holdfast/1c55ab10/auth',
  })
})

test('[WT6] the patch has all of it, applies elsewhere, and leaves the tree and its index as they were', async () => {
  const { project, tree, open } = await busyTree()
  const before = tree.git('status', '--porcelain')
  const { bytes, cut, leftOut } = await patchOf(await open())
  expect([cut, leftOut]).toEqual([false, 0])
  expect(tree.git('status', '--porcelain')).toBe(before)
  expect(tree.git('count-objects')).toBe(project.git('count-objects'))
  writeFileSync(join(project.folder, 'work.patch'), bytes)
  project.git('apply', 'work.patch')
  for (const path of [
    'committed.txt',
    'staged.txt',
    'README.md',
    'new.txt',
    'späße/new file.txt',
    'binary.bin',
  ])
    expect(readFileSync(join(project.folder, path), 'utf8'), path).toBe(
      readFileSync(join(tree.folder, path), 'utf8'),
    )
  expect(bytes.toString()).not.toContain('SECRET')
})

test('[WT2] a diff to read has an end', async () => {
  const { tree, open } = await projectWithWorktree()
  tree.write('large.txt', 'a line that is repeated\n'.repeat(200_000))
  const { bytes, cut } = await diffOf(await open())
  const text = bytes.toString()
  expect(cut).toBe(true)
  expect(text.length).toBeLessThanOrEqual(2 * 1024 * 1024)
  expect(text).toMatch(/^diff --git a\/large.txt b\/large.txt\n/)
})

test('[WT4] a commit of ours has an identity of its own, on a machine without one; nothing to commit is no commit', async () => {
  const { tree, open } = await busyTree()
  expect(await commitAll(await open(), 'Everything\n\nBecause.\n')).toMatchObject({ files: 5 })
  expect(tree.git('log', '-1', '--format=%an <%ae>%n%B')).toBe(
    'Holdfast <agents@holdfast.invalid>\nEverything\n\nBecause.',
  )
  expect(tree.git('status', '--porcelain')).toBe('')
  expect(await commitAll(await open(), 'Nothing')).toEqual({ commit: null, files: 0, left: [] })
})

const into = (target: string, how: 'merge' | 'rebase') => ({
  target,
  how,
  message: 'Bring in auth',
})

test.each(['merge', 'rebase'] as const)(
  '[WT6] a %s into a branch that is not checked out moves that branch and nothing else',
  async (how) => {
    const { project, tree, open } = await projectWithWorktree()
    project.git('branch', 'release')
    project.git('switch', '--quiet', 'release')
    project.write('release.txt', 'r\n')
    project.git('add', '.')
    project.git('commit', '--quiet', '-m', 'Release')
    project.git('switch', '--quiet', 'main')
    tree.write('work.txt', 'w\n')
    await commitAll(await open(), 'Work')
    const before = tree.git('rev-parse', 'HEAD')
    const done = await mergeWorktree(await open(), into('release', how))
    expect(done).toEqual({ outcome: 'done', commit: project.git('rev-parse', 'release') })
    expect(project.git('ls-tree', '--name-only', 'release').split('\n')).toEqual([
      '.gitignore',
      'README.md',
      'release.txt',
      'work.txt',
    ])
    expect(project.git('rev-list', '--parents', '-1', 'release').split(' ').length).toBe(
      how === 'merge' ? 3 : 2,
    )
    expect(tree.git('rev-parse', 'HEAD')).toBe(before)
    expect(project.git('status', '--porcelain', '--branch')).toBe('## main')
    expect(project.git('worktree', 'list').split('\n').length).toBe(2)
    expect(await mergeWorktree(await open(), into('release', 'merge'))).toMatchObject({
      outcome: how === 'merge' ? 'nothing_new' : 'done',
    })
  },
)

test.each(['merge', 'rebase'] as const)(
  '[WT6] a %s that conflicts says where, and both sides are as they were',
  async (how) => {
    const { project, tree, open } = await projectWithWorktree()
    project.write('README.md', '# theirs\n')
    project.git('commit', '--quiet', '--all', '-m', 'Theirs')
    tree.write('README.md', '# ours\n')
    await commitAll(await open(), 'Ours')
    const before = [project.git('rev-parse', 'HEAD'), tree.git('rev-parse', 'HEAD')]
    expect(await mergeWorktree(await open(), into('main', how))).toEqual({
      outcome: 'conflicts',
      files: ['README.md'],
      command: expect.stringContaining('git switch main'),
    })
    expect([project.git('rev-parse', 'HEAD'), tree.git('rev-parse', 'HEAD')]).toEqual(before)
    for (const side of [project, tree]) expect(side.git('status', '--porcelain')).toBe('')
    expect(project.git('worktree', 'list').split('\n').length).toBe(2)
  },
)

test('[WT6] a branch that is checked out is moved with its files when all is committed there, and otherwise not at all', async () => {
  const { project, tree, open } = await projectWithWorktree()
  tree.write('work.txt', 'w\n')
  await commitAll(await open(), 'Work')
  project.write('README.md', '# being edited\n')
  const before = project.git('rev-parse', 'HEAD')
  expect(await mergeWorktree(await open(), into('main', 'merge'))).toMatchObject({
    outcome: 'refused',
    reason: 'target_in_use',
    command: 'git switch main && git merge holdfast/1c55ab10/auth',
  })
  project.git('checkout', '--quiet', '--', '.')
  project.write('work.txt', 'mine, untracked')
  expect(await mergeWorktree(await open(), into('main', 'merge'))).toMatchObject({
    outcome: 'refused',
    reason: 'git_refused',
  })
  expect([
    project.git('rev-parse', 'HEAD'),
    readFileSync(join(project.folder, 'work.txt'), 'utf8'),
  ]).toEqual([before, 'mine, untracked'])
  project.git('clean', '--quiet', '--force')
  expect(await mergeWorktree(await open(), into('main', 'merge'))).toMatchObject({
    outcome: 'done',
  })
  expect(readFileSync(join(project.folder, 'work.txt'), 'utf8')).toBe('w\n')
  expect(project.git('status', '--porcelain', '--branch')).toBe('## main')
})

test.each([
  ['it is worked out', 'merge-tree', 'moved'],
  ['the branch is moved', 'update-ref', 'moved'],
])(
  '[WT6] a commit that comes to a branch while %s is not passed over',
  async (_when, words, reason) => {
    const { project, tree, top, open } = await projectWithWorktree()
    project.git('branch', 'release')
    const theirs = project.git('commit-tree', '-p', 'release', '-m', 'Theirs', 'release^{tree}')
    project.git('update-ref', 'refs/heads/release', theirs)
    tree.write('work.txt', 'w\n')
    await commitAll(await open(), 'Work')
    const meanwhile = project.git(
      'commit-tree',
      '-p',
      'release',
      '-m',
      'Meanwhile',
      'release^{tree}',
    )
    const git = gitMeeting(
      words,
      `git -C ${project.folder} update-ref refs/heads/release ${meanwhile}`,
    )
    expect(
      await mergeWorktree(await openWorktree(git, top), into('release', 'merge')),
    ).toMatchObject({
      outcome: 'refused',
      reason,
    })
    expect(project.git('rev-parse', 'release')).toBe(meanwhile)
  },
)

test.each([
  ['its checkout is looked at', 'diff-tree -r', 'moved'],
  ['its checkout is moved', 'read-tree -m -u', 'moved'],
])(
  '[WT6] a commit that comes to a branch that is checked out while %s is not passed over',
  async (_when, words, reason) => {
    const { project, tree, top, open } = await projectWithWorktree()
    tree.write('work.txt', 'w\n')
    await commitAll(await open(), 'Work')
    const meanwhile = project.git('commit-tree', '-p', 'main', '-m', 'Meanwhile', 'main^{tree}')
    const git = gitMeeting(
      words,
      `git -C ${project.folder} update-ref refs/heads/main ${meanwhile}`,
    )
    expect(await mergeWorktree(await openWorktree(git, top), into('main', 'merge'))).toMatchObject({
      outcome: 'refused',
      reason,
    })
    expect(project.git('log', '-1', '--format=%s')).toBe('Meanwhile')
    expect(existsSync(join(project.folder, 'work.txt'))).toBe(false)
  },
)

test('[WT6] what is not committed is not brought in, nor into a branch that is not there', async () => {
  const { tree, open } = await projectWithWorktree()
  expect(await mergeWorktree(await open(), into('nowhere', 'merge'))).toMatchObject({
    outcome: 'refused',
    reason: 'no_branch',
  })
  expect(await mergeWorktree(await open(), into('--all', 'merge'))).toMatchObject({
    outcome: 'refused',
    reason: 'no_branch',
  })
  tree.write('work.txt', 'w\n')
  expect(await mergeWorktree(await open(), into('main', 'merge'))).toMatchObject({
    outcome: 'refused',
    reason: 'uncommitted',
  })
})

test('[WT6] the disk a tree takes is counted', async () => {
  const { tree } = await projectWithWorktree()
  tree.write('node_modules/x/large', 'x'.repeat(1024 * 1024))
  const use = await diskUseOf(tree.folder, systemClock)
  expect(use.complete).toBe(true)
  expect(use.bytes).toBeGreaterThanOrEqual(1024 * 1024)
})
