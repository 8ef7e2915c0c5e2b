/**
 * Held decisions (AP15) over HTTP, about what a real process asks: its agent is told when they are
 * carried out, and nothing before.
 */
import { expect, test } from 'vitest'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { openAgentOnServer } from '../../support/agent-on-server.ts'
import { userSessionLooks } from '../../support/due-work.ts'
import { hostile } from '../../support/hostile-agent.ts'

const option = (optionId: string, name: string, kind: string) => ({ optionId, name, kind })
const options = [option('y', 'Yes', 'allow_once'), option('n', 'No', 'reject_once')]
const asking = hostile({
  onPrompt: `const toolCall = { toolCallId: 't', title: 'Write a', kind: 'edit', rawInput: { path: 'a' } }
    const { result } = await ask('session/request_permission', { sessionId: 's1', toolCall, options: ${JSON.stringify(options)} })
    say(JSON.stringify(result.outcome)); done()`,
})

async function openRoom() {
  const room = await openAgentOnServer(asking)
  const { store, clock } = room.server
  const logger = createLogger({ level: 'error', format: 'json', destination: { write: () => {} } })
  const looks = userSessionLooks({ store, clock, logger })
  const decision = (id: number) => `/api/approvals/${id}/decision`
  return {
    ...room,
    decideByNumber: (id: number, body: object) =>
      room.server.ask(decision(id), { method: 'POST', body }),
    takeBack: (id: number) => room.server.ask(decision(id), { method: 'DELETE' }),
    pass: async (ms: number) => {
      clock.advance(ms)
      await looks.run()
    },
  }
}

test('[AP15] a held yes leaves the request open, and is told to the agent when its time is over', async () => {
  const room = await openRoom()
  await room.say('ask')
  const { id } = await room.asked()
  expect(await room.decideByNumber(id, { status: 'approved', hold: 11 })).toMatchObject({
    status: 422,
    json: { code: 'invalid_hold' },
  })
  const held = await room.decideByNumber(id, { status: 'approved', hold: 5 })
  expect(held.json).toMatchObject({
    status: 'pending',
    outcome: null,
    decidedBy: 'owner',
    held: { by: 'owner', status: 'approved' },
  })
  expect((await room.ask(`/api/approvals/${id}`)).decidedBy).toBe('owner')
  expect((await room.decide(id, { status: 'rejected' })).status).toBe(409)
  await room.pass(4000)
  expect((await room.turns())[0]).toMatchObject({ state: 'running' })
  await room.pass(1000)
  expect(await room.ended(1)).toMatchObject({ text: '{"outcome":"selected","optionId":"y"}' })
})

test('[AP15] taken back, it waits for another decision, "always" with it', async () => {
  const room = await openRoom()
  await room.say('ask')
  const { id } = await room.asked()
  const always = { scope: 'request', expiresInMinutes: 60 }
  expect(
    await room.decideByNumber(id, { status: 'approved', always: { scope: 'folder' }, hold: 5 }),
  ).toMatchObject({ status: 409, json: { code: 'wrong_state' } })
  await room.decideByNumber(id, { status: 'approved', always, hold: 5 })
  expect((await room.takeBack(id)).json).toMatchObject({ held: null, decidedBy: null })
  await room.pass(6000)
  expect((await room.ask(`/api/projects/${room.projectId}/allowances`)).items).toEqual([])
  expect((await room.decide(id, { status: 'rejected' })).status).toBe(200)
  expect(await room.ended(1)).toMatchObject({ text: '{"outcome":"selected","optionId":"n"}' })
  expect((await room.takeBack(id)).json).toMatchObject({ code: 'approval_decided' })
})

test('[AP15] a turn that is stopped meanwhile withdraws the request, and says what was held', async () => {
  const room = await openRoom()
  await room.say('ask')
  const { id } = await room.asked()
  await room.decideByNumber(id, { status: 'approved', hold: 5 })
  await room.ask(`/api/conversations/${encodeURIComponent(room.key)}/stop`, {})
  await expect
    .poll(async () => (await room.ask(`/api/approvals/${id}`)).outcome, { timeout: 30_000 })
    .toBe('withdrawn')
  await room.pass(6000)
  expect(await room.ask(`/api/approvals/${id}`)).toMatchObject({
    status: 'rejected',
    outcome: 'withdrawn',
    held: { by: 'owner', status: 'approved' },
  })
})
