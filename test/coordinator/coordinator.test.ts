/**
 * The coordinator with real agents and a stand-in for the server: orders in, facts out, once each,
 * whatever happens between.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startCoordinator, startLinkServer } from '../support/coordinator.ts'
import { script } from '../support/launch-particulars.ts'
import type { LinkServer } from '../support/link-server.ts'
import { manualClock } from '../support/manual-clock.ts'
import { startScript } from '../support/real-processes.ts'
import { isRunning } from '../support/script-process.ts'

const stays = script('echo up; exec sleep 1000')
const exited = (server: LinkServer, launchId: string) => () =>
  server.factsOf(launchId, 'process-exited').length > 0
const started = (server: LinkServer, launchId: string) => () =>
  server.factsOf(launchId, 'process-started').length > 0
const pidOf = (server: LinkServer, launchId: string): number => {
  const [fact] = server.factsOf(launchId, 'process-started')
  return fact?.type === 'process-started' ? fact.pid : 0
}

test('[CO1] an order starts a process, what it does is told, and a stop ends it', async () => {
  const server = await startLinkServer()
  startCoordinator(server)
  await server.until(() => server.hellos.length > 0)
  const launchId = server.order(stays)
  await server.until(() => server.factsOf(launchId, 'process-output').length > 0)
  expect(isRunning(pidOf(server, launchId))).toBe(true)
  server.stop(launchId)
  await server.until(exited(server, launchId))
  expect(server.factsOf(launchId)).toEqual([
    {
      n: 1,
      type: 'process-started',
      launchId,
      pid: expect.any(Number),
      birth: expect.stringMatching(/./),
    },
    { n: 2, type: 'process-output', launchId, text: 'up\n' },
    {
      n: 3,
      type: 'process-exited',
      launchId,
      exitCode: null,
      signal: 'SIGTERM',
      found: null,
      stopped: true,
    },
  ])
})

test('[CO1] a launch that was ordered before the coordinator came is started; one that was withdrawn is not', async () => {
  const server = await startLinkServer()
  const [kept, stopped] = [server.order(script('exit 0')), server.order(stays)]
  server.stop(stopped)
  startCoordinator(server)
  await server.until(exited(server, kept))
  expect(server.factsOf(stopped)).toEqual([])
})

test('[CO4] a start that fails is told in words', async () => {
  const server = await startLinkServer()
  startCoordinator(server)
  await server.until(() => server.hellos.length > 0)
  const launchId = server.order({ command: 'no-such-agent' })
  await server.until(() => server.factsOf(launchId, 'start-failed').length > 0)
  expect(server.factsOf(launchId)).toMatchObject([
    { error: "There is no program no-such-agent on this machine's PATH." },
  ])
})

test('[CO6] the server goes and comes back: the agents work on, and every fact is stored once', async () => {
  const server = await startLinkServer()
  startCoordinator(server)
  await server.until(() => server.hellos.length > 0)
  const [talks, ends] = [
    server.order(script('i=0; while :; do i=$((i+1)); echo line $i; sleep 0.02; done')),
    server.order(script('echo bye; sleep 0.5; exit 5')),
  ]
  await server.until(
    () => started(server, ends)() && server.factsOf(talks, 'process-output').length > 0,
  )
  server.silent = true
  await server.until(() => server.received.length > server.facts.length - 1 && server.requests > 2)
  const pid = pidOf(server, talks)
  await server.vanish()
  expect(isRunning(pid)).toBe(true)
  server.silent = false
  await server.start()
  await server.until(exited(server, ends))
  const outputs = server.factsOf(talks, 'process-output').length
  await server.until(() => server.factsOf(talks, 'process-output').length > outputs)
  expect(isRunning(pid)).toBe(true)
  expect(new Set(server.hellos.map(({ instance, epoch }) => `${instance} ${epoch}`)).size).toBe(2)
  expect(server.epoch).toBe(1)
  const lines = server
    .factsOf(talks, 'process-output')
    .map((fact) => (fact.type === 'process-output' ? fact.text : ''))
    .join('')
    .trim()
    .split('\n')
  expect(lines).toEqual(lines.map((_, at) => `line ${at + 1}`))
  expect(server.facts.map(({ n }) => n)).toEqual(server.facts.map((_, at) => at + 1))
})

test('[CO6] a process that the server no longer knows when it comes back is ended, one that it knows works on', async () => {
  const server = await startLinkServer()
  startCoordinator(server)
  await server.until(() => server.hellos.length > 0)
  const [forgotten, known] = [server.order(stays), server.order(stays)]
  await server.until(() => started(server, forgotten)() && started(server, known)())
  await server.vanish()
  server.launches.delete(forgotten)
  await server.start()
  await server.until(exited(server, forgotten))
  expect(server.factsOf(forgotten, 'process-exited')).toMatchObject([
    { signal: 'SIGTERM', stopped: true },
  ])
  expect([forgotten, known].map((launchId) => isRunning(pidOf(server, launchId)))).toEqual([
    false,
    true,
  ])
})

test('[CO8] a coordinator that was replaced ends what it started and comes back as a newcomer', async () => {
  const server = await startLinkServer()
  startCoordinator(server)
  await server.until(() => server.hellos.length > 0)
  const launchId = server.order(stays)
  await server.until(started(server, launchId))
  const pid = pidOf(server, launchId)
  server.takeOver()
  const other = server.order(script('exit 0'))
  await server.until(exited(server, other))
  expect(isRunning(pid)).toBe(false)
  expect(exited(server, launchId)()).toBe(false)
  const [before, after] = [server.hellos[0], server.hellos.at(-1)]
  expect(after).toMatchObject({ epoch: null })
  expect(after?.instance).not.toBe(before?.instance)
})

test('[CO6] a launch that only waited while all was ended, because another may take over, is started when nobody did', async () => {
  const server = await startLinkServer()
  server.takeoverMinutes = 1
  const clock = manualClock()
  startCoordinator(server, { clock })
  await server.until(() => server.hellos.length > 0)
  const [runs, waits] = [server.order(stays), server.prepare(script('exit 0'))]
  await server.until(started(server, runs))
  await server.vanish()
  for (let second = 0; second < 50; second++) clock.advance(1000)
  await server.start()
  // The hands go on until it has come back.
  const isOver = (): boolean => {
    clock.advance(200)
    return exited(server, waits)()
  }
  await expect.poll(isOver, { timeout: 30_000 }).toBe(true)
  expect(server.factsOf(waits)).toMatchObject([
    { type: 'process-started' },
    { type: 'process-exited', exitCode: 0 },
  ])
})

test('[CO5] a successor ends what the one before left behind when it was killed, and says which', async () => {
  const server = await startLinkServer()
  const [left, lost] = [
    server.order(stays, { state: 'running' }),
    server.order(stays, { state: 'starting' }),
  ]
  const folderId = `keeper-${left}`
  const orphan = await startScript('sleep 1000 & echo $!; wait', {
    mark: { launchId: left, folderId },
  })
  const forgotten = await startScript('echo ready; exec sleep 1000', {
    mark: { launchId: 'known to nobody', folderId },
  })
  const foreign = await startScript('echo ready; exec sleep 1000', {
    mark: { launchId: left, folderId: 'another' },
  })
  startCoordinator(server, { folderId })
  await server.until(() => exited(server, left)() && exited(server, lost)())
  expect(server.factsOf(left)).toMatchObject([{ found: 'leftover', exitCode: null, signal: null }])
  expect(server.factsOf(lost)).toMatchObject([{ found: 'gone', exitCode: null, signal: null }])
  expect([orphan.pid, ...orphan.printed, forgotten.pid, foreign.pid].map(isRunning)).toEqual([
    false,
    false,
    false,
    true,
  ])
})

test('[CO6] what is spooled and not acknowledged is told by the successor, and an end it holds is not reported again', async () => {
  const server = await startLinkServer()
  const first = startCoordinator(server)
  await server.until(() => server.hellos.length > 0)
  const launchId = server.order(script('exit 6'))
  await server.until(exited(server, launchId))
  await first.coordinator.stop()
  // The server has forgotten the last two facts, as if it had been killed before it could store
  // them.
  const facts = server.facts.splice(1)
  server.lastFact = 1
  server.launches.set(launchId, {
    launchId,
    agentId: 'helper',
    projectId: 'p1',
    maxProcesses: null,
    state: 'running',
    stopReason: null,
  })
  writeFileSync(
    join(first.folder, 'spool.jsonl'),
    facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''),
  )
  startCoordinator(server, { folder: first.folder })
  await server.until(exited(server, launchId))
  const last = server.order(script('exit 0'))
  await server.until(exited(server, last))
  expect(server.factsOf(launchId, 'process-exited')).toMatchObject([{ exitCode: 6, found: null }])
})

test('[CO9] stopped on purpose, it ends its agents, tells it and says goodbye; nothing is started any more', async () => {
  const server = await startLinkServer()
  const { coordinator } = startCoordinator(server)
  await server.until(() => server.hellos.length > 0)
  const [polite, stubborn] = [
    server.order(stays),
    server.order(script('trap "" TERM; echo up; while :; do sleep 0.05; done')),
  ]
  await server.until(
    () => server.factsOf(stubborn, 'process-output').length > 0 && started(server, polite)(),
  )
  const stopped = coordinator.stop()
  await server.until(exited(server, polite))
  const late = server.order(stays)
  expect(isRunning(pidOf(server, stubborn))).toBe(true)
  coordinator.killAll()
  await stopped
  expect([polite, stubborn].map((id) => isRunning(pidOf(server, id)))).toEqual([false, false])
  expect(server.facts.at(-1)).toMatchObject({ type: 'goodbye' })
  expect(server.factsOf(stubborn, 'process-exited')).toMatchObject([
    { signal: 'SIGKILL', stopped: true },
  ])
  expect(server.factsOf(late)).toEqual([])
})

test('[CO9] without a server for too long it ends its agents and itself', async () => {
  const server = await startLinkServer()
  server.aloneMinutes = 1.5 / 60
  const { alone } = startCoordinator(server)
  await server.until(() => server.hellos.length > 0)
  const launchId = server.order(stays)
  await server.until(started(server, launchId))
  await server.vanish()
  expect(isRunning(pidOf(server, launchId))).toBe(true)
  await alone
  expect(isRunning(pidOf(server, launchId))).toBe(false)
})

test('[CO6] a full spool stops the reading of output, drops nothing, and goes on when the server is back', async () => {
  const server = await startLinkServer()
  startCoordinator(server, { maxSpooledBytes: 5_000 })
  await server.until(() => server.hellos.length > 0)
  const launchId = server.order(
    script(
      'i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo a rather long line of output number $i; done; exit 3',
    ),
  )
  await server.until(exited(server, launchId))
  const text = server
    .factsOf(launchId, 'process-output')
    .map((fact) => (fact.type === 'process-output' ? fact.text : ''))
  expect(text.join('')).toContain('number 2000\n')
})

test('[RE9] a fact that the server will not take is set aside and the others arrive', async () => {
  const server = await startLinkServer()
  const { log } = startCoordinator(server)
  await server.until(() => server.hellos.length > 0)
  server.refuse = (facts) =>
    facts.some((fact) => fact.type === 'process-output')
      ? { code: 'invalid_request', status: 400 }
      : undefined
  const launchId = server.order(script('echo poison; exit 2'))
  await server.until(exited(server, launchId))
  expect(server.factsOf(launchId, 'process-output')).toEqual([])
  expect(log()).toContain('server rejected facts')
})

test('[SE1] with a token that is not accepted it starts nothing and keeps trying, until there is another', async () => {
  const server = await startLinkServer()
  const launchId = server.order(stays)
  const kept = { url: server.url, token: 'another' }
  const { log } = startCoordinator(kept)
  while (!log().includes('401')) await new Promise((resolve) => setImmediate(resolve))
  expect(log()).toContain('holdfast token create NAME --kind coordinator')
  expect(server.hellos).toEqual([])
  kept.token = server.token
  await server.until(started(server, launchId))
})
