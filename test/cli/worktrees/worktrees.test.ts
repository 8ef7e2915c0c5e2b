/**
 * `holdfast worktrees`: real trees behind a real server; what is shown, what gets out, what is lost
 * only when somebody says so (WT2, WT3, WT6).
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand, type Typed } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { type MadeTree, openWorktreeRoom } from '../../support/worktree-machine.ts'

async function open() {
  const room = await openWorktreeRoom()
  const env = { HOLDFAST_URL: room.server.url, HOLDFAST_TOKEN: room.server.ownerToken }
  return {
    ...room,
    holdfast: (argv: readonly string[], typed: Typed = {}) =>
      runCommand(['worktrees', ...argv], { ...typed, env }),
  }
}

test('[WT2] worktrees are listed and shown with size and diff, and say what can go', async () => {
  const { holdfast, work, project } = await open()
  expect(await holdfast([])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('There is no worktree'),
  })
  const { id, tree, branch } = await work('auth')
  await work('tests')
  tree.write('README.md', '# project\n\nchanged\n')
  tree.write('new.txt', 'hello\n')
  const listed = await holdfast([])
  expect(listed.code).toBe(0)
  expect(listed.stdout).toMatch(/ROLE +BRANCH +CHANGES +DISK +CAN GO +USED +ID/)
  expect(listed.stdout).toMatch(new RegExp(`auth +${branch} +\\+0 2 files .+ holds work .+ ${id}`))
  expect(listed.stdout).toMatch(/tests .+ \+0 0 files .+ yes .+/)
  expect((await holdfast(['list', '--json'])).json().items).toMatchObject([
    { role: 'tests', look: { canGo: 'yes' } },
    { role: 'auth', id, look: { canGo: 'would_lose', uncommitted: 2 } },
  ])
  const shown = await holdfast(['show', 'auth'])
  for (const words of [branch, `git switch main && git merge ${branch}`, 'new.txt', 'README.md'])
    expect(shown.stdout).toContain(words)
  expect((await holdfast(['show', branch, '--json'])).json()).toMatchObject({
    worktree: { id },
    state: { uncommitted: 2 },
  })
  const diff = await holdfast(['diff', 'auth'])
  expect(diff.stdout).toContain('+changed')
  expect((await holdfast(['diff', id, '--file', 'new.txt'])).stdout).not.toContain('changed')
  expect((await holdfast(['diff', 'tests'])).stdout).toBe('Nothing has changed.\n')
  const folder = temporaryFolder()
  expect(await holdfast(['patch', 'auth', '--out', 'work.patch'], { cwd: folder })).toMatchObject({
    code: 0,
  })
  expect(readFileSync(join(folder, 'work.patch'), 'utf8')).toBe(
    (await holdfast(['patch', 'auth'])).stdout,
  )
  project.git('apply', '--check', join(folder, 'work.patch'))
}, 60_000)

test('[WT6] commit and merge get the work out; a conflict leaves both sides alone', async () => {
  const { holdfast, work, project } = await open()
  const { tree, branch } = await work('auth')
  expect((await holdfast(['commit', 'auth'])).stdout).toContain('There was nothing to commit')
  tree.write('README.md', '# project\n\nours\n')
  const early = await holdfast(['merge', 'auth'])
  expect(early.code).not.toBe(0)
  expect(early.stderr).toMatch(
    /First: holdfast worktrees commit auth[\s\S]*Uncommitted files: 1\. Commit them first/,
  )
  const committed = await holdfast(['commit', 'auth', '-m', 'Our work', '--json'])
  expect(committed.json()).toMatchObject({ files: 1, commit: tree.git('rev-parse', 'HEAD') })
  expect(tree.git('log', '-1', '--format=%s')).toBe('Our work')
  project.write('README.md', '# project\n\ntheirs\n')
  project.git('commit', '--quiet', '-am', 'Theirs')
  const before = [project.git('rev-parse', 'main'), tree.git('rev-parse', 'HEAD')]
  const conflict = await holdfast(['merge', 'auth'])
  expect(conflict.code).not.toBe(0)
  expect(conflict.stderr).toMatch(/Conflicts in: README\.md/)
  expect(conflict.stderr).toContain(branch)
  expect((await holdfast(['merge', 'auth', '--json'])).json()).toMatchObject({
    code: 'merge_conflict',
    files: ['README.md'],
  })
  expect([project.git('rev-parse', 'main'), tree.git('rev-parse', 'HEAD')]).toEqual(before)
  project.git('branch', 'elsewhere', 'main~1')
  expect((await holdfast(['merge', 'auth', '--into', 'elsewhere'])).stdout).toContain(
    'It is in elsewhere now',
  )
  expect(project.git('log', '-1', '--format=%s', 'elsewhere^{/Our work}')).toBe('Our work')
  expect((await holdfast(['merge', 'auth', '--into', 'elsewhere'])).stdout).toContain(
    'elsewhere has it all already',
  )
})

test('[WT3] what would be lost is named first; without a terminal nothing is removed', async () => {
  const { holdfast, work } = await open()
  const { tree, top, branch } = await work('auth')
  tree.write('only.txt', 'x')
  const refused = await holdfast(['remove', 'auth'])
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('only.txt')
  expect(refused.stderr).toContain('--yes')
  const asked = await holdfast(['remove', 'auth'], { terminal: true, input: 'n\n' })
  expect(asked.stderr).toMatch(/Lost for good: 1 file not committed \(only\.txt\)/)
  expect(existsSync(join(top, 'only.txt'))).toBe(true)
  const gone = await holdfast(['remove', 'auth', '--yes'])
  expect([gone.code, gone.stdout, existsSync(top)]).toEqual([
    0,
    expect.stringContaining(`${branch} is removed`),
    false,
  ])
  const unknown = await holdfast(['diff', 'auth'])
  expect([unknown.code, unknown.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('`holdfast worktrees` lists them'),
  ])
  const again = await work('tests')
  expect((await holdfast(['remove', again.branch, '--json'])).json()).toEqual({ removed: again.id })
})

test('[WT7] old worktrees go after one question that names losses; those in use stay', async () => {
  const { holdfast, work, occupancy } = await open()
  const trees: MadeTree[] = []
  for (let n = 0; n < 4; n++) trees.push(await work(`role-${n}`))
  const [used, dirty, later, ...others] = trees
  if (!used || !dirty || !later) throw new Error('There are too few.')
  await occupancy.enter(used.launchId, join(used.top, '..'), async () => used.top, String)
  dirty.tree.write('only.txt', 'x')
  dirty.tree.git('commit', '--quiet', '--allow-empty', '-m', 'Nowhere else')
  const left = (): string[] =>
    trees.filter(({ top }) => existsSync(top)).map(({ branch }) => branch)
  expect((await holdfast(['prune', '--days', '100000'])).stdout).toContain('can go')
  for (const days of ['', 'x', '-1', '1e9'])
    expect((await holdfast(['prune', '--days', days])).code).toBe(2)
  const trial = await holdfast(['prune', '--days', '0', '--dry-run', '--json'])
  expect(trial.json()).toMatchObject({
    removed: [],
    kept: [{ id: used.id, role: 'role-0', why: expect.any(String) }],
  })
  expect(trial.json().wouldRemove.length).toBe(trees.length - 1)
  const asked = await holdfast(['prune', '--days', '0'], { terminal: true, input: 'n\n' })
  expect(asked.stdout).toMatch(/role-1 .+ 1 file, 1 commit\n/)
  expect(asked.stderr).toContain(
    'Lost with role-1: 1 file not committed (only.txt); 1 commit in no other branch (Nowhere else)',
  )
  expect(asked.stdout).toMatch(/role-2 .+ nothing/)
  expect(asked.stderr).toMatch(
    new RegExp(
      `Stays: role-0.+[\\s\\S]+Remove ${trees.length - 1} worktrees\\?[\\s\\S]*What 1 of them hold`,
    ),
  )
  expect((await holdfast(['prune', '--days', '0'])).stderr).toContain('--yes')
  expect(left().length).toBe(trees.length)
  const gone = await holdfast(['prune', '--days', '0', '--yes', '--json'])
  expect(gone.json().removed.toSorted()).toEqual(
    [dirty, later, ...others].map(({ id }) => id).toSorted(),
  )
  expect(left()).toEqual([used.branch])
}, 60_000)

test('[WT3] a name of several worktrees is always refused; an id or a branch is not', async () => {
  const { holdfast, work, created, client1 } = await open()
  const [first, second] = [await work('auth'), await work('auth', await created(client1))]
  for (const argv of [
    ['remove', 'auth', '--yes'],
    ['show', 'auth'],
    ['commit', 'auth'],
  ]) {
    const refused = await holdfast(argv)
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('2 worktrees are called "auth"'),
    ])
  }
  expect([existsSync(first.top), existsSync(second.top)]).toEqual([true, true])
  expect((await holdfast(['remove', second.branch, '--yes'])).code).toBe(0)
  expect([existsSync(first.top), existsSync(second.top)]).toEqual([true, false])
})
