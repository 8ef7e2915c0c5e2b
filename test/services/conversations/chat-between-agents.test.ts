import { describe, expect, test } from 'vitest'
import { conversationStream, projectStream } from '../../../src/domain/stream-name.ts'
import { closeConversation } from '../../../src/services/conversations/change-conversation.ts'
import {
  getConversation,
  openConversationsOf,
} from '../../../src/services/conversations/queries.ts'
import { sendMessage } from '../../../src/services/flows/messages/post-message.ts'
import type { AgentCaller } from '../../../src/store/conversations/unread.ts'
import { eventsOf, typesOf } from '../projects/installation.ts'
import { codeOf, openChatStore, openRoom, texts } from './chat-room.ts'

const key = 'agent:ann~ben'

async function open() {
  const opened = await openChatStore()
  const room = await openRoom(opened.store, ['ann', 'ben'])
  const tell = (caller: AgentCaller, toAgentId: string, content: string, clientId?: string) =>
    opened.store.run(sendMessage, { ...caller, toAgentId, content, clientId })
  return { ...opened, room, tell }
}

describe('agents that write to each other', () => {
  test('[CV10] a message opens their conversation, the same from both sides, and is unread for the receiver', async () => {
    const { store, room, tell } = await open()
    const [ann, ben] = [await room.begin('ann'), await room.begin('ben')]
    const sent = await tell(ben, 'ann', 'are you there?')
    const { messages } = await room.handOver(ann)
    expect(messages).toMatchObject([
      {
        id: sent.messageId,
        seq: sent.seq,
        conversationKey: key,
        senderId: 'ben',
        receiverId: 'ann',
        role: 'assistant',
      },
    ])
    expect((await room.handOver(ben)).messages).toEqual([])
    expect((await room.answer(ann, 'yes')).answered).toEqual([sent.messageId])
    expect(texts((await room.handOver(ben)).messages)).toEqual(['yes'])
    expect(await room.answer(ben, '')).toMatchObject({ messageId: null })
    expect((await room.handOver(ann)).messages).toEqual([])
    expect(await store.query(getConversation, { key })).toMatchObject({
      state: 'open',
      projectId: null,
      messageCount: 2,
    })
  })

  test('[CV10] whoever waits in the project is told of each message, without its body', async () => {
    const { store, room, tell } = await open()
    const ann = await room.begin('ann')
    const sent = await tell(ann, 'ben', 'hello')
    const copies = (await eventsOf(store, projectStream(room.projectId))).filter(
      ({ type }) => type === 'message-added',
    )
    expect(copies).toEqual([
      { type: 'message-added', data: { refStream: conversationStream(key), refSeq: sent.seq } },
    ])
  })

  test('[CV10] [CX1] what people and agents wrote is answered where it was asked, each in a session of its own', async () => {
    const { clock, room, tell } = await open()
    const [ann, ben] = [await room.begin('ann'), await room.begin('ben')]
    await tell(ben, 'ann', 'from ben')
    clock.advance(1)
    await room.say('from a person', { priority: 'high' })
    expect(texts((await room.handOver(ann)).messages)).toEqual(['from a person'])
    await room.answer(ann, 'to the person')
    // The session holds the person's words now: what the agent wrote is for another session.
    expect(texts((await room.handOver(ann)).messages)).toEqual([])
    await room.end(ann)
    const next = await room.begin('ann')
    const handed = await room.handOver(next)
    expect([texts(handed.messages), handed.conversationKey]).toEqual([['from ben'], key])
    expect(handed.primer).not.toContain('from a person')
    await room.answer(next, 'to ben')
    expect(texts(await room.list())).toEqual(['to the person', 'from a person'])
    expect(texts((await room.handOver(ben)).messages)).toEqual(['to ben'])
  })

  test('[CV10] only to another agent of the project, and once under a client id', async () => {
    const { store, room, tell } = await open()
    await openRoom(store, ['cid'])
    const ann = await room.begin('ann')
    for (const nobody of ['cid', 'nobody', 'ann'])
      expect(await codeOf(tell(ann, nobody, 'x'))).toBe('agent_not_found')
    const sent = await tell(ann, 'ben', 'x', 'c1')
    expect(await tell(ann, 'ben', 'x', 'c1')).toEqual(sent)
    expect(await codeOf(tell(ann, 'ben', 'y', 'c1'))).toBe('idempotency_key_reused')
    await room.end(ann)
    expect(await codeOf(tell(ann, 'ben', 'z'))).toBe('session_ended')
  })

  test('[AS9] it is closed when a session that wrote in it ends, not before, and the next message opens it again', async () => {
    const { store, room, tell } = await open()
    const [ann, ben] = [await room.begin('ann'), await room.begin('ben')]
    await tell(ann, 'ben', 'one')
    const close = ({ agentSessionId }: AgentCaller) =>
      store.run(closeConversation, { conversationKey: key, agentSessionId })
    expect(await store.read((reader) => openConversationsOf(reader, { ...ann, lane: '' }))).toEqual(
      [key],
    )
    expect(await store.read((reader) => openConversationsOf(reader, { ...ben, lane: '' }))).toEqual(
      [],
    )
    expect(await close(ann)).toEqual({ closed: false })
    await room.end(ben)
    expect(await close(ben)).toEqual({ closed: false })
    await room.end(ann)
    expect([await close(ann), await close(ann)]).toEqual([{ closed: true }, { closed: false }])
    expect(await store.query(getConversation, { key })).toMatchObject({
      state: 'closed',
      messageCount: 1,
    })
    expect(await store.read((reader) => openConversationsOf(reader, { ...ann, lane: '' }))).toEqual(
      [],
    )
    await tell(await room.begin('ann'), 'ben', 'two')
    expect(await store.query(getConversation, { key })).toMatchObject({
      state: 'open',
      messageCount: 2,
    })
    expect((await typesOf(store, conversationStream(key))).slice(-3)).toEqual([
      'conversation-closed',
      'conversation-reopened',
      'message-added',
    ])
    expect(texts((await room.handOver(await room.begin('ben'))).messages)).toEqual(['one', 'two'])
  })
})
