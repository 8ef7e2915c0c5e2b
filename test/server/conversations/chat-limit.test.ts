/**
 * What an ACP agent could not do because it met its vendor's limit (AG6): in a chat, in a chat
 * elsewhere, in a task.
 */
import { expect, test } from 'vitest'
import type { ChatCommand } from '../../../src/domain/channels/key.ts'
import { webKey } from '../../../src/domain/conversations/key.ts'
import { instant } from '../../../src/domain/instant.ts'
import { conversationStream } from '../../../src/domain/stream-name.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import type { ConversationState } from '../../../src/protocol/snapshot.ts'
import {
  createPairingCode,
  setChannelRoute,
} from '../../../src/services/channels/change-channel.ts'
import { getHistory } from '../../../src/services/conversations/queries.ts'
import { takeIncoming } from '../../../src/services/flows/channels/take-incoming.ts'
import { readSnapshot } from '../../../src/services/system/read-snapshot.ts'
import { exited } from '../../services/processes/launch-pad.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { userSessionLooks } from '../../support/due-work.ts'
import { question, said, turnEnded, update } from '../../support/relay.ts'

const limitWords = "You've hit your usage limit. Try again in 30 seconds."

test('[AG10] a limit met in a chat elsewhere is told there with its end and what to do, in its language; a command there says that it goes on by itself', async () => {
  const { room, server, machine, clock } = await openAcpChat()
  const { store } = server
  const place = { channel: 'telegram', chatId: '42' } as const
  const route = { projectId: room.projectId, agentId: 'coder' }
  const { code } = await store.run(createPairingCode, { channel: place.channel, by: 'owner' })
  const message = {
    ...place,
    kind: 'person',
    title: 'Ann',
    handle: null,
    language: 'ja',
    senderId: 'telegram:42',
    senderName: 'Ann',
    messageId: '1',
    attachment: null,
    command: undefined,
    parentId: null,
    isForUs: true,
    platformId: '1',
    userId: '42',
  } as const
  await store.run(takeIncoming, { ...message, content: code })
  await store.run(setChannelRoute, { channel: place.channel, route, by: 'owner' })
  await store.run(takeIncoming, { ...message, content: 'こんにちは' })
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'failed', error: limitWords }))
  const lastSaid = async () =>
    (await store.query(getHistory, { key: 'telegram:42', hidden: false, limit: 10 })).items.at(-1)
      ?.content ?? ''
  const zone = Temporal.Now.timeZoneId()
  const until = Temporal.Instant.fromEpochMilliseconds(clock.now() + 30_000)
    .toZonedDateTimeISO(zone)
    .toPlainTime()
  const answer = await lastSaid()
  expect(answer).toContain(
    `上限に達しました（${until.toString({ smallestUnit: 'minute' })} (${zone}) まで）`,
  )
  expect(answer).toContain('もう一度送ってください')
  expect(answer).toContain(limitWords)
  // There is no card: a command says that it goes on by itself, and takes it back.
  const runOrder = async (command: ChatCommand) =>
    (
      await store.run(takeIncoming, {
        ...message,
        content: `/${command}`,
        command: { command, rest: '' },
      })
    ).said
  const sweep = () =>
    userSessionLooks({
      store,
      clock,
      logger: createLogger({ level: 'silent', format: 'json' }),
    }).run()
  expect(await runOrder('stop')).toContain('動いているものはありません')
  expect(await runOrder('continue')).toContain('自動で答えます')
  expect(await runOrder('status')).toContain('自動で答えます')
  expect(await runOrder('stop')).toContain('もう答えません')
  expect(await runOrder('status')).not.toContain('自動で答えます')
  await runOrder('continue')
  clock.advance(30_000)
  await sweep()
  expect(await runOrder('continue')).toContain('上限に達していません')
  const again = await machine.turn()
  expect(again.content).toEqual([{ type: 'text', text: 'こんにちは' }])
  // At the limit again: the wish holds, and the chat is told so. Begun anew, nothing is taken up
  // again.
  await machine.tell(turnEnded(launchId, again.turnId, { outcome: 'failed', error: limitWords }))
  expect(await lastSaid()).toContain('その時刻を過ぎたら、自動で答えます')
  await runOrder('new')
  expect(await runOrder('continue')).toContain('上限に達していません')
})

test('[AG10] [CV15] a limit met in a chat whose key goes on behind the agent is told with its end', async () => {
  const { room, server, machine, clock } = await openAcpChat()
  const { store, ask } = server
  const key = `${webKey(room.projectId, 'coder')}.second`
  const at = `/api/conversations/${encodeURIComponent(key)}`
  await ask('/api/conversations', { method: 'POST', body: { key } })
  await ask(`${at}/messages`, { method: 'POST', body: { role: 'user', content: 'hello' } })
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'failed', error: limitWords }))
  const stream = conversationStream(key)
  const { state } = await store.query(readSnapshot, { streams: [stream] })
  expect((state[stream] as ConversationState).limit).toEqual({
    until: instant(clock.now() + 30_000),
    goesOn: false,
  })
})

test('[AG10] a limit met in a chat is told with its end; what could not be answered is told again by itself when a person said so', async () => {
  const { room, server, say, chat, machine, clock } = await openAcpChat()
  const { store, ask } = server
  const pair = `/api/projects/${room.projectId}/agents/coder`
  const goOn = (wish: boolean) =>
    ask(`${pair}/chat/go-on`, { method: 'POST', body: { goOn: wish } })
  const stream = conversationStream(webKey(room.projectId, 'coder'))
  const limit = async () => {
    const { state } = await store.query(readSnapshot, { streams: [stream] })
    return (state[stream] as ConversationState).limit
  }
  // As after a restart: nothing is known but what is in the store.
  const sweep = () =>
    userSessionLooks({
      store,
      clock,
      logger: createLogger({ level: 'silent', format: 'json' }),
    }).run()
  expect((await goOn(true)).json).toMatchObject({ code: 'wrong_state' })
  await say('first')
  const launchId = await bringUp(machine)
  const meet = async () => {
    const { turnId, content } = await machine.turn()
    const until = instant(clock.now() + 30_000)
    await machine.tell(turnEnded(launchId, turnId, { outcome: 'failed', error: limitWords }))
    expect(await limit()).toMatchObject({ until })
    return content.at(-1).text
  }
  expect(await meet()).toBe('first')
  expect(await chat()).toEqual(['owner: first', `coder: It did not work: ${limitWords}`])
  expect(await limit()).toMatchObject({ goesOn: false })
  // Without that wish nothing is told again.
  clock.advance(30_000)
  await sweep()
  expect(await limit()).toBeNull()
  await say('second')
  expect(await meet()).toBe('second')
  expect((await goOn(true)).json).toEqual({ until: instant(clock.now() + 30_000), goesOn: true })
  // The message is parked: a turn that waits, and no work before its time.
  const turns = (
    await ask(`/api/conversations/${encodeURIComponent(webKey(room.projectId, 'coder'))}/turns`)
  ).json.items
  const [parked, met, dropped] = turns
  expect(parked).toMatchObject({
    state: 'queued',
    retryOf: met.id,
    notBefore: instant(clock.now() + 30_000),
  })
  expect(met).toMatchObject({ state: 'failed', stopReason: 'limit', notBefore: null })
  expect(dropped).toMatchObject({ state: 'cancelled', stopReason: 'withdrawn', notBefore: null })
  clock.advance(29_000)
  await sweep()
  expect(await limit()).toMatchObject({ goesOn: true })
  clock.advance(1000)
  await sweep()
  await sweep()
  expect(await limit()).toBeNull()
  // At the limit again: what was said still holds, and what is sent meanwhile is tried at once.
  expect(await meet()).toBe('second')
  expect(await limit()).toMatchObject({ goesOn: true })
  await say('third')
  const third = await machine.turn()
  expect(third.content).toEqual([{ type: 'text', text: 'third' }])
  await machine.tell(said(launchId, third.turnId, 'works'), turnEnded(launchId, third.turnId))
  // The agent works again: what it could not answer comes next.
  expect(await limit()).toBeNull()
  const again = await machine.turn()
  expect(again.content).toEqual([{ type: 'text', text: 'second' }])
  await machine.tell(
    said(launchId, again.turnId, 'late but here'),
    turnEnded(launchId, again.turnId),
  )
  expect((await chat()).slice(-2)).toEqual(['coder: works', 'coder: late but here'])
})

test('[AG10] an agent that has gone while its limit lasts is started again for what it could not answer', async () => {
  const { room, server, say, machine, clock } = await openAcpChat()
  await say('first')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'failed', error: limitWords }))
  await server.ask(`/api/projects/${room.projectId}/agents/coder/chat/go-on`, {
    method: 'POST',
    body: { goOn: true },
  })
  await machine.tell(exited(launchId))
  clock.advance(30_000)
  const logger = createLogger({ level: 'silent', format: 'json' })
  await userSessionLooks({ store: server.store, clock, logger }).run()
  const second = await bringUp(machine)
  expect(await machine.turn()).toMatchObject({ launchId: second, content: [{}, { text: 'first' }] })
})

test('[AG11] a task that met a limit has failed with until when, also when the agent calls that an answer', async () => {
  const { room, server, machine, clock } = await openAcpChat()
  const path = `/api/projects/${room.projectId}/tasks`
  const until = instant(clock.now() + 3600_000)
  const words = `You've hit your usage limit, try again at ${until}.`
  for (const [before, answer, ended] of [
    ['', words, {}],
    ['I look at it.', words, {}],
    ['', '', { outcome: 'failed', error: words }],
  ] as const) {
    const draft = { phase: 1, type: 'code', title: 'Write a poem', assignedTo: 'coder' }
    const { id } = (await server.ask(path, { method: 'POST', body: draft })).json
    await server.ask(`${path}/${id}`, { method: 'PATCH', body: { status: 'in_progress' } })
    const launchId = await bringUp(machine)
    const { turnId } = await machine.turn()
    const ran = update(launchId, turnId, { kind: 'tool', call: question().call })
    const began = before === '' ? [] : [said(launchId, turnId, before), ran]
    await machine.tell(...began, said(launchId, turnId, answer), turnEnded(launchId, turnId, ended))
    const { json } = await server.ask(`${path}/${id}`)
    expect(json).toMatchObject({
      status: 'failed',
      result: expect.stringContaining(`It is at its limit until ${until}.`),
    })
    expect(json.result).toContain(words)
    await machine.order('stop-ordered')
    await machine.tell(exited(launchId, { stopped: true }))
  }
})
