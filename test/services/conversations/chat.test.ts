import { describe, expect, test } from 'vitest'
import { conversationStream, projectStream } from '../../../src/domain/stream-name.ts'
import { maxContentChars } from '../../../src/protocol/conversations/message.ts'
import { createAgent } from '../../../src/services/agents/change-agent.ts'
import { listMessages } from '../../../src/services/conversations/queries.ts'
import { endChat, startChat } from '../../../src/services/flows/conversations/start-chat.ts'
import { unassignAgent } from '../../../src/services/flows/projects/unassign-agent.ts'
import { selectPurpose } from '../../../src/store/conversations/panels.ts'
import { by, eventsOf, typesOf } from '../projects/installation.ts'
import { codeOf, openChatStore, openRoom, texts } from './chat-room.ts'

async function open(agentIds?: string[]) {
  const opened = await openChatStore()
  return { ...opened, room: await openRoom(opened.store, agentIds) }
}

describe('writing to an agent', () => {
  test('[CH3] a message is stored whole, with its number, and told in the stream of its conversation', async () => {
    const { store, clock, room } = await open()
    const message = await room.say('hello', {
      priority: 'high',
      relatedTaskId: 'task_p1_code_001',
      relatedHandoffId: 'h1',
      clientId: 'c1',
    })
    expect(message).toEqual({
      id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      seq: 2,
      conversationKey: `web:${room.projectId}.ann`,
      projectId: room.projectId,
      senderId: by,
      receiverId: 'ann',
      role: 'user',
      content: 'hello',
      visible: true,
      priority: 'high',
      clientId: 'c1',
      relatedTaskId: 'task_p1_code_001',
      relatedHandoffId: 'h1',
      toolCalls: null,
      toolCallId: null,
      media: null,
      extra: null,
      copyOf: null,
      createdAt: new Date(clock.now()).toISOString(),
    })
    const events = await eventsOf(store, conversationStream(room.key))
    expect(events.map(({ type }) => type)).toEqual(['conversation-created', 'message-added'])
    expect(events[1]?.data).toEqual({ message })
    expect(await room.list()).toEqual([message])
  })

  test('[CH6] the number of a message is that of its event, and orders the conversation', async () => {
    const { store, room } = await open()
    await Promise.all(Array.from({ length: 20 }, (_, n) => room.say(`m${n}`)))
    const listed = await room.list()
    const events = await store.eventsAfter(conversationStream(room.key), 0, 100)
    const added = events.filter(({ type }) => type === 'message-added')
    expect(listed.map(({ seq }) => seq).reverse()).toEqual(added.map(({ seq }) => seq))
    expect(listed.toReversed()).toEqual(added.map(({ data }) => JSON.parse(data ?? '').message))
  })

  test('[CH11] two people in one conversation: one order, and who wrote what', async () => {
    const { room } = await open()
    await room.say('from ann', { by: 'per_ann' })
    await room.say('from bob', { by: 'per_bob' })
    const agentSession = await room.begin()
    await room.handOver(agentSession)
    await room.answer(agentSession, 'to both')
    expect(
      (await room.list()).map(({ senderId, receiverId, role, content }) => [
        senderId,
        receiverId,
        role,
        content,
      ]),
    ).toEqual([
      ['ann', null, 'assistant', 'to both'],
      ['per_bob', 'ann', 'user', 'from bob'],
      ['per_ann', 'ann', 'user', 'from ann'],
    ])
  })

  test('[CH3] the same client id again gives the same message, also all at once; other words or another receiver are refused', async () => {
    const { room } = await open(['ann', 'ben'])
    const sent = await Promise.all(
      Array.from({ length: 20 }, () => room.say('once', { clientId: 'c1' })),
    )
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
    expect(await room.list()).toHaveLength(1)
    for (const other of [
      () => room.say('twice', { clientId: 'c1' }),
      () => room.say('once', { clientId: 'c1', priority: 'urgent' }),
      () => room.say('once', { clientId: 'c1', toAgentId: 'ben' }),
      () => room.say('once', { clientId: 'c1', toAgentId: null }),
    ])
      expect(await codeOf(other())).toBe('idempotency_key_reused')
    expect((await room.say('once', { clientId: 'c1', by: 'per_else' })).id).not.toBe(sent[0]?.id)
  })

  test('[CH3] a resend is answered the same after the agent has left the project', async () => {
    const { store, room } = await open()
    const sent = await room.say('once', { clientId: 'c1' })
    await store.run(unassignAgent, { projectId: room.projectId, agentId: 'ann', by })
    expect(await room.say('once', { clientId: 'c1' })).toEqual(sent)
    expect(await codeOf(room.say('new'))).toBe('agent_not_found')
    expect(await room.list()).toEqual([sent])
  })

  test('[CH3] an agent that is unknown or not assigned is not there, and nothing is stored', async () => {
    const { store, room } = await open()
    await store.run(createAgent, { id: 'zoe', name: 'zoe', protocol: 'mcp', by })
    expect(await codeOf(room.say('x', { toAgentId: 'nobody' }))).toBe('agent_not_found')
    expect(await codeOf(room.say('x', { toAgentId: 'zoe' }))).toBe('agent_not_found')
    const elsewhere = store.query(listMessages, {
      projectId: 'proj_none',
      agentId: 'ann',
      hidden: false,
      limit: 50,
    })
    expect(await codeOf(elsewhere)).toBe('not_found')
    expect(await store.positions([conversationStream(`web:${room.projectId}.zoe`)])).toEqual([
      { head: 0, floor: 0 },
    ])
  })

  test('[CH6] a message for all is added to the conversation of every assigned agent, and answered by each', async () => {
    const { room } = await open(['ann', 'ben', 'cid'])
    const message = await room.say('everybody', { toAgentId: null, clientId: 'all' })
    expect(message).toMatchObject({
      receiverId: null,
      conversationKey: `web:${room.projectId}.ann`,
    })
    expect(await room.say('everybody', { toAgentId: null, clientId: 'all' })).toEqual(message)
    for (const agentId of ['ann', 'ben', 'cid']) {
      expect(texts(await room.list(false, agentId))).toEqual(['everybody'])
      const agentSession = await room.begin(agentId)
      const { messages } = await room.handOver(agentSession)
      expect(texts(messages)).toEqual(['everybody'])
      expect((await room.answer(agentSession, `${agentId} here`)).answered).toEqual(
        messages.map(({ id }) => id),
      )
    }
    expect(texts(await room.list(false, 'ben'))).toEqual(['ben here', 'everybody'])
  })

  test('[CH6] a message for all of nobody is refused', async () => {
    const { store, room } = await open()
    await store.run(unassignAgent, { projectId: room.projectId, agentId: 'ann', by })
    expect(await codeOf(room.say('x', { toAgentId: null }))).toBe('agent_not_found')
  })

  test('[CH8] pages come newest first by number, and nothing is skipped or repeated while messages are added', async () => {
    const { store, room } = await open()
    for (let n = 0; n < 25; n++) await room.say(`m${n}`)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await store.query(listMessages, {
        projectId: room.projectId,
        agentId: 'ann',
        hidden: false,
        limit: 10,
        cursor,
      })
      seen.push(...texts(page.items))
      cursor = page.nextCursor ?? undefined
      await room.say('later')
    } while (cursor)
    expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => `m${24 - n}`))
    const foreign = store.query(listMessages, {
      projectId: room.projectId,
      agentId: 'ann',
      hidden: false,
      limit: 1,
      cursor: 'x',
    })
    expect(await codeOf(foreign)).toBe('invalid_request')
  })

  test('[NA7] a message longer than what is handed over together is handed over alone, and the next comes after its answer', async () => {
    const { say, begin, handOver, answer } = await openRoom((await openChatStore()).store)
    // As an older build, or another limit on the wire, may have left it.
    const long = 'x'.repeat(1024 * 1024)
    await say(long)
    await say('short')
    const ann = await begin()
    const contents = async () => (await handOver(ann)).messages.map(({ content }) => content)
    expect(await contents()).toEqual([long])
    await answer(ann, 'Read.')
    expect(await contents()).toEqual(['short'])
  })

  test('[CH3] the longest message there can be comes back as it was, whatever characters it has', async () => {
    const { room } = await open()
    const content = '承認🙂\n"\\'.padEnd(maxContentChars, '界')
    await room.say(content)
    const agentSession = await room.begin()
    expect((await room.handOver(agentSession)).messages[0]?.content).toBe(content)
  })
})

describe('opening and closing the panel', () => {
  const start = { agentId: 'ann', by }

  test('[CH1] leaves a message nobody is shown and a wish for the agent; opening twice leaves one of each', async () => {
    const { store, room } = await open()
    const first = await store.run(startChat, { projectId: room.projectId, ...start })
    expect(first).toEqual({ conversationKey: room.key, agentSession: null, launch: null })
    await store.run(startChat, { projectId: room.projectId, ...start })
    expect(await room.list()).toEqual([])
    const hidden = await room.list(true)
    expect(hidden).toHaveLength(1)
    expect(hidden[0]).toMatchObject({
      senderId: 'system',
      receiverId: null,
      visible: false,
      role: 'system',
    })
    const pair = { agent_id: 'ann', project_id: room.projectId, lane: '' }
    expect(await store.read((reader) => reader.first(selectPurpose, pair))).toBeDefined()
    expect(
      (await typesOf(store, projectStream(room.projectId))).filter(
        (type) => type === 'chat-wanted',
      ),
    ).toHaveLength(2)
  })

  test('[CH1] with a session there it only says so; one on its way out leaves the wish for the next', async () => {
    const { store, room } = await open()
    const { agentSessionId } = await room.begin()
    const pair = { agent_id: 'ann', project_id: room.projectId, lane: '' }
    const wish = () => store.read((reader) => reader.first(selectPurpose, pair))
    const started = await store.run(startChat, { projectId: room.projectId, ...start })
    expect(started.agentSession).toMatchObject({
      id: agentSessionId,
      state: 'active',
      purpose: 'chat',
      endedAt: null,
    })
    expect(await wish()).toBeUndefined()
    await store.run(endChat, { projectId: room.projectId, ...start })
    const again = await store.run(startChat, { projectId: room.projectId, ...start })
    expect(again.agentSession).toMatchObject({ id: agentSessionId, state: 'terminating' })
    expect(await wish()).toBeDefined()
    expect(await room.list(true)).toEqual([])
  })

  test('[CH1] a wish that has lapsed is left anew, with its message', async () => {
    const { store, clock, room } = await open()
    await store.run(startChat, { projectId: room.projectId, ...start })
    clock.advance(10 * 60_000)
    await store.run(startChat, { projectId: room.projectId, ...start })
    expect(await room.list(true)).toHaveLength(2)
  })

  test('[CH4] closing makes the active session terminating and withdraws the wish; again or with none it changes nothing', async () => {
    const { store, room } = await open()
    const { projectId } = room
    expect(await store.run(endChat, { projectId, ...start })).toEqual({ agentSession: null })
    await store.run(startChat, { projectId, ...start })
    const { agentSessionId } = await room.begin()
    const closed = await store.run(endChat, { projectId, ...start })
    expect(closed.agentSession).toMatchObject({ id: agentSessionId, state: 'terminating' })
    const types = await typesOf(store, projectStream(projectId))
    expect(types.slice(-3)).toEqual(['chat-wanted', 'chat-not-wanted', 'agent-session-terminating'])
    expect((await store.run(endChat, { projectId, ...start })).agentSession).toMatchObject({
      state: 'terminating',
    })
    expect(await typesOf(store, projectStream(projectId))).toEqual(types)
  })

  test('[CH4] a task session is not closed with the panel', async () => {
    const { store, room } = await open()
    await room.begin('ann', 'task')
    expect(await store.run(endChat, { projectId: room.projectId, ...start })).toEqual({
      agentSession: null,
    })
  })

  test('[CH2] a hidden message is unread for nobody and handed to nobody', async () => {
    const { store, room } = await open()
    await store.run(startChat, { projectId: room.projectId, ...start })
    expect(await room.handOver(await room.begin())).toMatchObject({ messages: [], summary: null })
  })
})
