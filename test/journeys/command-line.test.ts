/** The command line as people run it: real processes, real signals, real pipes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Client, createClient } from '../../src/client/client.ts'
import { probeSandbox } from '../../src/platform/processes/sandbox-probe.ts'
import { main } from '../support/built-product.ts'
import { until as untilSo } from '../support/coordinator-process.ts'
import { amount } from '../support/extent.ts'
import { hostile } from '../support/hostile-agent.ts'
import { ownTime } from '../support/own-time.ts'
import { type RunningHoldfast, startHoldfast } from '../support/running-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function start(argv: readonly string[]): {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  exit: Promise<number | null>
} {
  const child = spawn(process.execPath, [main, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (bytes) => (written.stdout += bytes))
  child.stderr.on('data', (bytes) => (written.stderr += bytes))
  const exit = once(child, 'close').then(([code]) => code as number | null)
  return { child, stdout: () => written.stdout, stderr: () => written.stderr, exit }
}

const signedIn = (text: string): boolean => /^Sign in: .*\n/m.test(text)

async function until(child: ChildProcess, enough: () => boolean): Promise<void> {
  while (!enough()) await once(child.stdout as NodeJS.ReadableStream, 'data')
}

test('[CL1] up prints exactly two lines on standard output; the log goes to standard error', async () => {
  const { child, stdout, stderr, exit } = start([
    '--port',
    '0',
    '--data',
    temporaryFolder(),
    '--log-level',
    'debug',
    '--log-format',
    'json',
  ])
  await until(child, () => signedIn(stdout()))
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
  expect(stdout()).toMatch(
    /^Holdfast is ready at http:\/\/127\.0\.0\.1:\d+\nSign in: http:\/\/127\.0\.0\.1:\d+\/sign-in#\S+\n$/,
  )
  for (const line of stderr().trimEnd().split('\n').filter(Boolean))
    expect(JSON.parse(line)).toHaveProperty('level')
  expect(stderr()).not.toContain(/sign-in#(\S+)/.exec(stdout())?.[1])
})

test('[SE1] the first start makes what only its owner may read', async () => {
  const { data, token, stop, log } = await startHoldfast({ onFile: true })
  const mode = (path: string): number => statSync(join(data, path)).mode & 0o777
  const folders = ['.', 'run', 'secrets']
  expect(folders.map(mode)).toEqual([0o700, 0o700, 0o700])
  const files = ['secrets/owner-token', 'run/server.json', 'holdfast.db']
  expect(files.map(mode)).toEqual([0o600, 0o600, 0o600])
  expect(await stop()).toBe(0)
  expect(log()).not.toContain(token)
  expect(existsSync(join(data, 'run', 'server.json'))).toBe(false)
})

/** The coordinator registers a moment after the server is ready. */
const isConnected = ({ url, token }: RunningHoldfast): Promise<void> =>
  untilSo(async () => {
    const { items } = await createClient({ url, token }).get('/api/coordinators', {})
    return items.some(({ state }) => state === 'connected')
  })

test('[SE10] what an earlier build kept in the data folder itself is found, moved, and works as before', async () => {
  const data = temporaryFolder()
  const names = ['owner-token', 'coordinator-token']
  const first = await startHoldfast({ data, up: true, onFile: true })
  await isConnected(first)
  await first.stop()
  const secrets = names.map((name) => readFileSync(join(data, 'secrets', name), 'utf8'))
  for (const name of names) renameSync(join(data, 'secrets', name), join(data, name))
  // An earlier build had no key to seal with.
  rmSync(join(data, 'secrets'), { recursive: true })
  const next = await startHoldfast({ data, up: true, onFile: true })
  expect(
    names.map((name) => [
      existsSync(join(data, name)),
      readFileSync(join(data, 'secrets', name), 'utf8'),
    ]),
  ).toEqual(secrets.map((text) => [false, text]))
  await isConnected(next)
  const list = start(['coordinators', '--data', data, '--json'])
  expect(await list.exit).toBe(0)
  expect(JSON.parse(list.stdout()).items).toHaveLength(1)
  expect(await next.stop()).toBe(0)
})

test('[CL2] a command finds the server, answers, and ends at once', async () => {
  const server = await startHoldfast()
  const list = start(['projects', '--data', server.data, '--json'])
  expect(await list.exit).toBe(0)
  expect(JSON.parse(list.stdout())).toHaveProperty('items')
  await server.kill()
  const dead = start(['projects', '--data', server.data])
  expect(await dead.exit).toBe(3)
  expect(dead.stderr()).toContain('No server is running')
  expect(JSON.parse(readFileSync(join(server.data, 'run', 'server.json'), 'utf8')).pid).toBe(
    server.pid,
  )
})

test('[CL1] --env-file takes a path relative to where npm was called, and - for standard input', async () => {
  const { data, stop } = await startHoldfast()
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'keys.env'), 'FROM_FILE=1\n')
  const root = join(main, '..', '..', '..')
  const holdfast = (words: readonly string[], input = '') => {
    const child = spawnSync(
      'npm',
      ['run', '-s', '--prefix', root, 'holdfast', '--', ...words, '--json'],
      {
        cwd,
        input,
        encoding: 'utf8',
        env: { ...process.env, INIT_CWD: undefined, HOLDFAST_DATA: data },
      },
    )
    expect([child.stderr, child.status]).toEqual(['', 0])
    return JSON.parse(child.stdout)
  }
  expect(Object.keys(holdfast(['agents', 'add', 'a', '--env-file', 'keys.env']).env)).toEqual([
    'FROM_FILE',
  ])
  expect(
    Object.keys(holdfast(['agents', 'add', 'b', '--env-file', '-'], 'FROM_STDIN=2\n').env),
  ).toEqual(['FROM_STDIN'])
  // Where Node starts the program itself, it takes --env-file for its own.
  const started = [main, 'agents', 'add', 'c', '--env', '-', '--json', '--data', data]
  const { stdout } = spawnSync(process.execPath, started, {
    cwd,
    input: 'FROM_STDIN=3\n',
    encoding: 'utf8',
  })
  expect(Object.keys(JSON.parse(stdout).env)).toEqual(['FROM_STDIN'])
  await stop()
})

test('[CL2] a reader that stops reading is no reason to fall over', async () => {
  const { child, stderr, exit } = start(['completion', 'bash'])
  child.stdout?.destroy()
  expect(await exit).toBe(0)
  expect(stderr()).toBe('')
})

test('[OP2] an event stream that is open does not hold up the stop', async () => {
  const server = await startHoldfast()
  const response = await fetch(`${server.url}/api/events?streams=home`, {
    headers: { authorization: `Bearer ${server.token}` },
  })
  expect(response.status).toBe(200)
  const waited = ownTime()
  expect(await server.stop()).toBe(0)
  expect(waited()).toBeLessThan(10_000)
  await response.body?.cancel().catch(() => {})
})

test('[OP2] a signal in the moment it becomes ready ends in an orderly stop as well', async () => {
  const data = temporaryFolder()
  const { child, exit, stdout, stderr } = start(['up', '--port', '0', '--data', data])
  await until(child, () => stdout().includes('Holdfast is ready'))
  child.kill('SIGHUP')
  expect(await exit).toBe(0)
  expect(stderr()).not.toContain('✗')
  expect(existsSync(join(data, 'run', 'server.json'))).toBe(false)
})

/** Lists and forks its sessions, keeps them in a file, and sends what nobody knows. */
const offering = (kept: string) =>
  hostile({
    onInitialize: `send({ id, result: { protocolVersion: 1, agentCapabilities: { sessionCapabilities: { list: {}, fork: {} } } } })`,
    onNew: 'note(params.cwd); send({ id, result: { sessionId: "s" + ++opened } })',
    onPrompt: `heard.push(JSON.stringify(params.prompt))
      update({ sessionUpdate: 'weather', sky: 'blue' }, params.sessionId)
      const create = await ask('terminal/create', { sessionId: params.sessionId, command: 'ls' })
      const content = { type: 'text', text: 'heard ' + heard.join(' ') }
      update({ sessionUpdate: 'agent_message_chunk', content }, params.sessionId)
      done()`,
    atStart: `const heard = []
      let opened = 0
      const { appendFileSync, readFileSync } = require('node:fs')
      const note = (cwd) => appendFileSync(${JSON.stringify(kept)}, cwd + '\\n')
      act['session/fork'] = ({ id, params }) => send({ id, result: { sessionId: 'f1' } })
      act['session/list'] = ({ id }) => {
        const [first] = readFileSync(${JSON.stringify(kept)}, 'utf8').split('\\n')
        send({ id, result: { sessions: [{ sessionId: 's0', cwd: '/elsewhere' }, { sessionId: 's1', cwd: first }] } })
      }`,
  })

/** With the demo agent, which can most of it. */
async function tryDemoAgent({ data }: RunningHoldfast, client: Client): Promise<void> {
  const before = (await client.get('/api/projects', {})).items.length
  const { exit, stdout, stderr } = start(['agents', 'doctor', 'demo', '--json', '--data', data])
  expect([await exit, stderr()]).toEqual([0, expect.stringContaining('start')])
  const report = JSON.parse(stdout())
  expect(report.agentInfo).toEqual({ name: 'holdfast-demo', version: report.version })
  expect(report).toMatchObject({
    agent: 'demo',
    version: expect.any(String),
    can: { start: true, cancel: true, list: false },
  })
  const results = Object.fromEntries(
    report.checks.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok]),
  )
  expect(results).toMatchObject({
    start: true,
    prompt: true,
    permission: true,
    cancel: true,
    load: true,
    end: true,
    fork: false,
    apart: true,
  })
  const sandbox = (await probeSandbox(process.env)).works || undefined
  expect([results['workplace'], results['strict']]).toEqual([sandbox, sandbox])
  const params = { agentId: 'demo' }
  expect((await client.get('/api/agents/{agentId}', { params })).report).toEqual({
    ...report,
    at: expect.any(String),
  })
  expect((await client.get('/api/projects', {})).items).toHaveLength(before)

  expect(results).toMatchObject({ list: false, known: true })
}

test('[AG13] [AG17] agents doctor tries an agent out, prints what it can, and keeps the report with it; nothing else is left', async () => {
  const server = await startHoldfast({ up: true, onFile: true })
  await isConnected(server)
  const client = createClient({ url: server.url, token: server.token })
  const more = amount<(typeof tryDemoAgent)[]>([], [tryDemoAgent])
  for (const tryMore of more) await tryMore(server, client)
  const { file, args } = offering(join(temporaryFolder(), 'sessions'))
  await client.post('/api/agents', {
    body: { id: 'other', name: 'other', protocol: 'acp', command: file, args: [...args] },
  })
  const other = start(['agents', 'doctor', 'other', '--json', '--data', server.data])
  expect([await other.exit, other.stderr()]).toEqual([0, expect.stringContaining('start')])
  const tried = JSON.parse(other.stdout())
  const details: Record<string, { ok: boolean; detail: string }> = Object.fromEntries(
    tried.checks.map((each: { name: string; ok: boolean; detail: string }) => [each.name, each]),
  )
  expect(details).toMatchObject({
    start: { ok: true },
    prompt: { ok: true },
    list: { ok: true, detail: '2 in a process of its own, 1 of this workplace' },
    fork: { ok: true, detail: 'a fork of its own session answers' },
    load: { ok: false },
    apart: { ok: false, detail: expect.stringContaining('knew the word of another') },
    known: { ok: false, detail: 'unknown_update weather, refused_request terminal/create' },
  })
  // The file that it keeps is not there in a sandbox.
  const sandbox = (await probeSandbox(process.env)).works ? false : undefined
  expect([details['workplace']?.ok, details['strict']?.ok]).toEqual([sandbox, sandbox])
  expect(tried.can.unknown).toEqual(['unknown_update weather', 'refused_request terminal/create'])
  const params = { agentId: 'other' }
  expect((await client.get('/api/agents/{agentId}', { params })).report).toEqual({
    ...tried,
    at: expect.any(String),
  })
  const mixing = async (agentId: string) =>
    (await client.get('/api/agents/{agentId}', { params: { agentId } })).mixesConversations
  expect([await mixing('demo'), await mixing('other')]).toEqual([false, true])
  const counted = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${server.token}` },
  })
  const named = [
    ...(await counted.text()).matchAll(
      /^holdfast_agent_unknown_total\{kind="(\w+)",name="([^"]+)"\}/gm,
    ),
  ]
  expect(named.map(([, kind, name]) => `${kind} ${name}`).sort()).toEqual(
    tried.can.unknown.toSorted(),
  )
  const left = readdirSync(join(server.data, 'worktrees'), { recursive: true, encoding: 'utf8' })
  expect(left.filter((each) => each.endsWith('.git'))).toEqual([])

  await client.post('/api/agents', {
    body: { id: 'gone', name: 'gone', protocol: 'acp', command: '/nowhere/agent' },
  })
  const failed = start(['agents', 'doctor', 'gone', '--json', '--data', server.data])
  expect(await failed.exit).toBe(1)
  expect(JSON.parse(failed.stdout())).toMatchObject({
    agent: 'gone',
    checks: [{ name: 'start', ok: false }],
    can: {},
  })
})
