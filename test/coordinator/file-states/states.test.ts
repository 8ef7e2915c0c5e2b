/**
 * FS: states of a workplace's files are exact, bounded, and leave everything of the person's alone.
 */
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { maxFileBytes } from '../../../src/coordinator/file-states/capture.ts'
import { FileStates } from '../../../src/coordinator/file-states/file-states.ts'
import { takeAfter } from '../../../src/coordinator/file-states/turn-files.ts'
import {
  answerRequest,
  type WorktreeContext,
} from '../../../src/coordinator/worktrees/answer-request.ts'
import { amount } from '../../support/extent.ts'
import { filesBelow, key, stateScene } from '../../support/file-states.ts'
import { at, gitMeeting, makeRepository, testGit } from '../../support/git-repository.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const bytes = (top: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${top}/`), name])

test('[FS1] a state has tracked, untracked and deleted files as they are, and going back is exact', async () => {
  const scene = stateScene()
  const { folder, write, git } = scene
  write('kept.txt', 'kept\n')
  write('gone.txt', 'gone\n')
  git('add', '.')
  git('commit', '--quiet', '-m', 'More')
  const first = await scene.take()
  const before = scene.files()
  write('kept.txt', 'changed\r\n')
  rmSync(join(folder, 'gone.txt'))
  write('deep/er/new.txt', 'new\n')
  chmodSync(join(folder, 'README.md'), 0o755)
  symlinkSync('nowhere', join(folder, 'link'))
  const second = await scene.take()
  const after = scene.files()
  expect(await scene.states.changes(folder, first.state.tree, second.state.tree)).toEqual({
    files: 5,
    added: 3,
    removed: 2,
  })
  expect(await scene.rewind(first.state, second.state)).toMatchObject({ outcome: 'done' })
  expect(scene.files()).toEqual(before)
  expect((await scene.take()).state).toEqual(first.state)
  expect(await scene.rewind(second.state, first.state)).toMatchObject({ outcome: 'done' })
  expect(scene.files()).toEqual(after)
})

test('[FS1] names with line ends and bytes that are no text, folders that become files and files that become folders', async () => {
  const scene = stateScene()
  const { folder } = scene
  const names = [
    Buffer.from('a\nb'),
    Buffer.from([0xff, 0xfe, 0x20, 0x2a]),
    Buffer.from('-n "q" \t'),
    Buffer.from('日本語'),
  ]
  for (const name of names) writeFileSync(bytes(folder, name), name)
  scene.write('becomes/file', 'x')
  scene.write('folder', 'x')
  const first = await scene.take()
  const before = scene.files()
  for (const name of names) writeFileSync(bytes(folder, name), 'other')
  rmSync(join(folder, 'becomes'), { recursive: true })
  scene.write('becomes', 'now a file')
  rmSync(join(folder, 'folder'))
  scene.write('folder/deep', 'now a folder')
  const second = await scene.take()
  const after = scene.files()
  expect(await scene.rewind(first.state, second.state)).toMatchObject({ outcome: 'done' })
  expect(scene.files()).toEqual(before)
  expect(await scene.rewind(second.state, first.state)).toMatchObject({ outcome: 'done' })
  expect(scene.files()).toEqual(after)
  const diff = await scene.states.diff(folder, first.state.tree, second.state.tree, '\\xff\\xfe *')
  expect(diff?.files).toMatchObject([{ path: '\\xff\\xfe *', added: 1, removed: 1 }])
})

test('[FS1] the person’s index, stash, branches and configuration stay as they were, and git shows nothing new', async () => {
  const scene = stateScene()
  const { git, write, folder } = scene
  write('README.md', 'staged\n')
  git('add', 'README.md')
  write('README.md', 'staged and changed\n')
  git('update-index', '--assume-unchanged', '.gitignore')
  write('.gitignore', '.env\n')
  const received = () => [
    git('status', '--porcelain'),
    git('for-each-ref', 'refs/heads', 'refs/stash'),
    git('log', '--all', '--oneline'),
    git('config', '--local', '--list'),
    git('diff', '--cached'),
  ]
  const [index, before] = [() => readFileSync(join(folder, '.git/index')), received()]
  const bytesBefore = index()
  const first = await scene.take()
  write('README.md', 'again\n')
  const second = await scene.take()
  await scene.rewind(first.state, second.state)
  expect(index()).toEqual(bytesBefore)
  expect(received()).toEqual(before)
  // assume-unchanged hides nothing from a state.
  expect(git('cat-file', 'blob', `${first.state.tree}:.gitignore`)).toBe('.env')
})

test('[FS4] a diff names each file with its lines, and the sum counts what is no text as a file without lines', async () => {
  const scene = stateScene()
  scene.write('a.txt', 'one\ntwo\n')
  const first = await scene.take()
  scene.write('a.txt', 'one\n2\nthree\n')
  writeFileSync(join(scene.folder, 'binary'), Buffer.from([0, 1, 2]))
  const second = await scene.take()
  const diff = await scene.states.diff(scene.folder, first.state.tree, second.state.tree, null)
  expect(diff).toMatchObject({
    cut: false,
    files: [
      { path: 'a.txt', added: 2, removed: 1 },
      { path: 'binary', added: null, removed: null },
    ],
    changes: { files: 2, added: 2, removed: 1 },
  })
  expect(diff?.text).toContain('+three')
  // At the end of a turn also since the first: what was put back there counts nowhere.
  scene.write('a.txt', 'one\ntwo\n')
  const options = { fileStates: scene.states, onTrouble: () => {} }
  const ended = await takeAfter(
    options,
    scene.folder,
    { key, first: first.state.tree },
    { ...second, leftOut: [] },
  )
  expect(ended).toMatchObject({
    changes: { files: 1, added: 1, removed: 2 },
    total: { files: 1, added: 0, removed: 0 },
  })
  const gone = await takeAfter(
    options,
    scene.folder,
    { key, first: '1'.repeat(40) },
    { ...second, leftOut: [] },
  )
  expect(gone?.total).toBeUndefined()
  expect(await scene.states.changes(scene.folder, second.state.tree, second.state.tree)).toEqual({
    files: 0,
    added: 0,
    removed: 0,
  })
})

test('[FS2] what is too large, special or another repository is left out and named, and going back leaves it alone', async () => {
  const scene = stateScene()
  const { folder, write } = scene
  const nested = at(join(folder, 'nested'))
  mkdirSync(nested.folder)
  nested.git('init', '--quiet')
  nested.write('inside.txt', 'theirs\n')
  write('large.bin', '')
  truncateSync(join(folder, 'large.bin'), maxFileBytes + 1)
  write('pipe', '')
  write('plain.txt', 'one\n')
  const first = await scene.take()
  expect(first.leftOut).toEqual([
    { path: 'large.bin', why: 'too_large' },
    { path: 'nested/', why: 'repository' },
  ])
  rmSync(join(folder, 'pipe'))
  execFileSync('sh', ['-c', 'mkfifo pipe'], { cwd: folder })
  // Small enough now: in the second state, and not removed by going back to one that did not have
  // it.
  truncateSync(join(folder, 'large.bin'), 10)
  write('plain.txt', 'two\n')
  const second = await scene.take()
  expect(second.leftOut.map(({ path }) => path)).toEqual(['nested/', 'pipe'])
  expect(await scene.rewind(first.state, second.state)).toMatchObject({
    reason: 'in_the_way',
    files: ['pipe'],
  })
  expect(lstatSync(join(folder, 'pipe')).isFIFO()).toBe(true)
  rmSync(join(folder, 'pipe'))
  expect(await scene.rewind(first.state, second.state)).toMatchObject({ outcome: 'done' })
  expect(statSync(join(folder, 'large.bin')).size).toBe(10)
  expect(existsSync(join(folder, 'nested/.git/HEAD'))).toBe(true)
  expect(readFileSync(join(folder, 'plain.txt'), 'utf8')).toBe('one\n')
})

test('[FS2] a folder with too many new files is left out and named; tracked ones never are', async () => {
  const scene = stateScene()
  const { folder, write } = scene
  mkdirSync(join(folder, 'many'))
  for (let n = 0; n <= 10_000; n++) writeFileSync(join(folder, 'many', String(n)), '')
  write('one.txt', 'x')
  const { leftOut, state } = await scene.take()
  expect(leftOut).toEqual([{ path: 'many/', why: 'too_many' }])
  expect(scene.git('ls-tree', '--name-only', state.tree).split('\n')).toEqual([
    '.gitignore',
    'README.md',
    'one.txt',
  ])
  scene.git('add', '.')
  expect((await scene.take()).leftOut).toEqual([])
})

test('[FS1] ignored files are in no state; those tracked with force are, and one that becomes ignored no longer', async () => {
  const scene = stateScene()
  const { write, git, folder } = scene
  write('.env', 'secret')
  write('forced.log', 'one')
  write('later.log', 'one')
  const names = async () =>
    git('ls-tree', '--name-only', (await scene.take()).state.tree).split('\n')
  expect(await names()).toEqual(['.gitignore', 'README.md', 'forced.log', 'later.log'])
  write('.gitignore', '.env\n*.log\n')
  git('add', '--force', 'forced.log')
  expect(await names()).toEqual(['.gitignore', 'README.md', 'forced.log'])
  writeFileSync(join(folder, '.git/info-exclude'), '')
  mkdirSync(join(folder, '.git/info'), { recursive: true })
  writeFileSync(join(folder, '.git/info/exclude'), 'README.md\n')
  expect(await names()).toContain('README.md')
})

test('[FS5] what others changed since, and ignored files in the way, are shown and only then overwritten; it can be undone', async () => {
  const scene = stateScene()
  const { write, folder } = scene
  write('a.txt', 'one\n')
  write('.cache', 'one\n')
  const first = await scene.take()
  write('a.txt', 'two\n')
  rmSync(join(folder, '.cache'))
  write('.gitignore', '.env\n.cache\n')
  const second = await scene.take()
  write('a.txt', 'the person’s\n')
  write('mine.txt', 'mine\n')
  write('.cache/deep/file', 'ignored\n')
  const before = scene.files()
  const received = await scene.rewind(first.state, second.state)
  expect(received).toMatchObject({
    outcome: 'would_lose',
    files: [
      { path: '.cache/deep/file', why: 'ignored' },
      { path: 'a.txt', why: 'changed' },
      { path: 'mine.txt', why: 'changed' },
    ],
  })
  expect(scene.files()).toEqual(before)
  const token = received.outcome === 'would_lose' ? received.token : ''
  write('a.txt', 'changed again\n')
  expect(await scene.rewind(first.state, second.state, token)).toMatchObject({
    outcome: 'would_lose',
  })
  write('a.txt', 'the person’s\n')
  const done = await scene.rewind(first.state, second.state, token)
  expect(done.outcome).toBe('done')
  expect(readFileSync(join(folder, '.cache'), 'utf8')).toBe('one\n')
  if (done.outcome !== 'done') return
  const undone = await scene.rewind(
    { ...done.before, head: first.state.head },
    { ...done.after, head: first.state.head },
  )
  expect(undone.outcome).toBe('done')
  expect(scene.files()).toEqual(before)
})

test('[FS5] a file that changes between the state and the restore is not overwritten', async () => {
  const repository = makeRepository()
  const meeting = gitMeeting('read-tree -m -u', `echo raced > ${repository.folder}/a.txt`)
  const scene = stateScene(meeting, repository)
  scene.write('a.txt', 'one\n')
  const first = await scene.take()
  scene.write('a.txt', 'two\n')
  const second = await scene.take()
  expect(await scene.rewind(first.state, second.state)).toMatchObject({
    outcome: 'would_lose',
    files: [{ path: 'a.txt', why: 'changed' }],
  })
  expect(readFileSync(join(repository.folder, 'a.txt'), 'utf8')).toBe('raced\n')
})

test('[FS5] a repository in the way of a file is never removed, confirmed or not', async () => {
  const scene = stateScene()
  scene.write('vendor', 'a file\n')
  const first = await scene.take()
  rmSync(join(scene.folder, 'vendor'))
  const second = await scene.take()
  mkdirSync(join(scene.folder, 'vendor'))
  at(join(scene.folder, 'vendor')).git('init', '--quiet')
  expect(await scene.rewind(first.state, second.state)).toMatchObject({
    outcome: 'refused',
    reason: 'in_the_way',
  })
  expect(existsSync(join(scene.folder, 'vendor/.git/HEAD'))).toBe(true)
})

test('[FS12] a restore that cannot begin is refused, so that nothing waits for it: no repository any more, too much left out', async () => {
  const scene = stateScene()
  const { folder } = scene
  const { state } = await scene.take()
  scene.write('README.md', 'changed')
  const machine = { git: testGit(), fileStates: scene.states } as WorktreeContext
  const ask = {
    kind: 'files-restore',
    folder,
    id: 'r',
    key,
    target: state,
    expected: state,
    confirmed: null,
  } as const
  const repository = makeRepository()
  for (let n = 0; n <= 1000; n++)
    cpSync(join(repository.folder, '.git', 'HEAD'), join(folder, `n${n}`, '.git', 'HEAD'))
  for (let n = 0; n <= 1000; n++)
    for (const name of ['objects', 'refs']) mkdirSync(join(folder, `n${n}`, '.git', name))
  expect(await answerRequest(machine, ask)).toMatchObject({
    ok: true,
    value: { outcome: 'refused', reason: 'failed' },
  })
  for (let n = 0; n <= 1000; n++) rmSync(join(folder, `n${n}`), { recursive: true })
  renameSync(join(folder, '.git'), join(folder, 'away'))
  expect(await answerRequest(machine, ask)).toMatchObject({
    ok: true,
    value: { outcome: 'refused', reason: 'failed' },
  })
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('changed')
})

test('[FS1] files outside of a sparse checkout are neither in a state nor written back', async () => {
  const scene = stateScene()
  const { git, write, folder } = scene
  write('in/a', 'a')
  write('out/b', 'b')
  git('add', '.')
  git('commit', '--quiet', '-m', 'Folders')
  const whole = await scene.take()
  git('sparse-checkout', 'set', 'in')
  const sparse = await scene.take()
  write('in/a', 'changed')
  const changed = await scene.take()
  expect(await scene.states.changes(folder, sparse.state.tree, changed.state.tree)).toMatchObject({
    files: 1,
  })
  expect(await scene.rewind(whole.state, changed.state)).toMatchObject({ outcome: 'done' })
  expect(existsSync(join(folder, 'out'))).toBe(false)
  expect(git('status', '--porcelain')).toBe('')
})

test('[FS1] a file that is cut while it is read, or cannot be read, costs the state nothing else', async () => {
  const repository = makeRepository()
  const scene = stateScene(gitMeeting('update-index', 'kill -9 $$'), repository)
  scene.write('a.txt', 'one\n')
  // git is ended by a signal once, with its lock left behind.
  mkdirSync(join(scene.privateFolder, '.states'), { recursive: true })
  const first = await scene.take()
  expect(scene.git('cat-file', 'blob', `${first.state.tree}:a.txt`)).toBe('one')
  if (process.getuid?.() !== 0) {
    scene.write('locked.txt', 'no\n')
    chmodSync(join(scene.folder, 'locked.txt'), 0)
    expect((await scene.take()).leftOut).toEqual([{ path: 'locked.txt', why: 'unreadable' }])
  }
})

test('[FS1] files that are cut all the time under git are left out by name at most, and nothing else is lost', async () => {
  const scene = stateScene()
  scene.write('steady.txt', 'steady\n')
  const busy = join(scene.folder, 'busy.bin')
  const script = `const f=require('fs');const b=Buffer.alloc(8<<20);const end=Date.now()+20000;f.writeFileSync(${JSON.stringify(busy)},b);process.stdout.write('x');while(Date.now()<end){f.writeFileSync(${JSON.stringify(busy)},b);f.truncateSync(${JSON.stringify(busy)},0)}`
  const hammer = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await new Promise((resolve) => hammer.stdout.once('data', resolve))
    for (let n = 0; n < amount(3, 10); n++) {
      scene.write('steady.txt', `steady ${n}\n`)
      const { state, leftOut } = await scene.take()
      expect(scene.git('cat-file', 'blob', `${state.tree}:steady.txt`)).toBe(`steady ${n}`)
      expect(leftOut.every(({ path }) => path === 'busy.bin')).toBe(true)
    }
  } finally {
    hammer.kill('SIGKILL')
  }
})

test('[FS1] an agent that runs git at the same time is not disturbed, and neither is the state', async () => {
  const scene = stateScene()
  const { write, git } = scene
  for (let n = 0; n < amount(2, 5); n++) {
    write(`file${n}.txt`, `${n}\n`)
    const taking = scene.take()
    git('add', '.')
    git('commit', '--quiet', '-m', `commit ${n}`)
    const { state } = await taking
    expect(git('cat-file', 'blob', `${state.tree}:file${n}.txt`)).toBe(String(n))
  }
  expect(git('status', '--porcelain')).toBe('')
})

test('[FS1] a repository with sha256 has states; a folder without git, a bare one and one whose core.worktree leads elsewhere have none', async () => {
  const repository = at(temporaryFolder())
  repository.git('init', '--quiet', '--object-format=sha256', '--initial-branch=main')
  repository.write('a.txt', 'one\n')
  repository.git('add', '.')
  repository.git('commit', '--quiet', '-m', 'Begin')
  const scene = stateScene(testGit(), repository)
  const first = await scene.take()
  expect(first.state.tree).toMatch(/^[0-9a-f]{64}$/)
  scene.write('a.txt', 'two\n')
  const second = await scene.take()
  expect(await scene.rewind(first.state, second.state)).toMatchObject({ outcome: 'done' })
  expect(readFileSync(join(repository.folder, 'a.txt'), 'utf8')).toBe('one\n')
  const states = new FileStates(testGit())
  expect(await states.take(temporaryFolder(), key)).toBe(null)
  repository.git('config', 'core.worktree', temporaryFolder())
  expect(await states.take(repository.folder, key)).toBe(null)
  repository.git('config', '--unset', 'core.worktree')
  repository.git('config', 'core.bare', 'true')
  expect(await states.take(repository.folder, key)).toBe(null)
})

test('[FS6] a fork has the files byte for byte, uncommitted ones included, and git sees them as changes to its commit', async () => {
  const scene = stateScene()
  const { git, write, folder } = scene
  git('config', 'core.autocrlf', 'true')
  write('crlf.txt', 'a\r\nb\r\n')
  git('add', '.')
  git('commit', '--quiet', '-m', 'Lines')
  write('README.md', 'changed\n')
  write('new\nline', 'untracked\n')
  rmSync(join(folder, '.gitignore'))
  const { state } = await scene.take()
  const top = join(temporaryFolder(), 'fork')
  git('worktree', 'add', '--quiet', '--no-checkout', '--detach', top, state.head)
  await scene.states.write(top, state, 'fork:1')
  expect(filesBelow(top)).toEqual(scene.files())
  expect(at(top).git('status', '--porcelain', '-z')).toBe(git('status', '--porcelain', '-z'))
  // Again, as after a crash: the same.
  renameSync(
    join(folder, '.git/worktrees/fork/index'),
    join(folder, '.git/worktrees/fork/index-before'),
  )
  writeFileSync(join(top, 'README.md'), 'half')
  await scene.states.write(top, state, 'fork:1')
  expect(filesBelow(top)).toEqual(scene.files())
})
