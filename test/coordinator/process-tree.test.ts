/** Ending everything of a launch and nothing else, with real processes. */
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { graceMs, limitMs, ProcessTable, ProcessTree } from '../../src/coordinator/process-tree.ts'
import type { LaunchMark } from '../../src/platform/processes/launch-mark.ts'
import type { ProcessSource } from '../../src/platform/processes/processes.ts'
import { linuxProcesses } from '../../src/platform/processes/processes-linux.ts'
import { psProcesses } from '../../src/platform/processes/processes-ps.ts'
import { startScript } from '../support/real-processes.ts'
import { isRunning, machine } from '../support/script-process.ts'

let launches = 0
const newMark = (folderId = 'keeper-of-this-test'): LaunchMark => ({
  launchId: `launch-${process.pid}-${++launches}`,
  folderId,
})
const table = new ProcessTable(machine)
const allEnded = (pids: readonly number[]): boolean => !pids.some(isRunning)

/** A child, an orphan, one in a group of its own, one that ignores the request, with a child. */
const relatives = `
  sleep 1000 & echo $!
  (sleep 1000 & echo $!)
  setsid sh -c 'echo $$; exec sleep 1000' &
  sh -c 'trap "" TERM; echo $$; sh -c "echo \\$\\$; exec sleep 1000" & wait' &`
/** And one in a group of its own that has thrown its environment away. */
const family = `${relatives}
  setsid env -i sh -c 'echo $$; exec sleep 1000' &
  wait`

const sources: [name: string, source: ProcessSource][] = [['ps', psProcesses]]
if (process.platform === 'linux') sources.push(['/proc', linuxProcesses])

describe.each(sources)('processes from %s', (_, source) => {
  test('[CO5] children, orphans, those of a group of their own and those without the mark all go with the launch', async () => {
    const mark = newMark()
    const root = await startScript(family, { mark, lines: 6 })
    const list = await source.list()
    const birth = source.birthOf(root.pid) ?? ''
    const members = new ProcessTree(mark, { pid: root.pid, birth }).membersIn(list)
    expect(members.map(({ pid }) => pid)).toEqual(
      expect.arrayContaining([root.pid, ...root.printed]),
    )
    const left = await new ProcessTree(mark, { pid: root.pid, birth }).end(
      new ProcessTable(source),
      { graceMs: 300 },
    )
    expect(left).toEqual([])
    expect(allEnded([root.pid, ...root.printed])).toBe(true)
  })

  test('[CO5] a process that only looks like a leftover is left alone: its words, its mark in the arguments, the mark of another, a launch of our own', async () => {
    const mark = newMark()
    const script = 'echo ready; exec sleep 1000'
    const root = await startScript(script, { mark })
    const lookAlikes = [
      await startScript(script, { bare: true }),
      await startScript(script, {
        args: [`HOLDFAST_LAUNCH_ID=${mark.launchId}`, `HOLDFAST_LAUNCH_KEEPER=${mark.folderId}`],
      }),
      await startScript(script, { mark: { ...mark, folderId: 'somebody-else' } }),
      await startScript(script, { mark: newMark() }),
    ]
    await new ProcessTree(mark, { pid: root.pid, birth: source.birthOf(root.pid) ?? '' }).end(
      new ProcessTable(source),
    )
    expect(isRunning(root.pid)).toBe(false)
    expect(lookAlikes.map(({ pid }) => isRunning(pid))).toEqual([true, true, true, true])
  })
})

test('[CO5] a mark is found behind however many variables', async () => {
  const { launchId, folderId } = newMark()
  const variables = `PATH=$PATH A=$many B=$many C=$many HOLDFAST_LAUNCH_ID=${launchId} HOLDFAST_LAUNCH_KEEPER=${folderId}`
  const script = `many=$(printf %0100000d 0); exec env -i ${variables} sh -c 'echo $$; exec sleep 1000'`
  const { pid } = await startScript(script)
  // A process has no environment while it becomes another program, as this one does right behind
  // its word.
  await expect
    .poll(async () => (await machine.list()).find((each) => each.pid === pid)?.mark)
    .toEqual({ launchId, folderId })
})

test('[CO5] a number that somebody else has now is not signalled, nor is the group of that name', async () => {
  const bystander = await startScript('sleep 1000 & echo $!; wait')
  const recycled = new ProcessTree(newMark(), { pid: bystander.pid, birth: '1' })
  expect(await recycled.end(table)).toEqual([])
  expect([bystander.pid, ...bystander.printed].map(isRunning)).toEqual([true, true])
})

test('[CO5] what is left of a launch is found by its mark alone, when nobody knows what was started', async () => {
  const mark = newMark()
  const root = await startScript(`${relatives} wait`, { mark, lines: 5 })
  process.kill(root.pid, 'SIGKILL')
  await new Promise((resolve) => root.child.once('exit', resolve))
  expect(await new ProcessTree(mark).end(table, { graceMs: 0 })).toEqual([])
  expect(allEnded(root.printed)).toBe(true)
})

test('[CO5] who goes when asked is not killed, and who does not is, after the grace', async () => {
  const polite = newMark()
  const root = await startScript('trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done', {
    mark: polite,
  })
  const exit = new Promise((resolve) => root.child.once('exit', (code) => resolve(code)))
  await new ProcessTree(polite, root).end(table)
  expect(await exit).toBe(7)

  const stubborn = newMark()
  const other = await startScript('trap "" TERM; echo ready; while :; do sleep 0.05; done', {
    mark: stubborn,
  })
  const killed = new Promise((resolve) => other.child.once('exit', (_, signal) => resolve(signal)))
  const times = [0, graceMs - 1, graceMs]
  await new ProcessTree(stubborn, other).end(table, { now: () => times.shift() ?? graceMs })
  expect(await killed).toBe('SIGKILL')
})

test('[CO5] an end that cannot be reached is given up after ten seconds, and says what is left', async () => {
  const mark = newMark()
  const root = await startScript('trap "" TERM; echo ready; while :; do sleep 0.05; done', { mark })
  const times = [0, 1, limitMs]
  const left = await new ProcessTree(mark, root).end(table, { now: () => times.shift() ?? limitMs })
  expect(left.map(({ pid }) => pid)).toContain(root.pid)
})

test('[CO5] a look at the machine that fails is taken again: what has to end ends all the same', async () => {
  const mark = newMark()
  const root = await startScript('echo ready; exec sleep 1000', { mark })
  let looks = 0
  const list: ProcessSource['list'] = async () => {
    if (++looks === 1) throw new Error('EAGAIN')
    return machine.list()
  }
  expect(await new ProcessTree(mark, root).end(new ProcessTable({ ...machine, list }))).toEqual([])
  expect(isRunning(root.pid)).toBe(false)
})

test('[CO5] to hurry takes the grace from an end that is under way', async () => {
  const mark = newMark()
  const root = await startScript('trap "" TERM; echo ready; while :; do sleep 0.05; done', { mark })
  const tree = new ProcessTree(mark, root)
  const ended = tree.end(table)
  tree.skipGrace()
  expect(await ended).toEqual([])
})

test('[CO2] many who wait for an end share the looks at the machine', async () => {
  let looks = 0
  const list: ProcessSource['list'] = () => {
    looks++
    return machine.list()
  }
  const counting = new ProcessTable({ ...machine, list })
  await Promise.all(Array.from({ length: 20 }, () => counting.list()))
  expect(looks).toBe(2)
})

test('[SB10] everything of a launch is stopped for a while, also what it keeps starting, and goes on afterwards', async () => {
  const mark = newMark()
  // In a subshell: a shell that starts a program itself waits within vfork, and is never seen as
  // stopped when its child is.
  const root = await startScript('sleep 1000 & echo $!; while :; do (exec /bin/true); done', {
    mark,
    lines: 1,
  })
  const tree = new ProcessTree(mark, { pid: root.pid, birth: machine.birthOf(root.pid) ?? '' })
  const states = () =>
    [root.pid, ...root.printed].map((pid) =>
      execFileSync('ps', ['-o', 'stat=', '-p', String(pid)])
        .toString()
        .startsWith('T'),
    )
  const thaw = await tree.freeze(table)
  await expect.poll(states).toEqual([true, true])
  thaw()
  await expect.poll(states).toEqual([false, false])
  expect(await tree.end(table, { graceMs: 300 })).toEqual([])
})
