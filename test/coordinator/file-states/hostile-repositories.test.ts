/**
 * FS1, SE19: nothing that a repository names is run by states, diffs, restores and forks, and
 * nothing is fetched.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { amount } from '../../support/extent.ts'
import { stateScene } from '../../support/file-states.ts'
import { configTraps } from '../../support/git-config-traps.ts'
import { hookTraps } from '../../support/git-hook-traps.ts'
import { at, gitWith, testGit } from '../../support/git-repository.ts'
import { type Scene, sceneWith } from '../../support/git-traps.ts'
import {
  addSubmodule,
  populate,
  remoteTraps,
  submoduleTraps,
} from '../../support/git-traps-elsewhere.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Takes, compares, brings back and forks, with the traps’ programs on the PATH. */
async function everything(trapped: Scene): Promise<void> {
  const scene = stateScene(gitWith(trapped.env), trapped)
  const first = await scene.take()
  for (const { name } of [...configTraps, ...hookTraps])
    appendFileSync(join(scene.folder, `${name}.txt`), 'changed\n')
  scene.write('new/file.txt', 'new\n')
  const second = await scene.take()
  expect(
    (await scene.states.diff(scene.folder, first.state.tree, second.state.tree, null))?.text,
  ).toContain('+changed')
  const after = scene.files()
  expect(await scene.rewind(first.state, second.state)).toMatchObject({ outcome: 'done' })
  expect(await scene.rewind(second.state, first.state)).toMatchObject({ outcome: 'done' })
  expect(scene.files()).toEqual(after)
  const top = join(temporaryFolder(), 'fork')
  at(trapped.folder).git(
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'core.fsmonitor=false',
    'worktree',
    'add',
    '--quiet',
    '--no-checkout',
    '--detach',
    top,
    first.state.head,
  )
  await scene.states.write(top, second.state, 'fork:1')
  expect(await scene.states.keepOnly(scene.folder, 'fork:1', [])).not.toBe(null)
}

test('[FS1] none of what configuration, attributes and hooks name is run', async () => {
  const scene = sceneWith([...configTraps, ...hookTraps])
  await everything(scene)
  expect(scene.sprung()).toEqual([])
})

test('[FS1] submodules are not entered: they are left out and named', async () => {
  const scene = sceneWith(submoduleTraps)
  addSubmodule(scene)
  populate(scene, scene, submoduleTraps)
  expect((await stateScene(testGit(), scene).take()).leftOut).toEqual([
    { path: 'sub/', why: 'repository' },
  ])
  await everything(scene)
  expect(scene.sprung()).toEqual([])
})

/** Each of them with worktrees: test/coordinator/worktrees/git-traps.test.ts. */
const remotes = remoteTraps('http://127.0.0.1:9/x').map((trap) => [trap.name, trap] as const)

test.each(amount(remotes.slice(0, 2), remotes))(
  '[FS1] what a repository lacks is not fetched, and not needed: %s',
  async (_name, trap) => {
    const scene = sceneWith([trap])
    await everything(scene)
    expect(scene.sprung()).toEqual([])
  },
)
