/**
 * What an agent leaves in its workplace for those that come after it: the next process, git
 * outside, and the coordinator. With real processes and git. Where this machine can run no sandbox,
 * only what needs none is tested.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openRepository } from '../../../src/coordinator/worktrees/repository.ts'
import { isPlainIndex } from '../../../src/coordinator/worktrees/staged-entries.ts'
import { probeSandbox } from '../../../src/platform/processes/sandbox-probe.ts'
import { makeScene, type RunOptions, runInScene, type Scene } from '../../faults/escapes/scene.ts'
import { gitWith } from '../../support/git-repository.ts'

const { works, problem } = await probeSandbox(process.env)
if (!works)
  process.stderr.write(`no sandbox on this machine, so nothing is tested inside: ${problem}\n`)
const identity =
  'export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b'

async function scene(): Promise<Scene> {
  const made = await makeScene()
  onTestFinished(() => made.close())
  return made
}

/** What it said, or why it was not started. */
const said = (place: Scene, script: string, options: RunOptions = {}): Promise<string> =>
  runInScene(place, 'workplace', script, options).then(
    ({ output }) => output,
    (error: Error) => `not started: ${error.message}`,
  )

function folderIn({ root }: Scene, name: string): string {
  const folder = join(root, name)
  mkdirSync(folder)
  return folder
}

/** An index with these names, as git writes it. */
function indexOf(names: readonly string[], id: string, mode = 0o100644): Buffer {
  const entries = names.map((name) => {
    const length = 62 + name.length
    const entry = Buffer.alloc(length + 8 - (length % 8))
    entry.writeUInt32BE(mode, 24)
    entry.write(id, 40, 'hex')
    entry.writeUInt16BE(name.length, 60)
    entry.write(name, 62, 'latin1')
    return entry
  })
  const header = Buffer.from('DIRC\0\0\0\x02\0\0\0\0')
  header.writeUInt32BE(names.length, 8)
  const text = Buffer.concat([header, ...entries])
  return Buffer.concat([text, createHash('sha1').update(text).digest()])
}

test('[SB10] a repository that an agent has made in a folder without one leads the next process nowhere else', async () => {
  if (!works) return
  const place = await scene()
  const init = `${identity}; git init -q; echo x > x; git add x; git commit -qm x`
  const tricks: Record<string, (s: Scene) => string> = {
    'borrowed objects': ({ home }) => `${init}; echo ${home}/.ssh > .git/objects/info/alternates`,
    'a link for its objects': ({ home }) =>
      `${init}; mv .git/objects o; ln -s ${home}/.ssh .git/objects`,
    'a link for its hooks': ({ home }) =>
      `${init}; rm -r .git/hooks; ln -s ${home}/.ssh .git/hooks`,
    'the repository of others': ({ repository }) => `echo "gitdir: ${repository}/.git" > .git`,
    'a link to the repository of others': ({ repository }) => `ln -s ${repository}/.git .git`,
    'the common folder of others': ({ repository }) =>
      `${init}; echo ${repository}/.git > .git/commondir`,
  }
  const looks = `cat ${place.home}/.ssh/id_rsa .git/hooks/id_rsa /run/holdfast/objects/id_rsa; git show HEAD:README.md; true`
  for (const [name, trick] of Object.entries(tricks)) {
    const folder = folderIn(place, name.replaceAll(' ', '-'))
    await said(place, trick(place), { folder })
    const output = await said(place, looks, { folder })
    expect([name, output]).toEqual([name, expect.not.stringMatching(`${place.secret}|hello`)])
    const opened = await openRepository(gitWith(process.env), folder)
    if (/others/.test(name)) expect([name, opened]).toMatchObject([name, { why: {} }])
  }
  expect(place.git(place.repository, 'worktree', 'list').split('\n')).toHaveLength(3)
})

test('[SB10] worktrees, submodules and a repository that names its folder are opened, those of others are not', async () => {
  const place = await scene()
  const git = gitWith(process.env)
  const apart = folderIn(place, 'apart')
  place.git(apart, 'init', '-q', '--separate-git-dir', join(place.root, 'apart.git'))
  place.git(apart, 'commit', '-q', '--allow-empty', '-m', 'x')
  expect(await openRepository(git, apart)).toMatchObject({
    why: { notice: { code: 'repositoryElsewhere' } },
  })
  place.git(apart, 'config', 'core.worktree', apart)
  place.git(
    place.repository,
    '-c',
    'protocol.file.allow=always',
    'submodule',
    '--quiet',
    'add',
    apart,
    'sub',
  )
  for (const folder of [apart, join(place.repository, 'sub'), place.worktree, place.repository])
    expect(await openRepository(git, folder)).toMatchObject({ facts: { top: folder } })
})

test('[SB10] an index whose names lead out is not taken over; the next process begins with the one outside', async () => {
  const place = await scene()
  const id = place.git(place.repository, 'rev-parse', 'HEAD:README.md')
  const own = join(place.repository, '.git/worktrees/a/index')
  const before = readFileSync(own)
  for (const name of ['../out', 'a/../../out', '.git/config', 'a//b', '/out', 'a/.GIT/x'])
    expect([name, isPlainIndex(indexOf([name], id), 20)]).toEqual([name, false])
  expect(isPlainIndex(indexOf(['README.md', 'a/..b/c...'], id), 20)).toBe(true)
  expect(isPlainIndex(indexOf(['a'], id, 0o040000), 20)).toBe(false)
  expect(isPlainIndex(indexOf(['README.md'], id).subarray(0, -1), 20)).toBe(false)
  if (!works) return
  writeFileSync(join(place.worktree, 'forged'), indexOf(['../out', 'README.md'], id))
  const forged = await said(place, `cat forged > ${own}; git ls-files`)
  for (const words of ['../out\n', 'names outside the workplace']) expect(forged).toContain(words)
  expect(readFileSync(own).equals(before)).toBe(true)
  expect(
    await said(place, 'git ls-files; echo new > new; git add new; git status --short'),
  ).toMatch(/^README.md\n.*A {2}new/s)
  expect(place.git(place.worktree, 'status', '--short')).toContain('A  new')
})

test('[SB10] every form of index that git writes is taken over', async () => {
  const place = await scene()
  const folder = join(place.worktree, 'many')
  mkdirSync(folder)
  for (let n = 0; n < 300; n++) writeFileSync(join(folder, `file-${n}`), String(n))
  const git = (...args: string[]) => place.git(place.worktree, ...args)
  git('add', '.')
  git('update-index', '--skip-worktree', 'README.md')
  const index = join(place.repository, '.git/worktrees/a/index')
  const version = () => readFileSync(index).readUInt32BE(4)
  expect([version(), isPlainIndex(readFileSync(index), 20)]).toEqual([3, true])
  const threads = [
    '-c',
    'index.threads=4',
    '-c',
    'index.recordOffsetTable=true',
    '-c',
    'index.recordEndOfIndexEntries=true',
  ]
  for (const wanted of ['2', '4']) {
    git('update-index', '--no-skip-worktree', 'README.md')
    git(...threads, 'update-index', '--index-version', wanted, '--force-write-index')
    const bytes = readFileSync(index)
    expect([version(), bytes.includes('EOIE'), isPlainIndex(bytes, 20)]).toEqual([
      Number(wanted),
      true,
      true,
    ])
    const at = bytes.lastIndexOf('EOIE') + 8
    bytes.writeUInt32BE(bytes.readUInt32BE(at) - 8, at)
    expect(isPlainIndex(bytes, 20)).toBe(false)
  }
  git('update-index', '--split-index')
  expect(isPlainIndex(readFileSync(index), 20)).toBe(false)
  const other = folderIn(place, 'sha256')
  place.git(other, 'init', '-q', '--object-format=sha256')
  place.git(other, '-c', 'core.untrackedCache=true', 'add', '.')
  writeFileSync(join(other, 'a'), 'a')
  place.git(other, 'add', '.')
  expect([
    isPlainIndex(readFileSync(join(other, '.git/index')), 32),
    isPlainIndex(Buffer.of(), 20),
  ]).toEqual([true, false])
})

test('[SB10] an agent whose branch was moved by others, or whose repository is damaged, starts again, and nothing is lost', async () => {
  if (!works) return
  const place = await scene()
  const ready = join(place.worktree, 'ready')
  const commits = said(
    place,
    'echo x > x; git add x; git commit -qm inside; touch ready; while [ -e ready ]; do sleep 0.05; done',
  )
  while (!existsSync(ready)) await new Promise((resolve) => setImmediate(resolve))
  place.git(place.worktree, 'commit', '-q', '--allow-empty', '-m', 'outside')
  rmSync(ready)
  expect(await commits).toMatch(/are on holdfast\/kept\//)
  const log = 'git log --format=%s'
  expect(await said(place, log)).toBe('outside\nfirst\n')
  expect(place.git(place.repository, 'log', '--format=%s', '--branches=holdfast/kept/*')).toBe(
    'inside\nfirst',
  )
  const ref = join(place.repository, '.git/refs/heads/holdfast/u/a')
  expect(await said(place, `echo ${'1'.repeat(40)} > ${ref}`)).toContain('cannot be read')
  const [, left = ''] =
    /What it had in its repository is in (\S+)\]\noutside\nfirst\n/.exec(await said(place, log)) ??
    []
  expect(readFileSync(join(left, 'refs/a'), 'utf8')).toMatch(/^1+\n$/)
  expect(await said(place, log)).toBe('outside\nfirst\n')
})

test('[SB10] a link shows nothing: as the workplace, an allowed folder, the agent’s program, or on the way to the data folder', async () => {
  if (!works) return
  const place = await scene()
  const { home, root, data, secret } = place
  const link = (target: string, path: string): string => {
    symlinkSync(target, path)
    return path
  }
  const ssh = join(home, '.ssh')
  const workplace = link(ssh, join(root, 'workplace'))
  expect(await said(place, 'cat id_rsa', { folder: workplace })).toMatch(
    /not started: .* is a link to/,
  )
  const allowed = link(ssh, join(place.worktree, 'docs'))
  const other = link(ssh, join(root, 'other'))
  const allow = { folders: [allowed, other], hosts: [] }
  expect(await said(place, `cat docs/id_rsa ${other}/id_rsa; echo over`, { allow })).not.toContain(
    secret,
  )
  const tool = folderIn(place, 'tool')
  mkdirSync(join(tool, 'bin'))
  writeFileSync(join(tool, 'key'), secret)
  writeFileSync(join(tool, 'bin/run'), '#!/bin/sh\nexec /bin/sh "$@"\n', { mode: 0o755 })
  const command = link(join(tool, 'bin/run'), join(place.worktree, 'run'))
  expect(await said(place, `cat ${tool}/key`, { command })).not.toContain(secret)
  const elsewhere = folderIn(place, 'shown')
  execFileSync('mv', [data, join(elsewhere, 'data')])
  link(join(elsewhere, 'data'), data)
  place.git(place.repository, 'worktree', 'repair', join(elsewhere, 'data/worktrees/p/u/a'))
  const where = {
    folder: join(elsewhere, 'data/worktrees/p/u/a'),
    allow: { folders: [elsewhere], hosts: [] },
  }
  const output = await said(
    place,
    `ls; cat ${data}/secrets/owner-token ${elsewhere}/data/secrets/owner-token`,
    where,
  )
  expect(output).toContain('README.md')
  expect(output).not.toContain(secret)
})
