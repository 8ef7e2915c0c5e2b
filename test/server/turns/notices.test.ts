/**
 * The code and parameters beside the words of turns, roles and messages (HT7), from a coordinator's
 * fact to the reader.
 */
import { expect, test } from 'vitest'
import { statusNotice } from '../../../src/domain/status-texts.ts'
import { translated } from '../../../src/protocol/notice-words.ts'
import { ja } from '../../../web/src/translations/ja.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { openConsole, said, turnEnded } from '../../support/relay.ts'

const why = statusNotice('noAnswerWithin', { what: 'session/new', seconds: 60 })

test('[HT7] a failed turn of a chat keeps its code in the row, its event and the message, masked in both', async () => {
  const { say, machine, server, room } = await openAcpChat()
  const key = encodeURIComponent(`web:${room.projectId}.coder`)
  await say('hello')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  const secret = `hf_owner_${'a'.repeat(24)}`
  const failure = statusNotice('noAnswerWithin', { what: secret, seconds: 60 })
  const { text: error, notice } = failure
  await machine.tell(
    said(launchId, turnId, 'Half of it'),
    turnEnded(launchId, turnId, { outcome: 'failed', error, notice }),
  )
  const masked = { code: 'noAnswerWithin', params: { what: '[masked]', seconds: 60 } }
  const { json: turns } = await server.ask(`/api/conversations/${key}/turns`)
  expect(turns.items[0]).toMatchObject({
    id: turnId,
    error: expect.stringContaining('[masked]'),
    notice: masked,
  })
  const { json: history } = await server.ask(`/api/conversations/${key}/messages`)
  const answer = history.items.find(({ role }: { role: string }) => role === 'assistant')
  expect(answer.notice).toMatchObject({
    code: 'afterText',
    params: { what: { code: 'didNotWork', params: { why: masked } } },
  })
  expect(answer.content).toMatch(
    /^Half of it\n\nIt did not work: The agent did not answer \[masked\]/,
  )
  expect(translated(ja.translation, answer.content, answer.notice)).toMatch(
    /^Half of it\n\n[^A-Za-z]+\[masked\]/,
  )
  const { json: listed } = await server.ask('/api/conversations')
  expect(listed.items[0].lastMessage.notice).toEqual(answer.notice)
})

test('[HT7] a role that cannot start, and one that ends, carry their codes in the event and in what is read later', async () => {
  const room = await openConsole()
  const machine = await room.machine()
  const client = await room.client()
  const inside = await room.created(client)
  client.send({ type: 'agent:spawn', ...inside, role: 'auth' })
  const { launchId } = await machine.order('launch-begun')
  const output = { type: 'process-output', launchId, text: 'no key\n' } as const
  const failed = {
    type: 'agent-failed',
    launchId,
    step: 'initialize',
    error: why.text,
    notice: why.notice,
  } as const
  await machine.tell(started(launchId), output, failed, exited(launchId, { exitCode: 3 }))
  const notice = { code: 'withOutput', params: { what: why.notice, output: 'no key' } }
  expect(await client.next('agent:failed')).toMatchObject({ error: `${why.text}\nno key`, notice })
  client.send({ type: 'agent:get', ...inside, role: 'auth' })
  expect((await client.next('agent:info')).agent).toMatchObject({
    state: 'FAILED',
    notices: { error: notice },
  })
  client.send({ type: 'agent:terminate', ...inside, role: 'auth' })
  expect(await client.next('agent:terminated')).toMatchObject({
    reason: 'user requested',
    notice: { code: 'userRequested', params: {} },
  })
})
