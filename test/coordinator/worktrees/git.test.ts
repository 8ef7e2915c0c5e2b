/**
 * How git is run: it ends in time, with what it has started, and one project's git holds up no
 * other (WT1, SE22).
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Git } from '../../../src/coordinator/worktrees/git.ts'
import { openRepository, Repository } from '../../../src/coordinator/worktrees/repository.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { makeRepository } from '../../support/git-repository.ts'
import { type ManualClock, manualClock } from '../../support/manual-clock.ts'
import { isRunning } from '../../support/script-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

async function opened(git: Git, folder: string): Promise<Repository> {
  const found = await openRepository(git, folder)
  if (!(found instanceof Repository)) throw new Error('no repository')
  return found
}

/** Turns the clock on; real git needs a moment to get to a pipe. */
async function secondsUntil<Value>(asked: Promise<Value>, clock: ManualClock): Promise<Value> {
  let isOver = false
  void asked.finally(() => (isOver = true))
  await expect
    .poll(
      () => {
        clock.advance(1000)
        return isOver
      },
      { timeout: 20_000, interval: 20 },
    )
    .toBe(true)
  return asked
}

const pipeAt = (file: string): void => {
  mkdirSync(join(file, '..'), { recursive: true })
  execFileSync('mkfifo', [file])
}

test('[WT1] a git that does not end in time is ended with what it has started, and nobody waits for that', async () => {
  const bin = temporaryFolder()
  const pid = join(bin, 'pid')
  const clock = manualClock()
  const real = new Git({ clock: systemClock, env: process.env, folder: temporaryFolder() })
  const { place } = await opened(real, makeRepository().folder)
  // Works all the time, so that only the end of its time counts.
  writeFileSync(join(bin, 'git'), `#!/bin/sh\nsh -c 'echo $$ > ${pid}; while :; do :; done'\n`, {
    mode: 0o755,
  })
  const git = new Git({
    clock,
    env: { PATH: `${bin}:${process.env['PATH']}` },
    folder: temporaryFolder(),
  })
  const asked = git.try(place, ['status'], { timeoutMs: 3000 }).catch(String)
  const started = (): string =>
    execFileSync('sh', ['-c', `cat ${pid} 2>/dev/null || true`], { encoding: 'utf8' })
  await expect.poll(started, { timeout: 10_000 }).toMatch(/\n/)
  const child = Number(started())
  clock.advance(3000)
  expect(await asked).toContain('git status did not finish within 3 s')
  await expect.poll(() => isRunning(child)).toBe(false)
})

test.each(['.gitignore', 'deep/.gitattributes', 'nested/.git/HEAD'])(
  '[SE22] a pipe in the place of %s holds up nobody for longer than seconds, and the reason names it',
  async (name) => {
    const { folder, write } = makeRepository()
    write('deep/file', 'x')
    const clock = manualClock()
    const repository = await opened(
      new Git({ clock, env: process.env, folder: temporaryFolder() }),
      folder,
    )
    if (name === '.gitignore') execFileSync('rm', [join(folder, name)])
    if (name.startsWith('nested')) execFileSync('git', ['init', '--quiet', join(folder, 'nested')])
    if (name.startsWith('nested')) execFileSync('rm', [join(folder, name)])
    pipeAt(join(folder, name))
    const args = name.startsWith('deep')
      ? ['check-attr', 'text', 'deep/file']
      : ['status', '--porcelain', '--untracked-files=all']
    const asked = repository.run(args).catch(String)
    expect(await secondsUntil(asked, clock)).toContain(`${name} is a pipe`)
  },
)

test('[SE22] git that waits in one project leaves the others theirs, and what is ours is read without waiting', async () => {
  const clock = manualClock()
  const git = new Git({ clock, env: process.env, folder: temporaryFolder() })
  const [stuck, other] = [makeRepository(), makeRepository()]
  const first = await opened(git, stuck.folder)
  execFileSync('rm', [join(stuck.folder, '.gitignore')])
  pipeAt(join(stuck.folder, '.gitignore'))
  const waiting = Array.from({ length: 4 }, () => first.try(['status']).catch(() => 'ended'))
  expect(await (await opened(git, other.folder)).run(['rev-parse', 'refs/heads/main'])).toMatch(
    /^[0-9a-f]{40}\n$/,
  )
  for (const name of ['HEAD', 'config', 'packed-refs', 'commondir']) {
    const { folder } = makeRepository()
    execFileSync('rm', ['-f', join(folder, '.git', name)])
    pipeAt(join(folder, '.git', name))
    // A pipe is no file, so it is as if there were none.
    expect(await openRepository(git, folder)).toMatchObject(
      name === 'HEAD' ? { why: {} } : { facts: {} },
    )
  }
  expect(await secondsUntil(Promise.all(waiting), clock)).toEqual([
    'ended',
    'ended',
    'ended',
    'ended',
  ])
})
