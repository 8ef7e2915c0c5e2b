/** How git is run: it ends in time, with what it has started (WT1). */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Git } from '../../../src/coordinator/worktrees/git.ts'
import { until } from '../../support/coordinator-process.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { isRunning } from '../../support/script-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('[WT1] a git that does not end in time is ended with what it has started, and nobody waits for that', async () => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  execFileSync('git', ['init', '--quiet', folder])
  const pid = join(home, 'pid')
  // A filter that the person has set for the whole machine, such as one that fetches large files.
  writeFileSync(join(home, '.gitconfig'), `[filter "slow"]\n  clean = "echo $$ > ${pid}; exec sleep 600"\n`)
  writeFileSync(join(folder, '.gitattributes'), '*.txt filter=slow\n')
  writeFileSync(join(folder, 'a.txt'), 'a')
  const clock = manualClock()
  const git = new Git({ clock, env: { PATH: process.env['PATH'], HOME: home } })
  const added = git.try(folder, ['add', 'a.txt']).catch(String)
  await until(() => existsSync(pid) && readFileSync(pid, 'utf8').endsWith('\n'))
  const filter = Number(readFileSync(pid, 'utf8'))
  clock.advance(60_000)
  expect(await added).toContain('git add did not end within 60 s')
  await expect.poll(() => isRunning(filter)).toBe(false)
})

test.each(['.gitignore', 'deep/.gitattributes'])(
  '[SB10] a pipe in the place of %s holds up nobody: git is ended, and the reason names it',
  async (name) => {
    const folder = temporaryFolder()
    execFileSync('git', ['init', '--quiet', folder])
    mkdirSync(join(folder, 'deep'))
    writeFileSync(join(folder, 'deep/file'), 'x')
    execFileSync('mkfifo', [join(folder, name)])
    const clock = manualClock()
    const asked = new Git({ clock, env: process.env }).run(folder, ['add', '.'])
    clock.advance(5000)
    await expect(asked).rejects.toThrow(`${name} is a pipe`)
  },
)
