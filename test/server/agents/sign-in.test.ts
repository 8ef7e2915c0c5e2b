/** Signing an agent of the server's machine in and out over REST (AC13), with scripted agents. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hostile } from '../../support/hostile-agent.ts'
import { openTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const authMethods = [
  { id: 'key', name: 'API key', description: 'Takes the key' },
  { id: 'device', name: 'Device code' },
  { id: 'broken', name: 'Broken' },
  { type: 'terminal', id: 'terminal', name: 'In a terminal', args: ['--login'] },
]
const greeting = {
  protocolVersion: 1,
  agentCapabilities: { auth: { logout: {} }, sessionCapabilities: { list: {} } },
  authMethods,
}

async function openWithAgent() {
  const notes = join(temporaryFolder(), 'notes')
  const { file, args } = hostile({
    onInitialize: `send({ id, result: ${JSON.stringify(greeting)} })`,
    atStart: `const note = (text) => require('node:fs').appendFileSync(${JSON.stringify(notes)}, text + '\\n')
      note('started with ' + process.env.SOME_KEY + ' in ' + require('node:fs').readdirSync('.').length + ' files')
      const kept = [{ sessionId: 's1', cwd: '/work', title: 'A talk' }, { sessionId: 's2', cwd: '/other' }]
      act['session/list'] = ({ id, params }) => send({ id, result: { sessions: kept.filter(({ cwd }) => (params.cwd ?? cwd) === cwd) } })
      act.logout = ({ id }) => { note('out'); send({ id, result: {} }) }
      act.authenticate = async ({ id, params: { methodId } }) => {
        if (methodId === 'broken') return send({ id, error: { code: -32603, message: '\\u001b[31mNo such account\\u001b[0m' } })
        if (methodId === 'device') {
          const visit = { mode: 'url', requestId: id, message: 'Enter the code 12-34', url: 'https://example.com/device', elicitationId: 'e' }
          note((await ask('elicitation/create', visit)).result.action)
          // The person is elsewhere until this file is there.
          const wait = setInterval(() => { if (require('node:fs').existsSync(${JSON.stringify(`${notes}.done`)})) { clearInterval(wait); send({ id, result: {} }) } }, 5)
          return
        }
        note('by ' + methodId)
        send({ id, result: {} })
      }`,
  })
  const { ask } = await openTestServer()
  const entry = { protocol: 'acp', command: file, args: [...args], env: { SOME_KEY: 'k-42' } }
  const add = (id: string, more: object = {}) =>
    ask('/api/agents', { method: 'POST', body: { id, name: id, ...entry, ...more } })
  await add('mine')
  const post = (path: string, body?: object, id = 'mine') =>
    ask(`/api/agents/${id}/${path}`, { method: 'POST', body })
  const settled = async () => {
    await expect
      .poll(async () => (await ask('/api/agents/mine/sign-in')).json.state)
      .not.toBe('waiting')
    return (await ask('/api/agents/mine/sign-in')).json
  }
  const noted = () => (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : [])
  return { ask, add, post, settled, noted, notes }
}

test('[AC13] the page asks an agent for its ways, signs in by one that needs no terminal, and out again', async () => {
  const { ask, post, settled, noted } = await openWithAgent()
  const { status, json } = await post('inspect')
  expect(status).toBe(200)
  expect(json).toMatchObject({
    ways: [
      { id: 'key', command: null },
      { id: 'device' },
      { id: 'broken' },
      { command: expect.stringMatching(/ --login$/) },
    ],
    signOut: true,
    acpSessions: [
      { id: 's1', title: 'A talk', folder: '/work' },
      { id: 's2', title: null, folder: '/other' },
    ],
  })
  expect((await post('inspect?folder=/other')).json.acpSessions).toMatchObject([{ id: 's2' }])
  expect((await ask('/api/agents/mine/sign-in')).status).toBe(404)
  expect(await post('sign-in', { method: 'key' })).toMatchObject({
    status: 201,
    json: { method: 'key', visit: null },
  })
  expect(await settled()).toMatchObject({ state: 'signed_in', error: null })
  expect((await post('sign-out')).status).toBe(204)
  const start = 'started with k-42 in 0 files'
  expect(noted()).toEqual([start, start, start, 'by key', start, 'out'])
})

test('[AC13] what an agent asks to open while somebody signs in is shown, and its errors are told', async () => {
  const { ask, post, settled, noted, notes } = await openWithAgent()
  await post('sign-in', { method: 'device' })
  await expect.poll(async () => (await ask('/api/agents/mine/sign-in')).json.visit).not.toBeNull()
  expect((await ask('/api/agents/mine/sign-in')).json).toMatchObject({
    method: 'device',
    state: 'waiting',
    error: null,
    visit: { message: 'Enter the code 12-34', url: 'https://example.com/device' },
  })
  await expect.poll(() => noted().at(-1)).toBe('accept')
  writeFileSync(`${notes}.done`, '')
  expect(await settled()).toMatchObject({ method: 'device', state: 'signed_in', visit: null })
  await post('sign-in', { method: 'broken' })
  expect(await settled()).toMatchObject({
    method: 'broken',
    state: 'failed',
    error: 'authenticate: No such account',
  })
})

test('[AC13] what cannot be signed in from here is refused with what to do instead', async () => {
  const { add, post } = await openWithAgent()
  const why = async (path: string, body?: object, id?: string) => {
    const { status, json } = await post(path, body, id)
    return [status, json.notice?.code, json.detail] as const
  }
  expect(await why('sign-in', { method: 'terminal' })).toEqual([
    409,
    'signInAtTerminal',
    expect.stringContaining('--login'),
  ])
  expect(await why('sign-in', { method: 'other' })).toEqual([
    400,
    'noSignInWay',
    expect.any(String),
  ])
  await add('elsewhere', { runsOn: 'big' })
  expect(await why('inspect', undefined, 'elsewhere')).toEqual([
    409,
    'runsElsewhere',
    expect.any(String),
  ])
  await add('puller', { protocol: 'mcp' })
  expect(await why('sign-in', { method: 'key' }, 'puller')).toEqual([
    409,
    'notPrompted',
    expect.any(String),
  ])
  await add('none', { command: 'no-such-program-anywhere', args: [] })
  expect(await why('inspect', undefined, 'none')).toEqual([
    409,
    'notInspected',
    expect.stringContaining('ENOENT'),
  ])
  await add('mute', { args: hostile({}).args })
  expect(await why('sign-out', undefined, 'mute')).toEqual([409, 'noSignOut', expect.any(String)])
  expect((await post('inspect', undefined, 'nobody')).status).toBe(404)
})

test('[AC13] an agent that is only asked what it offers leaves no process behind', async () => {
  const pid = join(temporaryFolder(), 'pid')
  const { ask } = await openTestServer()
  const { file, args } = hostile({
    atStart: `const left = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], { stdio: 'ignore' })
      left.unref(); require('node:fs').writeFileSync(${JSON.stringify(pid)}, String(left.pid))`,
  })
  await ask('/api/agents', {
    method: 'POST',
    body: { id: 'mine', name: 'mine', protocol: 'acp', command: file, args: [...args] },
  })
  expect((await ask('/api/agents/mine/inspect', { method: 'POST' })).status).toBe(200)
  // Killed, it may still wait to be reaped.
  const state = () =>
    /^State:\t(\w)/m.exec(readFileSync(`/proc/${readFileSync(pid, 'utf8')}/status`, 'utf8'))?.[1]
  const isGone = () => {
    try {
      return state() === 'Z'
    } catch {
      return true
    }
  }
  await expect.poll(isGone).toBe(true)
})
