/**
 * AG6 over the relay: an agent at its vendor's limit, and its turn taken up again when that is
 * over.
 */
import { expect, test } from 'vitest'
import { instant } from '../../../src/domain/instant.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { exited } from '../../services/processes/launch-pad.ts'
import { userSessionLooks } from '../../support/due-work.ts'
import { openConsole, pass, turnEnded } from '../../support/relay.ts'

const seconds = 1000
const limitWords = "You've hit your usage limit. Try again in 30 seconds."

async function limited() {
  const room = await openConsole()
  const { store, clock } = room.server
  const { client, machine, inside, launchId } = await room.ready()
  const say = (content: string) =>
    client.send({ type: 'agent:message', ...inside, role: 'auth', content })
  const goOn = (wish: boolean) =>
    client.send({ type: 'agent:go-on', ...inside, role: 'auth', goOn: wish, requestId: `${wish}` })
  const info = async () => {
    client.send({ type: 'agent:get', ...inside, role: 'auth' })
    return (await client.next('agent:info')).agent
  }
  const lines: string[] = []
  const newSweeper = () =>
    userSessionLooks({
      store,
      clock,
      logger: createLogger({
        level: 'warn',
        format: 'json',
        destination: { write: (line) => void lines.push(line) },
      }),
    })
  // As after a restart: nothing is known but what is in the store.
  const sweep = () => newSweeper().run()
  /** For longer than readers have to come back after a restart. */
  const keepSweeping = async () => {
    const sweeper = newSweeper()
    for (let second = 0; second <= 65; second += 5) {
      await sweeper.run()
      await pass(room, 5 * seconds)
    }
  }
  const meetLimit = async (error = limitWords) => {
    const { turnId, content } = await machine.turn()
    const until = instant(clock.now() + 30 * seconds)
    await machine.tell(turnEnded(launchId, turnId, { outcome: 'failed', error }))
    return { turnId, until, text: content[0].text }
  }
  /** The agent is to go on with its turn when the limit is over, and ends before that. */
  const failAtLimit = async () => {
    say('first')
    await meetLimit()
    await client.next('agent:limited')
    goOn(true)
    await client.next('agent:limited')
    await machine.tell(exited(launchId))
    await client.next('agent:failed')
  }
  const wait = (count: number) => pass(room, count * seconds, client, machine.socket)
  return {
    room,
    inside,
    wait,
    client,
    machine,
    launchId,
    say,
    goOn,
    info,
    sweep,
    keepSweeping,
    meetLimit,
    failAtLimit,
    lines,
  }
}

test('[AG9] a turn that met the limit is taken up again by itself when a person said so, in front of what waits', async () => {
  const { wait, client, machine, launchId, say, goOn, info, sweep, meetLimit } = await limited()
  say('first')
  say('second')
  await client.next('agent:queued')
  const { turnId, until } = await meetLimit()
  expect(await client.next('agent:response')).toMatchObject({
    messageId: turnId,
    stopReason: 'limit',
    limitedUntil: until,
  })
  expect(await client.next('agent:limited')).toMatchObject({
    role: 'auth',
    messageId: turnId,
    until,
    goesOn: false,
    by: null,
  })
  goOn(true)
  expect(await client.next('agent:limited')).toMatchObject({
    until,
    goesOn: true,
    by: 'owner',
    requestId: 'true',
  })
  say('third')
  expect(await client.next('agent:queued')).toMatchObject({ position: 2 })
  expect(await info()).toMatchObject({
    turn: null,
    limit: { until, messageId: turnId, goesOn: true },
  })
  await wait(29)
  await sweep()
  expect((await info()).limit).not.toBeNull()
  await wait(1)
  await sweep()
  await sweep()
  expect(await client.next('agent:limited')).toMatchObject({ until: null, goesOn: false })
  expect(await client.next('agent:prompted')).toMatchObject({
    content: [{ type: 'text', text: 'first' }],
    by: 'owner',
  })
  // At the limit again: what was said still holds.
  const again = await meetLimit()
  expect(again.text).toBe('first')
  expect(await client.next('agent:limited')).toMatchObject({
    messageId: again.turnId,
    goesOn: true,
  })
  await wait(30)
  await sweep()
  const taken = await machine.turn()
  expect(taken.content).toEqual([{ type: 'text', text: 'first' }])
  await machine.tell(turnEnded(launchId, taken.turnId))
  expect((await machine.turn()).content).toEqual([{ type: 'text', text: 'second' }])
  expect(await info()).toMatchObject({ limit: null, queue: [{ position: 1 }] })
})

test('[AG9] without that wish nothing is said again: what waits goes on when the limit is over, what is sent is tried at once', async () => {
  const { wait, client, machine, launchId, say, goOn, info, sweep, meetLimit } = await limited()
  goOn(true)
  expect(await client.next('error')).toMatchObject({ code: 'wrong_state' })
  say('first')
  await meetLimit()
  await client.next('agent:limited')
  await wait(30)
  await sweep()
  expect(await client.next('agent:limited')).toMatchObject({ until: null })
  expect(await info()).toMatchObject({ turn: null, queue: [], limit: null })
  say('second')
  say('third')
  await client.next('agent:queued')
  expect((await meetLimit()).text).toBe('second')
  await client.next('agent:limited')
  goOn(true)
  expect(await client.next('agent:limited')).toMatchObject({ goesOn: true })
  goOn(false)
  expect(await client.next('agent:limited')).toMatchObject({ goesOn: false, by: null })
  say('fourth')
  expect(await client.next('agent:limited')).toMatchObject({ until: null })
  const third = await machine.turn()
  expect(third.content).toEqual([{ type: 'text', text: 'third' }])
  await machine.tell(turnEnded(launchId, third.turnId))
  expect((await machine.turn()).content).toEqual([{ type: 'text', text: 'fourth' }])
})

test('[AG9] an agent that meets its limit over and over is taken up five times and no more', async () => {
  const { wait, client, say, goOn, info, sweep, meetLimit } = await limited()
  say('first')
  await meetLimit()
  await client.next('agent:limited')
  goOn(true)
  for (let left = 5; left > 0; left--) {
    expect(await client.next('agent:limited')).toMatchObject({ goesOn: true })
    await wait(30)
    await sweep()
    expect(await client.next('agent:limited')).toMatchObject({ until: null })
    await meetLimit()
  }
  expect(await client.next('agent:limited')).toMatchObject({ goesOn: false })
  expect(await info()).toMatchObject({ limit: { goesOn: false } })
  await wait(30)
  await sweep()
  expect(await info()).toMatchObject({ turn: null, limit: null })
})

test('[AG9] an agent that has gone meanwhile is started again when the limit is over, and goes on with its turn', async () => {
  const { wait, client, machine, info, sweep, failAtLimit } = await limited()
  await failAtLimit()
  await sweep()
  expect((await info()).state).toBe('FAILED')
  await wait(30)
  await sweep()
  expect(await client.next('agent:spawning')).toMatchObject({ role: 'auth', by: 'owner' })
  await machine.bringUp()
  await client.next('agent:ready')
  await sweep()
  // The session could not be brought back: the agent is told first what was said (CX2).
  expect((await machine.turn()).content.slice(1)).toEqual([{ type: 'text', text: 'first' }])
  expect(await info()).toMatchObject({
    state: 'ACTIVE',
    limit: null,
    turn: { content: [{ text: 'first' }] },
  })
})

test('[AG9] what is parked survives the agent that a person starts again before its time, and goes with a role that is ended', async () => {
  const { room, inside, wait, client, machine, info, sweep, failAtLimit } = await limited()
  const key = `console:${inside.sessionId}.auth`
  const turns = async () =>
    (await room.server.ask(`/api/conversations/${encodeURIComponent(key)}/turns`)).json.items
  await failAtLimit()
  const [parked, met] = await turns()
  expect(parked).toMatchObject({
    state: 'queued',
    retryOf: met.id,
    notBefore: expect.any(String),
    content: [{ text: 'first' }],
  })
  client.send({ type: 'agent:spawn', ...inside, role: 'auth', agentId: 'coder' })
  await client.next('agent:terminated')
  await machine.bringUp()
  await client.next('agent:ready')
  expect(await info()).toMatchObject({
    state: 'ACTIVE',
    turn: null,
    queue: [],
    limit: { goesOn: true, messageId: met.id },
  })
  client.send({ type: 'agent:terminate', ...inside, role: 'auth' })
  const { launchId } = await machine.order('stop-ordered')
  await machine.tell(exited(launchId, { stopped: true }))
  await client.next('agent:terminated')
  expect((await turns())[0]).toMatchObject({
    id: parked.id,
    state: 'cancelled',
    stopReason: 'withdrawn',
  })
  // Who comes into the role afterwards is at no limit, and is told nothing of it.
  client.send({ type: 'agent:spawn', ...inside, role: 'auth', agentId: 'coder' })
  await machine.bringUp()
  await client.next('agent:ready')
  await wait(30)
  await sweep()
  expect(await info()).toMatchObject({ turn: null, queue: [], limit: null })
})

test('[US3] one whose agent may not be started any more does not go on: nothing is tried for ever, and no session is kept for it', async () => {
  const { room, inside, wait, client, sweep, keepSweeping, failAtLimit, lines } = await limited()
  await failAtLimit()
  await room.server.ask(`/api/projects/${room.projectId}/agents/coder`, { method: 'DELETE' })
  await wait(30)
  await sweep()
  expect(await client.next('agent:limited')).toMatchObject({ until: null, goesOn: false })
  client.webSocket.close()
  await client.closed
  await pass(room, 25 * 3600 * seconds)
  await keepSweeping()
  expect((await room.server.ask(`/api/user-sessions/${inside.sessionId}`)).json.state).toBe(
    'TERMINATED',
  )
  expect(lines).toEqual([])
})

test('[US3] a wish to go on that is left of an agent that crashed keeps no session that nobody is connected to', async () => {
  const {
    room,
    inside,
    wait,
    client,
    machine,
    launchId,
    say,
    goOn,
    sweep,
    keepSweeping,
    meetLimit,
  } = await limited()
  say('first')
  await meetLimit()
  goOn(true)
  await client.next('agent:limited')
  await client.next('agent:limited')
  await wait(30)
  await sweep()
  await machine.turn()
  await machine.tell(exited(launchId, { exitCode: 1 }))
  await client.next('agent:failed')
  client.webSocket.close()
  await client.closed
  await pass(room, 25 * 3600 * seconds)
  await keepSweeping()
  expect((await room.server.ask(`/api/user-sessions/${inside.sessionId}`)).json.state).toBe(
    'TERMINATED',
  )
})
