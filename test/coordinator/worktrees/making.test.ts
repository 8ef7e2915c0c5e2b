/** Where agents work: real repositories, real git, on a machine without an identity. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { branchOf, isOurBranch } from '../../../src/coordinator/worktrees/branch-name.ts'
import { makeWorkspace, type Workspace } from '../../../src/coordinator/worktrees/make-workspace.ts'
import { DetailError } from '../../../src/domain/notices.ts'
import { PathRefused } from '../../../src/platform/files/path-inside.ts'
import { at, gitWith, makeRepository, testGit } from '../../support/git-repository.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const userSessionShort = '1c55ab10'
const git = testGit()

interface Wanted {
  readonly role?: string
  readonly workspace?: string
  readonly root?: string
  readonly project: string | null
  readonly of?: string
}
const make = ({
  role = 'auth',
  workspace = role,
  root,
  project,
  of = userSessionShort,
}: Wanted): Promise<Workspace> =>
  makeWorkspace(git, {
    projectFolder: project,
    root: root ?? newRoot(),
    workspace,
    userSessionShort: of,
    role,
  })
const newRoot = (): string => realpathSync(temporaryFolder())

function worktree(made: Workspace) {
  if (made.kind !== 'worktree') throw new DetailError(made.why)
  return made
}

test('[WT1] a role works in a worktree on a branch of its own, and the person’s checkout is not touched', async () => {
  const project = makeRepository()
  project.write('README.md', '# changed, not committed\n')
  project.write('draft.txt', 'mine')
  const root = newRoot()
  const made = worktree(await make({ project: project.folder, root }))
  expect(made).toMatchObject({
    folder: join(root, 'auth'),
    branch: 'holdfast/1c55ab10/auth',
    base: project.git('rev-parse', 'HEAD'),
    baseBranch: 'main',
    reused: false,
  })
  expect(statSync(made.top).mode & 0o777).toBe(0o700)
  const tree = at(made.top)
  expect(tree.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe(made.branch)
  expect(readFileSync(join(made.top, 'README.md'), 'utf8')).toBe('# project\n')
  tree.write('new.txt', 'x')
  expect(project.git('status', '--porcelain')).toBe(' M README.md\n?? draft.txt')
  expect(project.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main')
})

test('[WT1] twenty at once, in one session and of the same name in others, each in its own', async () => {
  const project = makeRepository()
  const wanted = [
    ...Array.from({ length: 10 }, (_, n) => ({ role: `role ${n}`, of: userSessionShort })),
    ...Array.from({ length: 10 }, (_, n) => ({ role: 'same', of: `${n}0000000` })),
  ]
  const made = await Promise.all(
    wanted.map(({ role, of }) =>
      make({ project: project.folder, role, of, workspace: role.replace(' ', '-') }),
    ),
  )
  const trees = made.map(worktree)
  expect(new Set(trees.map(({ branch }) => branch)).size).toBe(20)
  for (const { top, branch } of trees)
    expect(at(top).git('status', '--porcelain', '--branch')).toBe(`## ${branch}`)
  expect(project.git('worktree', 'list').split('\n').length).toBe(21)
})

test('[WT2] asked again for the same role it is the same tree, with everything that is in it', async () => {
  const project = makeRepository()
  const root = newRoot()
  const first = worktree(await make({ project: project.folder, root }))
  at(first.top).write('work.txt', 'half done')
  project.git('commit', '--quiet', '--allow-empty', '-m', 'Later')
  expect(await make({ project: project.folder, root })).toEqual({ ...first, reused: true })
  expect(readFileSync(join(first.top, 'work.txt'), 'utf8')).toBe('half done')
})

test('[WT2] a tree that somebody deleted or moved by hand is not made anew: it is said; given up, it comes back on its branch, with its commits', async () => {
  const project = makeRepository()
  const root = newRoot()
  const first = worktree(await make({ project: project.folder, root }))
  const tree = at(first.top)
  tree.write('work.txt', 'done')
  tree.git('add', '.')
  tree.git('commit', '--quiet', '-m', 'Work')
  rmSync(first.top, { recursive: true })
  await expect(make({ project: project.folder, root })).rejects.toThrow(
    /was moved or deleted. Put it back there/,
  )
  expect(existsSync(first.top)).toBe(false)
  project.git('worktree', 'prune')
  const again = worktree(await make({ project: project.folder, root }))
  expect(again.branch).toBe(first.branch)
  expect(readFileSync(join(again.top, 'work.txt'), 'utf8')).toBe('done')
  project.git('worktree', 'move', again.top, `${again.top}-elsewhere`)
  await expect(make({ project: project.folder, root })).rejects.toThrow(
    /is checked out in .*-elsewhere\. Move it back/,
  )
  expect(existsSync(again.top)).toBe(false)
})

test('[WT1] a worktree that was cut off while it was made is finished, not refused', async () => {
  const project = makeRepository()
  const root = newRoot()
  const { top, branch } = worktree(await make({ project: project.folder, root }))
  const notes = at(top).git('rev-parse', '--absolute-git-dir')
  rmSync(join(notes, 'holdfast.json'))
  rmSync(join(notes, 'index'))
  rmSync(join(top, 'README.md'))
  writeFileSync(join(notes, 'locked'), 'initializing')
  writeFileSync(join(notes, 'index.lock'), '')
  expect(await make({ project: project.folder, root })).toMatchObject({ top, branch })
  expect(at(top).git('status', '--porcelain')).toBe('')
  expect(existsSync(join(notes, 'locked'))).toBe(false)
})

test('[US2] a workspace that leaves its root, or is taken by something else, is refused and nothing is made', async () => {
  const project = makeRepository()
  const root = newRoot()
  const outside = newRoot()
  symlinkSync(outside, join(root, 'link'))
  mkdirSync(join(root, 'full'))
  writeFileSync(join(root, 'full', 'x'), '')
  for (const workspace of [
    '../x',
    '/x',
    '',
    'a/../../x',
    'link/x',
    'link',
    'full',
    'a\u0000',
    'nul',
  ])
    for (const folder of [project.folder, null])
      if (workspace !== 'full' || folder)
        await expect(make({ project: folder, root, workspace })).rejects.toThrow(PathRefused)
  await make({ project: project.folder, root, workspace: 'shared' })
  await expect(
    make({ project: project.folder, root, workspace: 'shared', role: 'other' }),
  ).rejects.toThrow(/taken/)
  expect(project.git('branch', '--list', 'holdfast/*').trim()).toMatch(
    /^\+? ?holdfast\/1c55ab10\/auth$/,
  )
})

test('[WT4] a folder that is no repository, has no commit, or is not there: a plain directory, with words', async () => {
  const root = newRoot()
  const cases: [string | null, RegExp][] = [
    [newRoot(), /is not a git repository/],
    [makeRepository({ commit: false }).folder, /has no commit yet/],
    [null, /has no folder/],
  ]
  for (const [index, [project, why]] of cases.entries()) {
    const made = await make({ project, root, workspace: `plain/${index}` })
    expect(made).toEqual({
      kind: 'plain',
      folder: join(root, `plain/${index}`),
      why: { text: expect.stringMatching(why), notice: expect.anything() },
    })
    expect(statSync(made.folder).mode & 0o777).toBe(0o700)
  }
})

test('[WT4] without git there is a plain directory too', async () => {
  const none = gitWith({ PATH: newRoot() })
  const wanted = {
    projectFolder: makeRepository().folder,
    root: newRoot(),
    workspace: 'auth',
    userSessionShort,
    role: 'auth',
  }
  expect(await makeWorkspace(none, wanted)).toMatchObject({
    kind: 'plain',
    why: { text: expect.stringContaining('git could not be run') },
  })
})

test('[WT1] a project that is a folder within its repository starts in the same place of the tree', async () => {
  const project = makeRepository()
  project.write('packages/a/index.js', '')
  project.git('add', '.')
  project.git('commit', '--quiet', '-m', 'Packages')
  mkdirSync(join(project.folder, 'new'))
  const made = worktree(await make({ project: join(project.folder, 'packages/a') }))
  expect(made.folder).toBe(join(made.top, 'packages/a'))
  expect(
    existsSync(
      join(worktree(await make({ project: join(project.folder, 'new'), role: 'b' })).folder),
    ),
  ).toBe(true)
})

test('[WT1] every role has a branch that git takes, and no two share one', async () => {
  const roles = [
    'auth',
    'Auth',
    'AUTH',
    'front end',
    'front-end',
    'データ',
    'a/b',
    'a.lock',
    '..',
    '-x',
    '@{u}',
    'x'.repeat(300),
    '😀',
    '~^:?*[\\',
    'a..b',
  ]
  const branches = roles.map((role) => branchOf(userSessionShort, role))
  const project = makeRepository()
  for (const branch of branches) {
    expect(isOurBranch(branch), branch).toBe(true)
    expect(project.git('check-ref-format', '--branch', branch)).toBe(branch)
  }
  expect(new Set(branches.map((branch) => branch.toLowerCase())).size).toBe(roles.length)
  expect(branches[0]).toBe('holdfast/1c55ab10/auth')
  expect(branches[5]).toBe('holdfast/1c55ab10/データ')
})
