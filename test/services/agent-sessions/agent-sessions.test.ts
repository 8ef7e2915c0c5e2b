import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { projectStream } from '../../../src/domain/stream-name.ts'
import { hashSecret } from '../../../src/platform/secrets/secrets.ts'
import { AgentSession } from '../../../src/protocol/agent-sessions/agent-session.ts'
import { endChat } from '../../../src/services/flows/conversations/start-chat.ts'
import { endWorkSession } from '../../../src/services/work/end-work-session.ts'
import { getMyTask } from '../../../src/services/work/queries.ts'
import { by, eventsOf } from '../projects/installation.ts'
import { sharedStore } from '../work/work-room.ts'
import { type Office, openOffice, refusalOf, unknownCaller } from './agent-office.ts'

const shared = sharedStore()
const minute = 60_000
const open = (settings?: Readonly<Record<string, number>>) =>
  openOffice(shared.store, shared.clock, settings)

/** What has happened to the agent sessions of the project, in order. */
async function logOf({ projectId }: Office): Promise<string[]> {
  const stream = projectStream(projectId)
  const [position] = await shared.store.positions([stream])
  const events = await shared.store.eventsAfter(stream, 0, position?.head ?? 0)
  return events.map(({ type }) => type).filter((type) => type.startsWith('agent-session'))
}

describe('authenticating', () => {
  test('[AS1] a wrong agent, a wrong passkey, an unknown project and one that is not assigned are told apart by nobody', async () => {
    const office = await open()
    const elsewhere = await open()
    const { calls, projectId, agentId } = office
    const passkey = office.passkeyOf(agentId)
    await office.say('there is work')
    const attempts = [
      { agentId: 'nobody', passkey, projectId },
      { agentId, passkey: elsewhere.passkeyOf(elsewhere.agentId), projectId },
      { agentId, passkey: '', projectId },
      { agentId, passkey, projectId: 'proj_20260101_nowher' },
      { agentId, passkey, projectId: elsewhere.projectId },
      { agentId: elsewhere.agentId, passkey: elsewhere.passkeyOf(elsewhere.agentId), projectId },
      { agentId, projectId },
    ]
    const refusals = []
    for (const attempt of attempts)
      refusals.push(await refusalOf(calls.authenticate(unknownCaller, attempt)))
    expect(
      new Set(
        refusals.map(({ code, message, fields }) => JSON.stringify({ code, message, fields })),
      ).size,
    ).toBe(1)
    expect(refusals[0]?.code).toBe('authentication_failed')
    expect(await office.list()).toEqual([])
  })

  test('[AS1] after ten failures in a minute wrong attempts are told to wait, and the right passkey is still accepted', async () => {
    const office = await open()
    const { calls, projectId, agentId } = office
    await office.say('there is work')
    const wrong = () =>
      refusalOf(
        calls.authenticate(unknownCaller, { agentId, passkey: 'hf_agent_wrong', projectId }),
      )
    for (let attempt = 0; attempt < 10; attempt++)
      expect((await wrong()).code).toBe('authentication_failed')
    expect(await wrong()).toMatchObject({ code: 'rate_limited', fields: { retryAfterSeconds: 60 } })
    expect(
      await refusalOf(
        calls.authenticate(unknownCaller, { agentId: 'other', passkey: 'wrong', projectId }),
      ),
    ).toMatchObject({
      code: 'authentication_failed',
    })
    expect((await office.authenticate()).status).toBe('ok')
    shared.clock.advance(minute)
    expect((await wrong()).code).toBe('authentication_failed')
  })

  test('[AS1] with an agent’s own bearer neither passkey nor token is needed, and another agent cannot be claimed with it', async () => {
    const office = await open()
    const other = await office.hire('ben')
    const { calls, projectId, agentId } = office
    await office.say('hello')
    const bearer = await office.bearerOf()
    expect(
      await refusalOf(calls.authenticate(bearer, { agentId: other, projectId })),
    ).toMatchObject({
      code: 'authentication_failed',
    })
    expect(await refusalOf(calls.caller(bearer, undefined))).toMatchObject({ code: 'not_found' })
    const signedIn = await calls.authenticate(bearer, { projectId })
    const id = signedIn.status === 'ok' ? signedIn.agentSession.id : ''
    expect(await calls.caller(bearer, undefined)).toEqual({
      agentSessionId: id,
      agentId,
      projectId,
    })
    expect(await refusalOf(calls.caller(unknownCaller, undefined))).toMatchObject({
      code: 'unauthenticated',
    })
    await office.giveTask()
    expect(await calls.authenticate(bearer, { projectId })).toMatchObject({
      agentSession: { purpose: 'task' },
    })
    expect(await refusalOf(calls.caller(bearer, undefined))).toMatchObject({
      code: 'invalid_request',
    })
  })

  test('[AS2] task work comes first, then chat, and with neither nothing is created', async () => {
    const office = await open()
    expect(await office.authenticate()).toEqual({ status: 'no_work' })
    expect(await office.list()).toEqual([])
    expect(await logOf(office)).toEqual([])
    await office.say('hello')
    const { workSessionId } = await office.giveTask()
    const first = await office.signIn(office.agentId, 'launch-1')
    expect(AgentSession.parse(first.agentSession)).toEqual(first.agentSession)
    expect(first.agentSession).toMatchObject({
      purpose: 'task',
      state: 'active',
      workSessionId,
      launchId: 'launch-1',
    })
    expect((await office.signIn()).agentSession).toMatchObject({
      purpose: 'chat',
      workSessionId: null,
      launchId: null,
    })
    expect(await office.authenticate()).toEqual({ status: 'no_work' })
    expect(await logOf(office)).toEqual(['agent-session-started', 'agent-session-started'])
  })

  test('[AS3] a task of an interrupted or completed work session is no work, nor is another agent’s', async () => {
    const office = await open()
    const { store, projectId } = office
    const one = await office.giveTask()
    await store.run(endWorkSession, {
      projectId,
      workSessionId: one.workSessionId,
      reason: 'stopped',
    })
    expect(await office.authenticate()).toEqual({ status: 'no_work' })
    const two = await office.giveTask()
    await store.run(endWorkSession, { projectId, workSessionId: two.workSessionId })
    expect(await office.authenticate()).toEqual({ status: 'no_work' })
    await office.giveTask(await office.hire('ben'))
    expect(await office.authenticate()).toEqual({ status: 'no_work' })
  })

  test('[AS3] an open panel is chat work until a session takes it, the panel closes or ten minutes have passed', async () => {
    const office = await open()
    const { store, projectId, agentId } = office
    await office.openPanel()
    await store.run(endChat, { projectId, agentId, by })
    expect(await office.authenticate()).toEqual({ status: 'no_work' })
    await office.openPanel()
    shared.clock.advance(10 * minute - 1)
    const signed = await office.signIn()
    expect(signed.agentSession.purpose).toBe('chat')
    await office.calls.logout(await office.caller(signed))
    expect(await office.authenticate()).toEqual({ status: 'no_work' })
    await office.openPanel()
    shared.clock.advance(10 * minute)
    expect(await office.authenticate()).toEqual({ status: 'no_work' })
  })

  test('[AS4] two processes authenticating at once, 300 times: never two live sessions of one purpose', async () => {
    const [agents, roundsEach] = [30, 10]
    const office = await open()
    const round = async (agentId: string, withTask: boolean): Promise<void> => {
      const task = withTask ? await office.giveTask(agentId) : undefined
      const answers = await Promise.all([
        office.authenticate(agentId),
        office.authenticate(agentId),
      ])
      const signed = answers.flatMap((answer) => (answer.status === 'ok' ? [answer] : []))
      expect(signed.map(({ agentSession }) => agentSession.purpose).sort()).toEqual(
        withTask ? ['chat', 'task'] : ['chat'],
      )
      if (task) await office.finish(task.taskId)
      await Promise.all(
        signed.map(async ({ token }) => office.calls.logout(await office.caller({ token }))),
      )
    }
    const play = async (name: string): Promise<void> => {
      const agentId = await office.hire(name)
      await office.say('never answered', agentId)
      for (let n = 0; n < roundsEach; n++) await round(agentId, n % 2 === 1)
    }
    await Promise.all(Array.from({ length: agents }, (_, n) => play(`agent${n}`)))
    const started = (await logOf(office)).filter((type) => type === 'agent-session-started')
    expect(started).toHaveLength(agents * roundsEach * 1.5)
  }, 60_000)

  test('[AS7] the session token is shown once and only its hash is kept', async () => {
    const office = await open()
    await office.say('hello')
    const { token } = await office.signIn()
    expect(token).toMatch(/^hf_session_[\w-]{43}$/)
    const database = new DatabaseSync(shared.file, { readOnly: true })
    const rows = JSON.stringify([
      database.prepare('select * from agent_sessions').all(),
      database.prepare('select * from events').all(),
    ])
    database.close()
    expect(rows).not.toContain(token)
    expect(rows).toContain(hashSecret(token))
  })
})

describe('the end of a session', () => {
  test('[AS5] an end without notice passes through terminating in the same commit, and both steps are in the log', async () => {
    const office = await open()
    await office.say('hello')
    const signed = await office.signIn()
    await office.calls.logout(await office.caller(signed))
    const events = (await eventsOf(shared.store, projectStream(office.projectId))).slice(-2)
    expect(events).toMatchObject([
      {
        type: 'agent-session-terminating',
        data: { agentSession: { state: 'terminating', endedAt: null, endReason: null } },
      },
      {
        type: 'agent-session-ended',
        data: { agentSession: { state: 'ended', endReason: 'logout' } },
      },
    ])
    expect(events[1]?.data).toEqual({ agentSession: await office.one(signed) })
  })

  test('[AS5] one that was asked to go first has one step left, and the last cause is the reason', async () => {
    const office = await open()
    await office.say('hello')
    const signed = await office.signIn()
    await office.store.run(endChat, { projectId: office.projectId, agentId: office.agentId, by })
    await office.calls.logout(await office.caller(signed))
    expect(await logOf(office)).toEqual([
      'agent-session-started',
      'agent-session-terminating',
      'agent-session-ended',
    ])
    expect(await office.one(signed)).toMatchObject({ state: 'ended', endReason: 'logout' })
  })

  test('[AS8] logout can be said again, the next action is exit with the reason, anything else says that it has ended', async () => {
    const office = await open()
    await office.say('hello')
    const signed = await office.signIn()
    await office.calls.logout(await office.caller(signed))
    const log = await logOf(office)
    await office.calls.logout(await office.caller(signed))
    for (let again = 0; again < 2; again++)
      expect(await office.next(signed)).toMatchObject({
        action: 'exit',
        reason: 'logout',
        ends: null,
      })
    expect(await logOf(office)).toEqual(log)
    const caller = await office.caller(signed)
    const attempts = [
      office.handOver(caller),
      office.answer(caller, 'x'),
      office.store.query(getMyTask, caller),
    ]
    for (const refusal of await Promise.all(attempts.map(refusalOf)))
      expect(refusal).toMatchObject({ code: 'session_ended', fields: { reason: 'logout' } })
  })

  test('[AS8] a launch whose answer was lost asks again and gets its session under a new token; the old one is void', async () => {
    const office = await open()
    await office.say('hello')
    const lost = await office.signIn(office.agentId, 'launch-1')
    const found = await office.signIn(office.agentId, 'launch-1')
    expect(found.agentSession).toEqual(lost.agentSession)
    expect(await refusalOf(office.caller(lost))).toMatchObject({ code: 'authentication_failed' })
    expect((await office.caller(found)).agentSessionId).toBe(lost.agentSessionId)
    expect(await office.authenticate(office.agentId, 'launch-2')).toEqual({ status: 'no_work' })
  })

  test('[SE3] one agent’s token is nobody else’s: not found for another agent’s bearer, refused when it is made up', async () => {
    const office = await open()
    const other = await office.hire('ben')
    await office.say('hello')
    const signed = await office.signIn()
    expect(
      await refusalOf(office.calls.caller(await office.bearerOf(other), signed.token)),
    ).toMatchObject({ code: 'not_found' })
    expect(await refusalOf(office.calls.caller(unknownCaller, `${signed.token}x`))).toMatchObject({
      code: 'authentication_failed',
    })
    const { agentSessionId, projectId } = signed
    const attempts = [
      office.calls.waitingCalls.next({ agentSessionId, agentId: other, projectId }, 0),
      office.handOver({ agentSessionId, agentId: other, projectId }),
      office.answer({ agentSessionId, agentId: other, projectId }, 'I am ann'),
      office.calls.logout({ agentSessionId, agentId: other, projectId }),
      office.calls.waitingCalls.next(
        { agentSessionId, agentId: office.agentId, projectId: 'elsewhere' },
        0,
      ),
    ]
    for (const refusal of await Promise.all(attempts.map(refusalOf)))
      expect(refusal).toMatchObject({ code: 'not_found' })
    expect(await office.one(signed)).toMatchObject({ state: 'active' })
  })
})
