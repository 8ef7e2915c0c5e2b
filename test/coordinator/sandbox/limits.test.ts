/**
 * What a sandbox may use of its machine, with real processes as the user of this run; as root and
 * as an ordinary user: `npm run test:faults -- --only escapes`. Control groups are tried on a
 * stand-in tree, because few machines let a test make one.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openControlGroup } from '../../../src/coordinator/sandbox/control-group.ts'
import { probeSandbox } from '../../../src/platform/processes/sandbox-probe.ts'
import { sandboxLimits } from '../../../src/protocol/processes/sandbox-limits.ts'
import { exhaust, exhaustions } from '../../faults/escapes/exhaustion.ts'
import { startCoordinator, startLinkServer } from '../../support/coordinator.ts'
import { makeRepository } from '../../support/git-repository.ts'
import { hostile } from '../../support/hostile-agent.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const { works, problem } = await probeSandbox(process.env)
if (!works)
  process.stderr.write(`no sandbox on this machine, so nothing is tested inside: ${problem}\n`)

test.each(exhaustions)('[SB13] $name ends in words, and nothing of it is left', async (what) => {
  if (!works) return
  const { said, output, left, exit } = await exhaust(what)
  expect(said).toMatch(what.words)
  expect(output).toMatch(what.words)
  expect([left, exit.signal]).toEqual([0, 'SIGKILL'])
})

test('[SB13] a file and a temporary folder that are too large are refused by the system, and the agent goes on', async () => {
  if (!works) return
  const script = `for f in big /tmp/1 /tmp/2 /tmp/3 /tmp/4; do head -c 3000000 /dev/zero > $f; done 2>&1; wc -c < big; cat /tmp/[1-4] | wc -c; echo ON`
  const { output, said, exit } = await exhaust({ limits: { maxFileMb: 2, maxTmpMb: 4 }, script })
  expect(output).toMatch(/File size limit exceeded|File too large/)
  expect(output).toContain('No space left on device')
  const [file, folder = 0] = output.match(/^\d+$/gm)?.map(Number) ?? []
  expect([file, folder <= 4 * 1024 ** 2]).toEqual([2 * 1024 ** 2, true])
  expect([output.includes('ON\n'), said, exit.exitCode]).toEqual([true, '', 0])
})

test('[SB13] the turn of an agent at its limit fails with the reason, and the process ends', async () => {
  if (!works) return
  const server = await startLinkServer()
  server.sandboxLimits = { ...sandboxLimits(), maxProcesses: 80 }
  startCoordinator(server)
  const onPrompt =
    "for (let i = 0; i < 150; i++) require('node:child_process').spawn('sleep', ['40']).on('error', () => {})"
  const { file: command, args } = hostile({ onPrompt })
  const acp = {
    workspace: null,
    loadAcpSessionId: null,
    lastOpenedAt: null,
    contextId: 'first',
    startWithinMs: 60_000,
    turnWithinMs: 60_000,
  }
  const allow = { folders: [], hosts: [] }
  const isolation = { sandbox: 'workplace', allow, wrapper: null, gateway: null, command } as const
  const folder = makeRepository().folder
  const launchId = server.order({
    protocol: 'acp',
    command,
    args: [...args],
    folder,
    acp,
    isolation,
  })
  await server.until(() => server.factsOf(launchId, 'agent-ready').length > 0)
  server.orderTurn(launchId, 't1', 'go')
  await server.until(() => server.factsOf(launchId, 'process-exited').length > 0)
  expect(server.factsOf(launchId, 'turn-ended')).toMatchObject([
    {
      outcome: 'failed',
      error: expect.stringContaining('limit of 80 processes'),
      notice: { code: 'sandboxProcesses' },
    },
  ])
})

/** A tree as the kernel shows it: one group with the other above it. */
function standIn(handsDown: { own: string; above: string }) {
  const root = temporaryFolder()
  const above = join(root, 'holdfast.service')
  const own = join(above, 'main')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(above, 'cgroup.subtree_control'), `${handsDown.above}\n`)
  writeFileSync(join(own, 'cgroup.subtree_control'), `${handsDown.own}\n`)
  const places = { mounts: join(root, 'mountinfo'), own: join(root, 'own') }
  writeFileSync(
    places.mounts,
    `30 23 0:26 / /sys rw - sysfs sysfs rw\n31 23 0:27 / ${root} rw,nosuid - cgroup2 cgroup2 rw\n`,
  )
  writeFileSync(places.own, '3:cpu:/\n0::/holdfast.service/main\n')
  return { above, own, places }
}

test('[SB13] where a control group can be made the kernel counts, and says what was reached', () => {
  const { above, own, places } = standIn({ own: '', above: 'cpu memory pids' })
  const limits = { ...sandboxLimits(), maxProcesses: 80, maxMemoryMb: 100 }
  const made = openControlGroup('launch-1', limits, places)
  const folder = join(above, 'holdfast-launch-1')
  const of = (name: string): string => readFileSync(join(folder, name), 'utf8')
  made?.add(4242)
  expect(['pids.max', 'memory.max', 'memory.oom.group', 'cgroup.procs'].map(of)).toEqual([
    '80',
    String(100 * 1024 ** 2),
    '1',
    '4242',
  ])
  expect(existsSync(join(own, 'holdfast-launch-1'))).toBe(false)
  expect(made?.reached()).toBeUndefined()
  writeFileSync(join(folder, 'pids.events'), 'max 3\n')
  expect(made?.reached()).toBe('processes')
  writeFileSync(join(folder, 'memory.events'), 'low 0\noom 1\noom_kill 1\n')
  expect(made?.reached()).toBe('memory')
  made?.close()
  expect(of('cgroup.kill')).toBe('1')
  // The one of a coordinator that was killed is removed when it is empty, as the kernel's are
  // without their files.
  mkdirSync(join(above, 'holdfast-left'))
  openControlGroup('launch-2', limits, places)
  expect(existsSync(join(above, 'holdfast-left'))).toBe(false)
})

test.each([
  // As where a group has processes of its own: what is asked for is not there afterwards.
  ['no counter is handed down', { own: '', above: 'cpu' }, undefined],
  [
    'there is no version 2',
    { own: 'memory pids', above: 'memory pids' },
    '30 23 0:26 / /sys rw - sysfs sysfs rw\n',
  ],
])('[SB13] no control group is made where %s', (_, handsDown, mounts) => {
  const { above, own, places } = standIn(handsDown)
  if (mounts !== undefined) writeFileSync(places.mounts, mounts)
  expect(openControlGroup('launch-1', sandboxLimits(), places)).toBeUndefined()
  expect([above, own].map((each) => existsSync(join(each, 'holdfast-launch-1')))).toEqual([
    false,
    false,
  ])
})
