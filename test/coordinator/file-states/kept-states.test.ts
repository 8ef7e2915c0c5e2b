/** FS3: states are kept from git's garbage collection, and let go when nothing needs them. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { stateRef } from '../../../src/coordinator/file-states/kept-states.ts'
import { amount } from '../../support/extent.ts'
import { key, stateScene } from '../../support/file-states.ts'
import { gitMeeting, makeRepository } from '../../support/git-repository.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('[FS3] states survive gc --prune=now, also one that comes before they are kept, and it removes no loose end', async () => {
  const repository = makeRepository()
  const gc = `cd ${repository.folder} && env -i PATH=/usr/bin:/bin git gc --quiet --prune=now`
  const steps = ['update-index', 'write-tree', 'mktree', 'update-ref']
  for (const when of amount(['write-tree', 'update-ref'], steps)) {
    const scene = stateScene(gitMeeting(when, gc), repository)
    scene.write('a/new.txt', `before ${when}\n`)
    const first = await scene.take()
    scene.write('a/new.txt', `after ${when}\n`)
    const second = await scene.take()
    execFileSync('sh', ['-c', gc])
    expect(await scene.rewind(first.state, second.state), when).toMatchObject({ outcome: 'done' })
    expect(readFileSync(join(repository.folder, 'a/new.txt'), 'utf8')).toBe(`before ${when}\n`)
  }
})

test('[FS3] a lock that a killed git left on a ref of ours is removed, and the state is kept', async () => {
  const scene = stateScene()
  scene.write('a.txt', 'one\n')
  const lock = join(scene.folder, '.git', `${stateRef(key)}.lock`)
  mkdirSync(dirname(lock), { recursive: true })
  writeFileSync(lock, '')
  const { state } = await scene.take()
  expect(existsSync(lock)).toBe(false)
  expect(scene.git('ls-tree', '--object-only', stateRef(key))).toBe(state.tree)
})

test('[FS3] a lock on all packed refs is removed when it is old, and left alone while it may be the person’s', async () => {
  const scene = stateScene()
  scene.write('a.txt', 'one\n')
  await scene.take()
  const dropAll = () => scene.states.keepOnly(scene.folder, key, [])
  await dropAll()
  const lock = join(scene.folder, '.git/packed-refs.lock')
  writeFileSync(lock, '')
  await expect(dropAll()).rejects.toThrow('packed-refs.lock')
  expect(existsSync(lock)).toBe(true)
  utimesSync(lock, 1, 1)
  expect(await dropAll()).toBe(1)
  expect(existsSync(lock)).toBe(false)
})

test('[FS3] a conversation has one ref; states that nothing needs are let go, and the newest of an index stays', async () => {
  const scene = stateScene()
  const { git, write, folder } = scene
  const taken: string[] = []
  for (let n = 0; n < 5; n++) {
    write('a.txt', `${n}\n`)
    taken.push((await scene.take()).state.tree)
  }
  expect(git('for-each-ref', '--format=%(refname)', 'refs/holdfast/states')).toBe(stateRef(key))
  // What was kept since the last time may not be recorded yet.
  expect(await scene.states.keepOnly(folder, key, [taken[2] ?? ''])).toBe(0)
  expect(await scene.states.keepOnly(folder, key, [taken[2] ?? ''])).toBe(4)
  git('gc', '--quiet', '--prune=now')
  const isThere = (tree: string) =>
    git('cat-file', '--batch-check', '--batch-all-objects').includes(tree)
  expect(taken.map(isThere)).toEqual([false, false, true, false, true])
  const gone = { tree: taken[0] ?? '', leftOut: null, head: git('rev-parse', 'HEAD') }
  expect(await scene.rewind(gone, null)).toMatchObject({ outcome: 'refused', reason: 'state_gone' })
  expect(await scene.states.keepOnly(folder, key, [])).toBe(1)
  expect(git('for-each-ref', 'refs/holdfast/states')).toBe('')
  write('a.txt', 'on\n')
  expect((await scene.take()).leftOut).toEqual([])
})

test('[FS3] the newest tree and the private index of a worktree that is gone are let go', async () => {
  const scene = stateScene()
  const { git, states, folder } = scene
  const top = join(temporaryFolder(), 'tree')
  git('worktree', 'add', '--quiet', '--detach', top)
  await scene.take()
  await states.take(top, 'web:project.other')
  const indexes = () =>
    git('for-each-ref', '--format=%(refname)', 'refs/holdfast/index').split('\n').length
  const folders = () =>
    readdirSync(join(scene.privateFolder, '.states')).filter((name) => name !== 'none').length
  expect(await states.keepOnly(folder, key, [])).toBe(0)
  expect([indexes(), folders()]).toEqual([2, 2])
  git('worktree', 'remove', top)
  await states.keepOnly(folder, key, [])
  expect([indexes(), folders()]).toEqual([1, 1])
})
