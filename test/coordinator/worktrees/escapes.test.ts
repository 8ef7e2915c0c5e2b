/**
 * SE20, SE21, SB10: what an agent leaves in its workplace for the git of the coordinator, by the
 * ways it was got out: a repository of its own inside, whose configuration changes between two
 * readings; a filter that is read into place; flags that hide its work.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeWorkspace } from '../../../src/coordinator/worktrees/make-workspace.ts'
import { amount } from '../../support/extent.ts'
import { at, gitWith, makeRepository, type TestRepository } from '../../support/git-repository.ts'
import { machineFor, wantedPlan } from '../../support/hostile-project.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const env = { PATH: process.env['PATH'] ?? '', HOME: temporaryFolder(), LC_ALL: 'C' }

/** A program that leaves a mark, and whether it did. */
function program() {
  const folder = realpathSync(temporaryFolder())
  const file = join(folder, 'evil')
  writeFileSync(file, `#!/bin/sh\ntouch ${folder}/ran\ncat\n`, { mode: 0o755 })
  return { file, ran: () => existsSync(join(folder, 'ran')) }
}

function repositoryInside({ folder, git }: TestRepository): TestRepository {
  const inside = at(join(folder, 'sub'))
  mkdirSync(inside.folder)
  inside.git('init', '--quiet', '--template=')
  inside.write('.gitattributes', '*.txt filter=evil\n')
  inside.write('a.txt', 'one\n')
  inside.git('add', '.')
  inside.git('commit', '--quiet', '-m', 'Inside')
  inside.write('a.txt', 'two\n')
  git('add', 'sub')
  return inside
}

/**
 * A pipe that answers clean for some readings, and then names a program. Between two answers it
 * lets the reader come to its end.
 */
function changingPipe(file: string, clean: number, evil: string): void {
  execFileSync('mkfifo', [file])
  const script = `trap '' PIPE; n=0; while :; do if [ $n -lt ${clean} ]; then printf '[x]\\n\\ty = 1\\n' > ${file}; else printf '%s' '${evil}' > ${file}; fi; n=$((n + 1)); sleep 0.2; done`
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' })
  onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'))
}

const everyLook = ['worktree-state', 'worktree-losses', 'worktree-patch'] as const

test('[SE20] [SE21] a repository that an agent makes inside runs nothing, however its configuration answers, and is named as what it is', async () => {
  for (const clean of amount([3, 0], [3, 0, 1, 2, 4, 5, 6, 9])) {
    const project = makeRepository()
    const { make, ask } = machineFor({ folder: project.folder, env })
    const tree = await make('auth')
    const inside = repositoryInside(tree)
    const evil = program()
    const pipe = join(tree.folder, 'more')
    changingPipe(pipe, clean, `[filter "evil"]\n\tclean = ${evil.file}\n\tsmudge = ${evil.file}\n`)
    writeFileSync(
      join(inside.folder, '.git/config'),
      `${readFileSync(join(inside.folder, '.git/config'))}[include]\n\tpath = ${pipe}\n`,
    )
    const { folder: top } = tree
    const looks = []
    for (const kind of everyLook) looks.push(await ask({ kind, top }))
    for (const how of ['squash', 'push'] as const)
      looks.push(await ask({ ...wantedPlan, top, key: 'web:p.a', how }))
    expect([clean, evil.ran()]).toEqual([clean, false])
    for (const look of looks) expect(look).not.toMatchObject({ ok: false })
    const [look] = await ask({ kind: 'worktrees-look', places: [{ kind: 'worktree', top }] })
    expect(look).toMatchObject({ canGo: 'would_lose', losses: { files: ['sub'] } })
    expect(await ask({ kind: 'worktree-state', top })).toMatchObject({
      files: [{ path: 'sub', change: 'repository' }],
    })
    expect([clean, evil.ran()]).toEqual([clean, false])
  }
})

test('[SE21] a commit leaves a repository inside at the commit that HEAD has of it, and says so', async () => {
  const { make, ask } = machineFor({ folder: makeRepository().folder, env })
  const tree = await make('auth')
  repositoryInside(tree)
  tree.write('work.txt', 'work\n')
  const { folder: top } = tree
  expect(await ask({ kind: 'worktree-commit', top, message: 'Work' })).toMatchObject({
    files: 1,
    left: ['sub'],
  })
  expect(tree.git('ls-tree', '--name-only', 'HEAD').split('\n')).not.toContain('sub')
  expect(
    await ask({ kind: 'worktree-merge', top, target: 'main', how: 'merge', message: 'In' }),
  ).toMatchObject({
    outcome: 'done',
  })
  expect(
    await ask({ kind: 'worktree-remove', place: { kind: 'worktree', top }, confirmed: null }),
  ).toMatchObject({
    outcome: 'would_lose',
    losses: { files: [{ path: 'sub', change: 'repository' }] },
  })
})

test('[SE20] a repository that an agent makes in a folder without one runs nothing when a console opens there', async () => {
  const folder = realpathSync(temporaryFolder())
  const agents = at(folder)
  const evil = program()
  agents.git('init', '--quiet', '--template=', '--initial-branch=main')
  agents.write('.gitattributes', '*.txt filter=evil\n')
  agents.write('a.txt', 'one\n')
  agents.git('add', '.')
  agents.git('commit', '--quiet', '-m', 'Mine')
  const pipe = join(folder, '.git/more')
  // As many as it took to get out of the build before.
  changingPipe(
    pipe,
    15,
    `[filter "evil"]\n\tclean = ${evil.file}\n\tsmudge = ${evil.file}\n[core]\n\tfsmonitor = ${evil.file}\n`,
  )
  const config = `[include]\n\tpath = ${pipe}\n[lfs "extension.x"]\n\tclean = ${evil.file}\n\tsmudge = ${evil.file}\n\tpriority = 0\n`
  writeFileSync(
    join(folder, '.git/config'),
    `${config}[hook "x"]\n\tcommand = ${evil.file}\n\tevent = post-checkout\n\tevent = reference-transaction\n`,
  )
  const { make, ask } = machineFor({ folder, env })
  const tree = await make('auth')
  expect(readFileSync(join(tree.folder, 'a.txt'), 'utf8')).toBe('one\n')
  tree.write('b.md', 'work\n')
  const { folder: top } = tree
  for (const kind of everyLook) expect(await ask({ kind, top })).not.toMatchObject({ ok: false })
  expect(await ask({ kind: 'worktree-commit', top, message: 'Work' })).toMatchObject({ files: 1 })
  expect(evil.ran()).toBe(false)
})

test('[WT3] assume-unchanged and skip-worktree hide no work: it is seen, and nothing is removed', async () => {
  const project = makeRepository()
  project.write('other.txt', 'one\n')
  project.git('add', '.')
  project.git('commit', '--quiet', '-m', 'Other')
  const { make, ask } = machineFor({ folder: project.folder, env })
  const tree = await make('auth')
  tree.git('update-index', '--assume-unchanged', 'README.md')
  tree.git('update-index', '--skip-worktree', 'other.txt')
  tree.write('README.md', 'work\n')
  tree.write('other.txt', 'work\n')
  expect(tree.git('status', '--porcelain')).toBe('')
  const place = { kind: 'worktree', top: tree.folder } as const
  const paths = [
    { path: 'README.md', change: 'modified' },
    { path: 'other.txt', change: 'modified' },
  ]
  expect(await ask({ kind: 'worktree-remove', place, confirmed: null })).toMatchObject({
    outcome: 'would_lose',
    losses: { files: paths },
  })
  expect(await ask({ kind: 'worktree-commit', top: tree.folder, message: 'Work' })).toMatchObject({
    files: 2,
  })
  expect(tree.git('show', '--format=', '--name-only').split('\n')).toEqual([
    'README.md',
    'other.txt',
  ])
})

test('[WT1] a sparse checkout stays as it is: what it leaves away is no change, and a new worktree leaves away the same', async () => {
  const project = makeRepository()
  for (const path of ['in/a.txt', 'out/b.txt']) project.write(path, 'one\n')
  project.git('add', '.')
  project.git('commit', '--quiet', '-m', 'Folders')
  project.git('sparse-checkout', 'set', 'in')
  const { make, ask } = machineFor({ folder: project.folder, env })
  const tree = await make('auth')
  const { folder: top } = tree
  expect(existsSync(join(top, 'out/b.txt'))).toBe(false)
  expect(tree.git('status', '--porcelain')).toBe('')
  expect(await ask({ kind: 'worktree-state', top })).toMatchObject({ files: [], uncommitted: 0 })
  tree.write('in/a.txt', 'two\n')
  expect(await ask({ kind: 'worktree-commit', top, message: 'Work' })).toMatchObject({ files: 1 })
  expect(tree.git('status', '--porcelain')).toBe('')
  expect(
    await ask({ kind: 'worktree-merge', top, target: 'main', how: 'merge', message: 'In' }),
  ).toMatchObject({
    outcome: 'done',
  })
  expect([
    project.git('status', '--porcelain'),
    existsSync(join(project.folder, 'out/b.txt')),
  ]).toEqual(['', false])
  expect(project.git('ls-tree', '-r', '--name-only', 'main').split('\n')).toContain('out/b.txt')
  expect(
    await ask({ kind: 'worktree-remove', place: { kind: 'worktree', top }, confirmed: null }),
  ).toMatchObject({
    outcome: 'removed',
  })
})

test('[WT1] line ends, sha-256, shallow clones and borrowed objects of honest people work on', async () => {
  const crlf = makeRepository()
  crlf.git('config', 'core.autocrlf', 'true')
  const source = makeRepository()
  const [shallow, shared] = [temporaryFolder(), temporaryFolder()].map((folder) =>
    join(realpathSync(folder), 'clone'),
  )
  source.git('commit', '--quiet', '--allow-empty', '-m', 'Two')
  source.git('clone', '--quiet', '--depth=1', `file://${source.folder}`, shallow ?? '')
  source.git('clone', '--quiet', '--shared', source.folder, shared ?? '')
  const sha256 = makeRepository({ commit: false })
  execFileSync('rm', ['-r', join(sha256.folder, '.git')])
  sha256.git('init', '--quiet', '--object-format=sha256', '--initial-branch=main')
  sha256.write('README.md', 'x\n')
  sha256.git('add', '.')
  sha256.git('commit', '--quiet', '-m', 'Begin')
  for (const folder of [crlf.folder, shallow ?? '', shared ?? '', sha256.folder]) {
    const branch = at(folder).git('branch', '--show-current')
    const { make, ask } = machineFor({ folder, env })
    const tree = await make('auth')
    const { folder: top } = tree
    if (folder === crlf.folder)
      expect(readFileSync(join(top, 'README.md'), 'utf8')).toBe('# project\r\n')
    expect([folder, await ask({ kind: 'worktree-state', top })]).toMatchObject([
      folder,
      { files: [], uncommitted: 0 },
    ])
    tree.write('README.md', folder === crlf.folder ? '# work\r\n' : '# work\n')
    expect(await ask({ kind: 'worktree-commit', top, message: 'Work' })).toMatchObject({ files: 1 })
    expect(tree.git('cat-file', 'blob', 'HEAD:README.md')).toBe('# work')
    expect(tree.git('status', '--porcelain')).toBe('')
    const into = {
      kind: 'worktree-merge',
      top,
      target: branch,
      how: 'merge',
      message: 'In',
    } as const
    expect([folder, await ask(into)]).toMatchObject([folder, { outcome: 'done' }])
    expect(at(folder).git('status', '--porcelain')).toBe('')
  }
})

test('[WT4] a worktree of a bare repository beside it is a project like any other', async () => {
  const place = realpathSync(temporaryFolder())
  const source = makeRepository()
  source.git('clone', '--quiet', '--bare', source.folder, join(place, '.bare'))
  writeFileSync(join(place, '.git'), 'gitdir: ./.bare\n')
  at(place).git('worktree', 'add', '--quiet', 'main')
  const { make, ask } = machineFor({ folder: join(place, 'main'), env })
  const tree = await make('auth')
  expect(await ask({ kind: 'worktree-state', top: tree.folder })).toMatchObject({
    files: [],
    branch: 'holdfast/1c55ab10/auth',
  })
  const wanted = {
    projectFolder: place,
    root: temporaryFolder(),
    workspace: 'x',
    userSessionShort: '1c55ab10',
    role: 'x',
  }
  expect(await makeWorkspace(gitWith(env), wanted)).toMatchObject({
    kind: 'plain',
    why: { notice: { code: 'bareRepository' } },
  })
})
