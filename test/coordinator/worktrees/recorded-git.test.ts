/**
 * SE20: in everything that a coordinator does with a project, no git has a directory, a
 * configuration or an index that is not ours.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { probeSandbox } from '../../../src/platform/processes/sandbox-probe.ts'
import { makeScene, runInScene } from '../../faults/escapes/scene.ts'
import { stateScene } from '../../support/file-states.ts'
import { gitWith } from '../../support/git-repository.ts'
import { sceneWith } from '../../support/git-traps.ts'
import { doEverything, everythingDone, machineFor } from '../../support/hostile-project.ts'
import { recordingGit, strayCalls, strayCallsOf } from '../../support/recording-git.ts'

test('[SE20] worktrees: looking, committing, merging, rebasing, removing', async () => {
  const scene = sceneWith([])
  const recorded = recordingGit(scene.bin)
  expect(await doEverything(scene)).toEqual(everythingDone)
  const calls = recorded.calls()
  const folders = [
    ...new Set(calls.map(({ env }) => /^(.*\/\.states)\//.exec(env['GIT_DIR'] ?? '')?.[1])),
  ]
  expect(folders).toEqual([expect.stringContaining('.states')])
  expect(strayCalls(calls, [String(folders[0])])).toEqual([])
  const commands = new Set(calls.map(({ args }) => args[0]))
  for (const command of [
    'status',
    'diff',
    'read-tree',
    'update-ref',
    'commit-tree',
    'merge-tree',
    'worktree',
    'check-attr',
    'add',
  ])
    expect(commands).toContain(command)
})

test('[SE20] file states: taken, compared, brought back, forked, dropped', async () => {
  const scene = sceneWith([])
  const recorded = recordingGit(scene.bin)
  const git = gitWith(scene.env)
  const states = stateScene(git, scene)
  const first = await states.take()
  scene.write('new/file.txt', 'new\n')
  const second = await states.take()
  await states.rewind(first.state, second.state)
  const { make } = machineFor(scene)
  await states.states.write((await make('fork')).folder, second.state, 'fork:1')
  await states.states.keepOnly(scene.folder, 'fork:1', [])
  const calls = recorded.calls()
  expect(calls.length).toBeGreaterThan(20)
  const ours = [
    ...new Set(calls.map(({ env }) => /^(.*\/\.states)\//.exec(env['GIT_DIR'] ?? '')?.[1] ?? '')),
  ]
  expect(ours.every((folder) => folder.endsWith('.states'))).toBe(true)
  expect(strayCalls(calls, ours)).toEqual([])
})

test('[SE20] sandboxes: opened, and what was committed inside taken over, without flags that hide changes', async () => {
  if (!(await probeSandbox(process.env)).works) return
  const recorded = recordingGit()
  const place = await makeScene()
  const path = process.env['PATH']
  try {
    process.env['PATH'] = `${recorded.bin}:${path}`
    const hide =
      'git update-index --assume-unchanged README.md; echo hidden >> README.md; git status --short'
    await runInScene(place, 'workplace', `echo x > x; git add x; git commit -qm inside; ${hide}`)
  } finally {
    process.env['PATH'] = path
  }
  expect(place.git(place.worktree, 'log', '-1', '--format=%s')).toBe('inside')
  expect(place.git(place.worktree, 'status', '--short')).toBe('M README.md')
  // The test's own have an identity on their command line.
  const calls = recorded.calls().filter(({ args }) => args[0] !== '-c')
  expect(calls.map(({ args }) => args[0])).toContain('index-pack')
  expect(strayCalls(calls, [join(place.data, 'worktrees/.states')])).toEqual([])
  place.close()
})

test('[SE20] the control: each way to lead git elsewhere is found', () => {
  const ours = '/data/.states'
  const env = {
    GIT_DIR: `${ours}/a`,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_INDEX_FILE: '',
    GIT_COMMON_DIR: '',
    GIT_CONFIG_SYSTEM: '',
  }
  const call = { args: ['status'], cwd: `${ours}/a`, env, by: '' }
  expect(strayCalls([call], [ours])).toEqual([])
  const stray = [
    { ...call, cwd: '/project' },
    { ...call, args: ['-C', '/project', 'status'] },
    ...Object.entries({
      GIT_DIR: '/project/.git',
      GIT_INDEX_FILE: '/project/.git/index',
      GIT_CONFIG_GLOBAL: '',
      GIT_CONFIG_NOSYSTEM: '',
      GIT_COMMON_DIR: '/x',
    }).map(([name, value]) => ({ ...call, env: { ...env, [name]: value } })),
  ]
  expect(strayCalls(stray, [ours])).toEqual(stray)
})

test('[SE20] the control: a git that Holdfast starts outside its own directories is found, one of an agent is not', () => {
  const main = '/holdfast/main.js'
  const env = { GIT_DIR: '/data/worktrees/.states/a', GIT_CONFIG_GLOBAL: '/dev/null' }
  const own = { ...env, GIT_CONFIG_NOSYSTEM: '1' }
  const started = (by: string, variables: Record<string, string>) => ({
    args: ['status'],
    cwd: variables['GIT_DIR'] ?? '/project',
    env: { GIT_COMMON_DIR: '', GIT_CONFIG_SYSTEM: '', GIT_INDEX_FILE: '', ...variables },
    by: `node${by}`,
  })
  const stray = [started(`${main}up`, {}), started(`${main}coordinator`, env)]
  const others = [
    started(`${main}up`, own),
    started(`${main}demo-acp`, {}),
    started('agent.js', {}),
  ]
  expect(strayCallsOf(main, [...others, ...stray])).toEqual(stray)
})
