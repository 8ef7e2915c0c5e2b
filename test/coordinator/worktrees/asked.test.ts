/**
 * What a coordinator answers when it is asked about worktrees: hostile names, places that are not
 * ours, and removals that meet an agent (WT3, SE5).
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CoordinatorRequests } from '../../../src/coordinator/coordinator-requests.ts'
import { FileStates } from '../../../src/coordinator/file-states/file-states.ts'
import type { NewFact } from '../../../src/coordinator/spool.ts'
import { answerRequest } from '../../../src/coordinator/worktrees/answer-request.ts'
import { makeWorkspace } from '../../../src/coordinator/worktrees/make-workspace.ts'
import { Occupancy } from '../../../src/coordinator/worktrees/occupancy.ts'
import { removeWorktree } from '../../../src/coordinator/worktrees/remove-worktree.ts'
import { openWorktree } from '../../../src/coordinator/worktrees/repository.ts'
import { DetailError } from '../../../src/domain/notices.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import type {
  CoordinatorAnswer,
  CoordinatorRequest,
} from '../../../src/protocol/processes/coordinator-requests.ts'
import { nowhere } from '../../services/agent-sessions/agent-office.ts'
import { at, makeRepository, testGit } from '../../support/git-repository.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

async function machineWithTree() {
  const git = testGit()
  const worktreesFolder = realpathSync(temporaryFolder())
  const occupancy = new Occupancy()
  const root = join(worktreesFolder, 'proj_1', '1c55ab10')
  mkdirSync(root, { recursive: true })
  const project = makeRepository()
  const wanted = {
    projectFolder: project.folder,
    root,
    workspace: 'auth',
    userSessionShort: '1c55ab10',
    role: 'auth',
  }
  const made = await makeWorkspace(git, wanted)
  if (made.kind !== 'worktree') throw new DetailError(made.why)
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects
  const ask = async (asked: CoordinatorRequest): Promise<any> =>
    answerRequest(
      { git, worktreesFolder, occupancy, clock: systemClock, fileStates: new FileStates(git) },
      asked,
    )
  return { git, ask, root, worktreesFolder, occupancy, project, top: made.top, tree: at(made.top) }
}

test('[WT2] names with line ends, quotes, dashes and bytes that are no text are shown, diffed, committed and in the patch', async () => {
  const { ask, top, tree, project } = await machineWithTree()
  const names = ['-rf', 'a\nb.txt', `it's "quoted".txt`, ':(top)x', '*.txt', '日本.txt']
  for (const name of names) tree.write(name, `in ${name}\n`)
  const bytes = Buffer.concat([
    Buffer.from(`${top}/bad-`),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('.txt'),
  ])
  writeFileSync(bytes, 'in bytes\n')
  const { value: state } = await ask({ kind: 'worktree-state', top })
  const shown = state.files.map(({ path }: { path: string }) => path)
  expect(shown.toSorted()).toEqual([...names, 'bad-\\xff\\xfe.txt'].toSorted())
  for (const path of shown) {
    const { value } = await ask({ kind: 'worktree-diff', top, path })
    const said = path.startsWith('bad-') ? '+in bytes' : `+in ${path.split('\n')[0]}`
    expect(value.text.split('\n'), path).toContain(said)
    expect(value.text.match(/^diff --git/gm)?.length, path).toBe(1)
  }
  const { value: patch } = await ask({ kind: 'worktree-patch', top })
  const file = join(temporaryFolder(), 'work.patch')
  writeFileSync(file, Buffer.from(patch.base64, 'base64'))
  project.git('apply', file)
  expect(
    project.git('status', '--porcelain', '-z', '--untracked-files=all').split('\0').filter(Boolean)
      .length,
  ).toBe(7)
  expect(await ask({ kind: 'worktree-commit', top, message: 'All of it' })).toMatchObject({
    ok: true,
    value: { files: 7 },
  })
})

test('[WT3] a file whose name is no text is guarded like any other: worked on since, it is asked for anew', async () => {
  const { ask, top } = await machineWithTree()
  const name = Buffer.concat([Buffer.from(`${top}/bad-`), Buffer.from([0xff])])
  writeFileSync(name, 'one')
  const { value: losses } = await ask({ kind: 'worktree-losses', top })
  writeFileSync(name, 'one and more')
  const place = { kind: 'worktree', top } as const
  expect(await ask({ kind: 'worktree-remove', place, confirmed: losses.digest })).toMatchObject({
    value: { outcome: 'would_lose' },
  })
  expect(existsSync(name)).toBe(true)
})

test('[SE5] a folder that is not below ours, leads out of it, or is no worktree of ours is not touched, whoever asks', async () => {
  const { ask, root, worktreesFolder, project } = await machineWithTree()
  const outside = temporaryFolder()
  const theirs = join(root, 'theirs')
  project.git('worktree', 'add', '--quiet', '-b', 'mine', theirs)
  symlinkSync(outside, join(root, 'link'))
  const places = [
    outside,
    project.folder,
    worktreesFolder,
    root,
    join(root, '..'),
    join(root, 'link'),
    `${root}/auth/../auth`,
    theirs,
  ]
  for (const top of places) {
    for (const kind of ['worktree', 'plain'] as const) {
      const answer = await ask({ kind: 'worktree-remove', place: { kind, top }, confirmed: null })
      const isKept = answer.ok === false || answer.value.outcome === 'refused'
      expect([top, isKept]).toEqual([top, true])
    }
    expect((await ask({ kind: 'worktree-diff', top, path: null })).ok, top).toBe(false)
    expect(existsSync(top)).toBe(true)
  }
  expect(await ask({ kind: 'worktree-state', top: join(root, 'nowhere') })).toMatchObject({
    ok: false,
    reason: 'gone',
  })
})

test('[WT3] a process that comes while the losses are looked at keeps the tree; an agent that comes during a removal waits for it', async () => {
  const { git, root, top, ask, occupancy } = await machineWithTree()
  let looks = 0
  const processesIn = async (): Promise<number[]> => (++looks > 1 ? [4711] : [])
  expect(await removeWorktree(await openWorktree(git, top), { root, processesIn })).toMatchObject({
    reason: 'in_use',
  })
  expect(existsSync(top)).toBe(true)
  const gate = Promise.withResolvers<string>()
  const removal = occupancy.remove(root, top, () => gate.promise)
  let hasCome = false
  const arrival = occupancy.enter(
    'launch',
    root,
    async () => {
      hasCome = true
      return top
    },
    String,
  )
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasCome).toBe(false)
  gate.resolve('removed')
  expect(await removal).toBe('removed')
  await arrival
  expect([hasCome, occupancy.isOccupied(top)]).toEqual([true, true])
  expect(
    await ask({ kind: 'worktree-remove', place: { kind: 'worktree', top }, confirmed: null }),
  ).toMatchObject({
    value: { outcome: 'refused', reason: 'in_use' },
  })
})

test('[WT3] an agent that was given up before its place was made does not occupy it', async () => {
  const { root, top, ask, occupancy } = await machineWithTree()
  const gate = Promise.withResolvers<string>()
  const arrival = occupancy.enter('late', root, () => gate.promise, String)
  occupancy.leave('late')
  gate.resolve(top)
  await arrival
  expect(occupancy.isOccupied(top)).toBe(false)
  expect(
    await ask({ kind: 'worktree-remove', place: { kind: 'worktree', top }, confirmed: null }),
  ).toMatchObject({
    value: { outcome: 'removed' },
  })
})

test('[WT6] the command that is offered does what it says, in a shell', async () => {
  const { ask, top, tree, project } = await machineWithTree()
  tree.write('x.txt', 'x')
  await ask({ kind: 'worktree-commit', top, message: 'x' })
  const { value } = await ask({ kind: 'worktree-state', top })
  execFileSync('sh', ['-c', value.command], { cwd: project.folder, stdio: 'pipe' })
  expect(project.git('log', '-1', '--format=%s')).toBe('x')
})

test('[WT2] an answer that takes many messages is cut between characters, so that each can be kept as it is', async () => {
  for (const before of ['', ' ']) {
    const answer: CoordinatorAnswer = { ok: true, value: before + '𝄞'.repeat(100_000) }
    const received: string[] = []
    const report = (fact: NewFact) =>
      void (fact.type === 'question-answered' && received.push(fact.text))
    new CoordinatorRequests({ answer: async () => answer, report, logger: nowhere }).handle({
      questionId: 'q',
      ask: { kind: 'worktree-diff', top: '/', path: null },
    })
    await expect.poll(() => received.length).toBeGreaterThan(3)
    expect(received.every((text) => text.isWellFormed())).toBe(true)
    expect(JSON.parse(received.join(''))).toEqual(answer)
  }
})
