/**
 * SE4: nothing that a repository names is run by what Holdfast does with it, though plain git runs
 * it.
 */
import { existsSync, realpathSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { configTraps } from '../../support/git-config-traps.ts'
import { hookTraps } from '../../support/git-hook-traps.ts'
import { sceneWith, type Trap } from '../../support/git-traps.ts'
import {
  addSubmodule,
  populate,
  remoteTraps,
  type SubmoduleTrap,
  submoduleTraps,
} from '../../support/git-traps-elsewhere.ts'
import { doEverything, everythingDone, machineFor } from '../../support/hostile-project.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Asks for a password, whatever is asked of it. */
const guarded = createServer((_request, response) =>
  response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end(),
)
await new Promise<void>((resolve) => guarded.listen(0, '127.0.0.1', resolve))
afterAll(() => void guarded.close())
const remotes = remoteTraps(`http://127.0.0.1:${(guarded.address() as AddressInfo).port}/x`)

function sceneWithSubmodule(traps: readonly SubmoduleTrap[]) {
  const scene = sceneWith(traps)
  addSubmodule(scene)
  populate(scene, scene, traps)
  return scene
}

const named = <T extends Trap>(traps: readonly T[]) =>
  traps.filter(({ control }) => control).map((trap) => [trap.name, trap] as const)

test('[SE19] the catalogue has what a repository can name, each with its control or why there is none', () => {
  const all = [...configTraps, ...hookTraps, ...remotes, ...submoduleTraps]
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  expect(all.filter(({ control }) => control).length).toBeGreaterThan(60)
  expect(all.filter(({ control, cannot }) => Boolean(control) === Boolean(cannot))).toEqual([])
})

test.each(named([...configTraps, ...hookTraps, ...remotes]))(
  '[SE19] control: plain git runs %s',
  async (name, trap) => {
    const scene = sceneWith([trap])
    let said = ''
    for (const command of trap.control ?? []) said += await scene.bare(command)
    expect(scene.sprung(), said).toContain(name)
  },
)

test.each(named(submoduleTraps))('[SE19] control: plain git runs %s', async (name, trap) => {
  const scene = sceneWithSubmodule([trap])
  let said = ''
  for (const command of trap.control ?? []) said += await scene.bare(command)
  expect(scene.sprung(), said).toContain(name)
})

test('[SE19] none of what configuration, attributes and hooks name is run by anything that Holdfast does', async () => {
  const scene = sceneWith([...configTraps, ...hookTraps])
  const done = await doEverything(scene)
  expect(scene.sprung()).toEqual([])
  expect(done).toEqual(everythingDone)
})

test.each(named(remotes))(
  '[SE19] what a repository lacks is not fetched: %s',
  async (_name, trap) => {
    const scene = sceneWith([trap])
    await expect(machineFor(scene).make('auth')).rejects.toThrow(
      /lacking\.txt|unable to read|could not fetch/,
    )
    expect(scene.sprung()).toEqual([])
  },
)

test('[SE19] submodules are looked into without anything of theirs being run, and what would be lost in them is seen', async () => {
  const scene = sceneWithSubmodule(submoduleTraps)
  const done = await doEverything(scene, {
    prepare: (tree) => populate(tree, scene, submoduleTraps),
    spoil: ({ write }) => {
      write('sub/s.txt', 'changed\n')
      write('sub/nested/new.txt', 'new\n')
    },
  })
  expect(scene.sprung()).toEqual([])
  const losses = ['more.txt', 'sub']
  expect({ ...done, losses: (done['losses'] as string[]).toSorted() }).toEqual({
    ...everythingDone,
    losses,
  })
})

test('[SE19] a repository whose core.worktree leads elsewhere is not opened, and nothing is written there', async () => {
  const scene = sceneWith([])
  const elsewhere = realpathSync(temporaryFolder())
  const { make, ask } = machineFor(scene)
  const tree = await make('auth')
  tree.write('.profile', 'evil')
  await ask({ kind: 'worktree-commit', top: tree.folder, message: 'Work' })
  // Nothing of it is checked out, so that nothing seems to be changed there.
  scene.git('config', 'core.worktree', elsewhere)
  scene.git('reset', '--quiet', '--hard')
  const into = {
    kind: 'worktree-merge',
    top: tree.folder,
    target: 'main',
    how: 'merge',
    message: 'In',
  } as const
  expect(await ask(into)).toMatchObject({ outcome: 'refused', reason: 'git_refused' })
  expect(existsSync(join(elsewhere, '.profile'))).toBe(false)
  await expect(make('second')).rejects.toThrow('its core.worktree points elsewhere')
})
