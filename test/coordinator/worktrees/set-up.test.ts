import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openRepository, Repository } from '../../../src/coordinator/worktrees/repository.ts'
import {
  copyIgnored,
  runSetUp,
  type SetUpCommand,
} from '../../../src/coordinator/worktrees/set-up.ts'
import { DetailError, textOf } from '../../../src/domain/notices.ts'
import { isAlive } from '../../../src/platform/files/run-file.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { until } from '../../support/coordinator-process.ts'
import { testGit } from '../../support/git-repository.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { projectWithWorktree } from '../../support/our-worktree.ts'
import { isRunning } from '../../support/script-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('[WT5] ignored files are copied from the project, each that is not with its reason', async () => {
  const { project, tree } = await projectWithWorktree()
  project.write('.env', 'KEY=1')
  chmodSync(join(project.folder, '.env'), 0o600)
  project.write('node_modules/own/own.cfg', 'x')
  project.write('plain.txt', 'x')
  mkdirSync(join(project.folder, 'node_modules/folder'))
  symlinkSync('/etc', join(project.folder, 'outside'))
  const repository = await openRepository(testGit(), tree.folder)
  if (!(repository instanceof Repository)) throw new DetailError(repository.why)
  const named = [
    '.env',
    'node_modules/own/own.cfg',
    'plain.txt',
    'README.md',
    'none',
    'node_modules/folder',
    '../x',
    'outside/hostname',
  ]
  const { copied, left } = await copyIgnored(project.folder, repository, named)
  expect({ copied, left: left.map(({ path, why }) => ({ path, why: textOf(why) })) }).toEqual({
    copied: ['.env', 'node_modules/own/own.cfg'],
    left: [
      { path: 'plain.txt', why: 'git does not ignore it' },
      { path: 'README.md', why: 'it already exists' },
      { path: 'none', why: 'it is not in the project’s folder' },
      { path: 'node_modules/folder', why: 'it is not a file' },
      { path: '../x', why: 'The path must not lead upwards.' },
      { path: 'outside/hostname', why: 'The path leads out of its folder.' },
    ],
  })
  expect(readFileSync(join(tree.folder, '.env'), 'utf8')).toBe('KEY=1')
  expect(statSync(join(tree.folder, '.env')).mode & 0o777).toBe(0o600)
  expect(tree.git('status', '--porcelain')).toBe('')
})

const command = (script: string, extra: Partial<SetUpCommand> = {}): SetUpCommand => ({
  argv: [process.execPath, '-e', script],
  folder: temporaryFolder(),
  env: { PATH: process.env['PATH'] ?? '' },
  clock: systemClock,
  onOutput: () => {},
  ...extra,
})

test('[WT5] the set-up command runs without a shell, and its output and end are told', async () => {
  const heard: string[] = []
  const onOutput = (text: string): void => void heard.push(text)
  const done = await runSetUp(
    command('', {
      onOutput,
      argv: [process.execPath, '-e', 'console.log(process.argv[1])', '$HOME;`id`'],
    }),
  )
  expect(done).toEqual({ outcome: 'done', exitCode: 0, output: '$HOME;`id`\n' })
  expect(heard.join('')).toBe('$HOME;`id`\n')
  expect(await runSetUp(command('console.error("no"); process.exit(3)'))).toEqual({
    outcome: 'failed',
    exitCode: 3,
    output: 'no\n',
  })
  expect(await runSetUp(command('', { argv: ['no-such-program-anywhere'] }))).toMatchObject({
    outcome: 'not_found',
  })
  expect((await runSetUp(command('process.stdout.write("x".repeat(1e6))'))).output.length).toBe(
    64 * 1024,
  )
})

test('[WT5] a set-up that does not end, or is not wanted any more, is ended with all it has started', async () => {
  const script = `const { spawn } = require('node:child_process')
    const { pid } = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'])
    require('node:fs').writeFileSync('pid', String(pid) + '\\n')
    setTimeout(() => {}, 60000)`
  const clock = manualClock()
  const stop = new AbortController()
  for (const [extra, end, outcome] of [
    [{ clock }, () => clock.advance(15 * 60_000), 'timeout'],
    [{ signal: stop.signal }, () => stop.abort(), 'stopped'],
  ] as const) {
    const folder = temporaryFolder()
    const running = runSetUp(command(script, { ...extra, folder }))
    const written = (): string =>
      existsSync(join(folder, 'pid')) ? readFileSync(join(folder, 'pid'), 'utf8') : ''
    await until(async () => written().endsWith('\n'))
    expect(isRunning(Number(written()))).toBe(true)
    end()
    expect(await running).toMatchObject({ outcome })
    await expect.poll(() => isRunning(Number(written()))).toBe(false)
  }
})

test('[WT5] what a set-up leaves in the background, holding its output open, is not waited for, nor when it is to be stopped', async () => {
  const left = `const { spawn } = require('node:child_process')
    const { pid } = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { detached: true, stdio: 'inherit' })
    console.log(pid)`
  const done = await runSetUp(command(`${left}; process.exit(0)`))
  onTestFinished(() => void process.kill(Number(done.output)))
  expect([done.outcome, isAlive({ pid: Number(done.output) })]).toEqual(['done', true])
  const stop = new AbortController()
  const onOutput = (): void => stop.abort()
  const stopped = await runSetUp(
    command(`${left}; setTimeout(() => {}, 60000)`, { onOutput, signal: stop.signal }),
  )
  onTestFinished(() => void process.kill(Number(stopped.output)))
  expect(stopped.outcome).toBe('stopped')
})
