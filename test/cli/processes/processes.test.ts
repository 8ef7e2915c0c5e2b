/**
 * Processes, coordinators and who is at work, at the command line. The coordinator is played by the
 * test; the server's clock stands still.
 */
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { run } from '../../../src/cli/run.ts'
import { openInstallation } from '../../support/command-line.ts'
import { connectMcp } from '../../support/mcp.ts'
import { playCoordinator } from '../../support/played-coordinator.ts'

async function open() {
  const installation = await openInstallation()
  const { server, holdfast, data } = installation
  const machine = await playCoordinator({ url: server.url, token: server.ownerToken })
  const { id: projectId } = (await holdfast(['projects', 'create', 'shop', '--json'])).json()
  await holdfast(['agents', 'add', 'ann', '--protocol', 'mcp', '--', 'holdfast', 'demo-mcp'])
  await holdfast(['projects', 'assign', 'shop', 'ann'])
  const call = async (): Promise<string> => {
    await server.ask(`/api/projects/${projectId}/chat/start?agentId=ann`, { method: 'POST' })
    return machine.ordered()
  }
  return { server, holdfast, data, machine, projectId, call }
}

/** Runs until something else ends it; what it writes can be waited for. */
function sitAndLook(argv: readonly string[], env: Record<string, string>, isTTY = false) {
  let text = ''
  const reader = new EventEmitter()
  const waiting: (() => void)[] = []
  const write = (piece: string): boolean => {
    text += piece
    for (const wake of waiting.splice(0)) wake()
    return true
  }
  const stdin = Object.assign(new PassThrough(), { isTTY: false })
  const stdout = Object.assign(reader, { write, isTTY, columns: 120 })
  const code = run(argv, { stdin, stdout, stderr: { write }, env, cwd: '/' })
  const until = async (fits: (text: string) => boolean): Promise<void> => {
    while (!fits(text)) await new Promise<void>((resolve) => waiting.push(resolve))
  }
  return { text: () => text, until, code, leave: () => reader.emit('error', new Error('EPIPE')) }
}

test('[CL1] status says what waits, what was interrupted and who is at work, by name', async () => {
  const { holdfast, machine, call, projectId, server } = await open()
  const quiet = (await holdfast(['status'])).stdout
  expect(quiet).toContain(server.url)
  expect(quiet).toMatch(/Waiting for you +nothing\n +Interrupted +nothing\n +At work +nobody\n$/)
  const { token } = (
    await server.ask('/api/people', { method: 'POST', body: { name: 'v', role: 'viewer' } })
  ).json
  const looking = await holdfast(['status'], { env: { HOLDFAST_TOKEN: token } })
  expect(looking.stdout).toMatch(/Waiting for a decision +nothing\n/)
  expect(looking.stdout).not.toContain('for you')
  const launchId = await call()
  await machine.take(launchId)
  await machine.started(launchId, 4242)
  const { id } = (
    await server.ask(`/api/projects/${projectId}/sessions`, { method: 'POST', body: {} })
  ).json
  await holdfast(['sessions', 'end', id, '--reason', 'lunch'])
  const { stdout } = await holdfast(['status'], { env: { npm_lifecycle_event: 'holdfast' } })
  expect(stdout).toMatch(/Interrupted +1 +npm run -s holdfast -- resume SESSION\n/)
  expect(stdout).toMatch(new RegExp(`${id} +shop +`))
  expect(stdout).toMatch(/\nann +shop +signing in +\d/)
  expect((await holdfast(['status', '--json'])).json()).toMatchObject({
    waiting: [],
    interrupted: [{ id }],
    running: [{ agentId: 'ann', projectId, doing: 'signing in' }],
  })
})

test('[CL1] processes are listed with state, shown with output, and stopped', async () => {
  const { holdfast, machine, call } = await open()
  expect((await holdfast(['processes'])).stdout).toBe('No process was found.\n')
  const launchId = await call()
  await machine.take(launchId)
  await machine.started(launchId, 4242)
  await machine.wrote(launchId, 'one\ntwo \u001b[31mred\n')
  expect((await holdfast(['processes'])).stdout).toMatch(
    new RegExp(`${launchId} +ann +shop +running +4242 +\\d`),
  )
  const shown = await holdfast(['processes', 'show', launchId])
  expect(shown.stdout).toMatch(/State +running\n/)
  expect(shown.stdout).toContain('one\ntwo ')
  expect(shown.stdout).not.toContain('\u001b[31m')
  expect((await holdfast(['processes', 'show', launchId, '--json'])).json()).toMatchObject({
    launchId,
    state: 'running',
  })
  const stopped = await holdfast(['processes', 'stop', launchId, '--yes'])
  expect(stopped).toMatchObject({ code: 0, stdout: '✓ ann is being stopped\n' })
  expect((await holdfast(['processes', '--state', 'running'])).stdout).toMatch(/ stopping /)
  await machine.stopOrdered()
  await machine.exited(launchId, { signal: 'SIGTERM', stopped: true })
  expect((await holdfast(['processes', '--agent', 'ann'])).stdout).toMatch(
    / ended +– +\d+ s +stopped by a person, signal SIGTERM/,
  )
  expect(await holdfast(['processes', 'show', 'nothing'])).toMatchObject({ code: 5 })
  expect(await holdfast(['processes', 'stop', launchId])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  })
})

test('[CL1] an agent is stopped wherever it runs, and released where it is held', async () => {
  const { server, holdfast, machine, call, projectId } = await open()
  await server.ask(`/api/projects/${projectId}`, {
    method: 'PATCH',
    body: { settings: { 'restart.max': 1, 'restart.window_seconds': 3600 } },
  })
  expect((await holdfast(['agents', 'stop', 'ann'])).stdout).toBe('✓ No process of ann runs\n')
  expect((await holdfast(['agents', 'release', 'ann'])).stdout).toBe('✓ ann is not held\n')
  const first = await call()
  await machine.take(first)
  await machine.failedToStart(first, 'no such program')
  await server.ask(`/api/projects/${projectId}/chat/start?agentId=ann`, { method: 'POST' })
  expect((await holdfast(['processes', '--state', 'held'])).stdout).toMatch(
    /held .*no such program/,
  )
  expect((await holdfast(['agents', 'release', 'ann', '--json'])).json()).toMatchObject({
    process: { state: 'waiting' },
  })
  const second = await machine.ordered()
  await machine.take(second)
  await machine.started(second)
  const stopped = await holdfast(['agents', 'stop', 'ann', '--project', 'shop', '--yes', '--json'])
  expect(stopped.json().items).toMatchObject([
    { launchId: second, stopReason: 'stopped_by_person' },
  ])
})

test('[CL1] coordinators are listed; one is taken over by name, after a question', async () => {
  const { holdfast, machine } = await open()
  expect((await holdfast(['coordinators'])).stdout).toMatch(/laptop +connected +0 +1\.2\.3 /)
  expect(await holdfast(['coordinators', 'take-over', 'laptop'])).toMatchObject({ code: 2 })
  expect(await holdfast(['coordinators', 'take-over', 'nobody', '--yes'])).toMatchObject({
    code: 5,
  })
  const taken = (await holdfast(['coordinators', 'take-over', 'laptop', '--yes', '--json'])).json()
  expect(taken).toMatchObject({ id: machine.id, epoch: 2 })
})

test('[CL3] doctor says who starts agents, and what to do when nobody can', async () => {
  const { holdfast, machine } = await open()
  expect((await holdfast(['doctor'])).stdout).toMatch(/✓ Coordinator +laptop \(0 running\)/)
  await machine.goodbye()
  expect((await holdfast(['doctor'])).stdout).toMatch(
    /! Coordinator +none is connected: no agent is started\n +→ `holdfast up`/,
  )
})

test('[CL1] agents watch prints a line for each change and ends with its credential', async () => {
  const { server, data, machine, call, projectId } = await open()
  const { token, id } = (
    await server.ask('/api/people', { method: 'POST', body: { name: 'w', role: 'viewer' } })
  ).json
  const env = { HOLDFAST_DATA: data, HOLDFAST_TOKEN: token, NO_COLOR: '1' }
  const plain = sitAndLook(['agents', 'watch'], env)
  const json = sitAndLook(['agents', 'watch', '--json'], env)
  const drawn = sitAndLook(['agents', 'watch'], env, true)
  const left = sitAndLook(['agents', 'watch'], env)
  await drawn.until((text) => text.includes('No agent is at work.'))
  const launchId = await call()
  await plain.until((text) => text.includes('ann shop starting'))
  await json.until((text) => text.includes('"doing":"starting"'))
  // The reader has had enough, as `head -1` has: it does not go on for nobody.
  await left.until((text) => text.includes('starting'))
  left.leave()
  expect(await left.code).toBe(0)
  const { launchToken } = await machine.take(launchId)
  await machine.started(launchId, 4242)
  await plain.until((text) => text.includes('signing in (pid 4242)'))
  const agent = await connectMcp(server.url, launchToken)
  await agent.call('authenticate', { project_id: projectId })
  await server.ask('/api/projects', { method: 'POST', body: { name: 'anything that rings' } })
  await plain.until((text) => text.includes('ann shop chat (pid 4242)'))
  await drawn.until((text) => /ann +shop +chat +4242 +\d/.test(text))
  await machine.exited(launchId, { exitCode: 1 })
  await plain.until((text) => text.includes('ann') && text.includes('gone'))
  await json.until((text) => text.includes('"doing":"gone"'))
  const received = json
    .text()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(received[0]).toMatchObject({
    agentId: 'ann',
    projectId,
    doing: 'starting',
    process: { launchId },
    agentSession: null,
  })
  await server.ask(`/api/people/${id}`, { method: 'DELETE' })
  expect(await Promise.all([plain.code, json.code, drawn.code])).toEqual([4, 4, 4])
})

test('[CL2] agents watch ends after the time it was given', async () => {
  const { holdfast } = await open()
  expect(await holdfast(['agents', 'watch', '--for', '0.2'])).toMatchObject({ code: 0, stdout: '' })
  expect(await holdfast(['agents', 'watch', '--for', 'ever'])).toMatchObject({ code: 2 })
})
