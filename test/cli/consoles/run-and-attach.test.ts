/**
 * One prompt from a script, and a console from the terminal (CL1): a real server and relay, a
 * machine that the test plays.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PermissionKind } from '../../../src/protocol/turns/agent-update.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { runCommand, type Typed } from '../../support/command-line.ts'
import {
  asks,
  type Console,
  openConsole,
  question,
  readyAgent,
  said,
  turnEnded,
  update,
} from '../../support/relay.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { sitDown as sitDownWith } from '../../support/typed-terminal.ts'

const env = ({ server }: Console) => ({
  HOLDFAST_URL: server.url,
  HOLDFAST_TOKEN: server.ownerToken,
})
const holdfast = (room: Console, argv: readonly string[], typed: Typed = {}) =>
  runCommand(argv, { ...typed, env: env(room) })

const sitDown = (room: Console, argv: readonly string[]) => sitDownWith(argv, env(room))

const listed = async ({ server }: Console) => (await server.ask('/api/user-sessions')).json.items

test('[CL1] run in a role prints only what the agent says, ends with 0, and ends its console', async () => {
  const room = await openConsole()
  const machine = await room.machine()
  const outcome = holdfast(room, ['run', 'coder', 'Say hello', '--role', 'run'])
  const launchId = await machine.bringUp()
  const turn = await machine.turn()
  expect(turn.content).toEqual([{ type: 'text', text: 'Say hello' }])
  await machine.tell(
    said(launchId, turn.turnId, 'Hello '),
    update(launchId, turn.turnId, { kind: 'thought', text: 'hm' }),
  )
  await machine.tell(said(launchId, turn.turnId, 'there.'), turnEnded(launchId, turn.turnId))
  await machine.order('stop-ordered')
  await machine.tell(exited(launchId, { stopped: true }))
  const { code, stdout, stderr } = await outcome
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello there.\n' })
  expect(stderr).toContain('on holdfast/1/auth')
  expect(await listed(room)).toEqual([])
  // The prompt was answered: nobody is offered to take it up again.
  const { items } = (await room.server.ask(`/api/projects/${room.projectId}/sessions`)).json
  expect(items.map(({ state }: { state: string }) => state)).toEqual(['completed'])
})

test('[AG6] run sets the mode and model it is told, attaches files, or names others', async () => {
  const room = await openConsole()
  const machine = await room.machine()
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'notes.txt'), 'my notes')
  const argv = ['run', 'coder', 'go', '--mode', 'Code', '--model', 'large', '--attach', 'notes.txt']
  const outcome = holdfast(room, argv, { cwd: folder })
  const values = ['small', 'large'].map((id) => ({ id, name: id }))
  const options = [{ id: 'm', name: 'Model', category: 'model', value: 'small', values }]
  const offers = { modes: [{ id: 'code', name: 'Code', description: null }], modeId: null, options }
  const begin = async () => {
    const { launchId } = await machine.order('launch-begun')
    await machine.tell(started(launchId), { ...readyAgent(launchId), ...offers } as never)
    return launchId
  }
  const end = async (launchId: string) => {
    await machine.order('stop-ordered')
    await machine.tell(exited(launchId, { stopped: true }))
  }
  const launchId = await begin()
  for (const change of [{ modeId: 'code' }, { optionId: 'm', value: 'large' }]) {
    const order = await machine.order('configure-ordered')
    expect(order.change).toEqual(change)
    await machine.tell({ type: 'agent-configured', ...order, error: null })
  }
  const { turnId, content } = await machine.turn()
  expect(content).toMatchObject([
    { text: 'go' },
    { type: 'file', name: 'notes.txt', text: 'my notes' },
  ])
  await machine.tell(said(launchId, turnId, 'done'), turnEnded(launchId, turnId))
  await end(launchId)
  expect(await outcome).toMatchObject({ code: 0, stdout: 'done\n' })
  const wrong = holdfast(room, ['run', 'coder', 'go', '--model', 'huge'])
  await end(await begin())
  expect(await wrong).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/no model huge[\s\S]*small, large/),
  })
  expect(
    (await holdfast(room, ['run', 'coder', 'go', '--attach', 'none.txt'], { cwd: folder })).code,
  ).toBe(2)
})

test('[CL1] run says why an agent failed and ends with 1; an empty input with 2', async () => {
  const room = await openConsole()
  const machine = await room.machine()
  expect(await holdfast(room, ['run', 'coder'])).toMatchObject({ code: 2, stdout: '' })
  const outcome = holdfast(room, ['run', 'coder', '-', '--role', 'run'], { input: 'from a pipe' })
  const { launchId } = await machine.order('launch-begun')
  await machine.tell({
    type: 'agent-failed',
    launchId,
    step: 'initialize',
    error: 'It said nothing for 60 s',
  })
  const { code, stderr, stdout } = await outcome
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('It said nothing for 60 s')
})

test('[CL1] a credential that is revoked while the agent works ends run with words', async () => {
  const room = await openConsole()
  const machine = await room.machine()
  const { ask, url } = room.server
  const script = { name: 'script', kind: 'script', scopes: ['read', 'write', 'approve'] }
  const { id, token } = (await ask('/api/tokens', { method: 'POST', body: script })).json
  const outcome = runCommand(['run', 'coder', 'go', '--role', 'run'], {
    env: { HOLDFAST_URL: url, HOLDFAST_TOKEN: token },
  })
  await machine.bringUp()
  await machine.turn()
  await ask(`/api/tokens/${id}`, { method: 'DELETE' })
  const { code, stderr } = await outcome
  expect([code, stderr]).toEqual([4, expect.stringContaining('no longer valid')])
})

test('[CL1] run denies unasked, allows once with --allow, and tells all with --json', async () => {
  const room = await openConsole()
  const machine = await room.machine()
  const offering = (...kinds: PermissionKind[]) => ({
    ...question(),
    options: kinds.map((kind) => ({ optionId: kind, name: kind, kind })),
  })
  const [no, once, always] = ['reject_once', 'allow_once', 'allow_always'] as const
  for (const [flags, outcome, asked] of [
    [['--json'], 'denied', question()],
    [['--allow', '--json'], 'denied', offering(no)],
    // What the agent would keep for itself is never chosen for anybody.
    [['--allow', '--json'], 'denied', offering(no, always)],
    [['--allow', '--json', '--keep'], 'allowed', offering(no, always, once)],
  ] as const) {
    const running = holdfast(room, ['run', 'coder', 'go', '--role', 'run', ...flags])
    const launchId = await machine.bringUp()
    const { turnId } = await machine.turn()
    await machine.tell(asks(launchId, turnId, 'ask 1', asked))
    await machine.order('permission-settled')
    await machine.tell(said(launchId, turnId, 'done'), turnEnded(launchId, turnId))
    if (outcome === 'denied') {
      await machine.order('stop-ordered')
      await machine.tell(exited(launchId, { stopped: true }))
    }
    const { code, stdout } = await running
    expect(code).toBe(0)
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.find(({ type }) => type === 'permission:resolved')).toMatchObject({ outcome })
  }
  const [userSession] = await listed(room)
  expect(await listed(room)).toEqual([userSession])
  const { json } = await room.server.ask(`/api/projects/${userSession.projectId}/allowances`)
  expect(json.items).toEqual([])
})

test('[AP4] at a terminal run asks the person, and goes on with the answer', async () => {
  const room = await openConsole()
  const machine = await room.machine()
  const person = sitDown(room, ['run', 'coder', 'go', '--role', 'run'])
  const launchId = await machine.bringUp()
  const { turnId } = await machine.turn()
  await machine.tell(asks(launchId, turnId, 'ask 1'))
  await person.sees('1 Allow · 2 Always · 3 Deny', 'stderr')
  person.type('7')
  person.type('1')
  expect(await machine.order('permission-settled')).toMatchObject({ optionId: 'yes' })
  await machine.tell(said(launchId, turnId, 'esc\u001b[2J'), turnEnded(launchId, turnId))
  await person.sees('esc\\u001b[2J')
  await machine.order('stop-ordered')
  await machine.tell(exited(launchId, { stopped: true }))
  expect(await person.exit).toBe(0)
})

test('[AP10] whoever leaves the question of run by any way has not allowed it', async () => {
  const room = await openConsole()
  const machine = await room.machine()
  for (const [way, keys, code] of [
    ['end', '', 0],
    ['end', '1', 0],
    ['key', '\u0004', 0],
    ['key', '\u0003', 130],
  ] as const) {
    const person = sitDown(room, ['run', 'coder', 'go', '--role', 'run'])
    const launchId = await machine.bringUp()
    const { turnId } = await machine.turn()
    await machine.tell(asks(launchId, turnId, `ask of ${launchId}`))
    await person.sees('3 Deny', 'stderr')
    person.press(keys)
    if (way === 'end') void person.leave()
    if (code === 130) await machine.order('cancel-ordered')
    else
      expect(await machine.order('permission-settled')).toMatchObject({ launchId, optionId: 'no' })
    await machine.tell(
      said(launchId, turnId, 'done'),
      turnEnded(launchId, turnId, code === 130 ? { outcome: 'cancelled' } : {}),
    )
    await machine.order('stop-ordered')
    await machine.tell(exited(launchId, { stopped: true }))
    expect(await person.exit).toBe(code)
  }
  const { items } = (await room.server.ask(`/api/projects/${room.projectId}/approvals`)).json
  expect(items).toHaveLength(4)
  expect(items.filter((each: { status: string }) => each.status !== 'rejected')).toEqual([])
})

test('[AP6] a person at a terminal reads the whole command and no unsafe “always”', async () => {
  const room = await openConsole()
  const machine = await room.machine()
  const { call, ...plain } = question('execute')
  const script = 'cd /long/folder &&\n\u001b[2Jrm README.md'
  const whole = {
    ...plain,
    call: { ...call, title: 'Bash', input: JSON.stringify({ command: script }) },
  }
  const content = [{ type: 'text', text: script } as const]
  const vague = { ...plain, likeness: null, call: { ...call, title: 'Bash', input: null, content } }
  const person = sitDown(room, ['run', 'coder', 'go', '--keep'])
  const launchId = await machine.bringUp()
  const { turnId } = await machine.turn()
  const asked = async (first: string, options: string) => {
    await person.sees(`${options}: `, 'stderr')
    expect(person.written.stderr).toContain(`Bash\n    ${first}\n    \\u001b[2Jrm README.md\n`)
  }
  await machine.tell(asks(launchId, turnId, 'ask 1', whole))
  await asked('command: cd /long/folder &&', '1 Allow · 2 Always · 3 Deny')
  const printed = await holdfast(room, ['approvals', 'show', '1'])
  expect(printed.stdout).toContain('    command: cd /long/folder &&\n    \\u001b[2Jrm README.md\n')
  person.type('3')
  await machine.order('permission-settled')
  await machine.tell(asks(launchId, turnId, 'ask 2', vague))
  await asked('cd /long/folder &&', '1 Allow · 2 Deny')
  const [{ id }] = await listed(room)
  const beside = sitDown(room, ['attach', id.slice(-6)])
  await beside.sees('1 Allow · 2 Deny; answer with /answer 2', 'stderr')
  expect(beside.written.stderr).toContain('    cd /long/folder &&\n    \\u001b[2Jrm README.md\n')
  beside.type('/answer 2 2')
  expect(await machine.order('permission-settled')).toMatchObject({ optionId: 'no' })
  await machine.tell(said(launchId, turnId, 'done'), turnEnded(launchId, turnId))
  expect(await person.exit).toBe(0)
})

test('[CL1] attach shows what was said, sends, answers, and leaves without an end', async () => {
  const room = await openConsole()
  const { client, machine, inside, launchId } = await room.ready('auth')
  client.send({ type: 'agent:message', ...inside, role: 'auth', content: 'before' })
  await machine.answer('it was said')
  await client.next('agent:response')
  const person = sitDown(room, ['attach', inside.sessionId.slice(-6)])
  await person.sees('it was said')
  person.type('hello')
  const { turnId } = await machine.turn()
  await machine.tell(
    said(launchId, turnId, 'and '),
    said(launchId, turnId, 'hello'),
    asks(launchId, turnId, 'ask 2'),
  )
  await person.sees('auth  and hello')
  await person.sees(/answer with \/answer (\d+) NUMBER/, 'stderr')
  person.type(`/answer ${/answer with \/answer (\d+)/.exec(person.written.stderr)?.[1]} 3`)
  expect(await machine.order('permission-settled')).toMatchObject({ optionId: 'no' })
  person.type('/cancel')
  await machine.order('cancel-ordered')
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'cancelled' }))
  await person.sees('Stopped: cancelled', 'stderr')
  expect(await person.leave()).toBe(0)
  expect(await listed(room)).toMatchObject([{ id: inside.sessionId, state: 'ACTIVE' }])
  expect(await holdfast(room, ['attach', 'nowhere'])).toMatchObject({ code: 5 })
  const other = sitDown(room, ['attach'])
  await other.sees('Ctrl-D leaves', 'stderr')
  other.press('\u0003')
  expect(await other.exit).toBe(130)
  expect(await listed(room)).toMatchObject([{ id: inside.sessionId, state: 'ACTIVE' }])
})

test('[CL1] consoles are listed with their agents; --all adds those that ended', async () => {
  const room = await openConsole()
  expect((await holdfast(room, ['consoles'])).stdout).toContain('No console is open.')
  const { client, inside } = await room.ready('auth')
  client.send({ type: 'session:create', projectId: room.projectId })
  const { sessionId: second } = await client.next('session:created')
  expect((await room.server.ask(`/api/user-sessions/${second}`, { method: 'DELETE' })).status).toBe(
    204,
  )
  const ids = async (...more: string[]) =>
    (await holdfast(room, ['consoles', '--json', ...more]))
      .json()
      .items.map(({ id, state }: { id: string; state: string }) => [id, state])
  expect(await ids()).toEqual([[inside.sessionId, 'ACTIVE']])
  expect(await ids('--all')).toEqual([
    [inside.sessionId, 'ACTIVE'],
    [second, 'TERMINATED'],
  ])
  expect(await ids('--all', '--limit', '1')).toEqual([[inside.sessionId, 'ACTIVE']])
  const { stdout } = await holdfast(room, ['consoles', '--all'])
  expect(stdout).toMatch(new RegExp(`${inside.sessionId} .* open +auth \\(coder\\)`))
  expect(stdout).toMatch(new RegExp(`${second} .* ended +– `))
  // Everybody sees their own.
  const { token } = (
    await room.server.ask('/api/people', { method: 'POST', body: { name: 'M', role: 'member' } })
  ).json
  const others = await runCommand(['consoles', '--all', '--json'], {
    env: { ...env(room), HOLDFAST_TOKEN: token },
  })
  expect(others.json().items).toEqual([])
})
