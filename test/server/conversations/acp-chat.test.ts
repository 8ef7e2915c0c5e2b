/**
 * The chat and the tasks of an ACP agent (CH12): the same as those of one that pulls, with the
 * server in its place.
 */
import { expect, test } from 'vitest'
import { webKey } from '../../../src/domain/conversations/key.ts'
import { inReadingOrder } from '../../../src/domain/conversations/messages.ts'
import { conversationStream, turnsStream } from '../../../src/domain/stream-name.ts'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import { sendMessage } from '../../../src/services/flows/messages/post-message.ts'
import { dispatchTurn } from '../../../src/services/flows/work/dispatch-turn.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { eventsOf } from '../../services/projects/installation.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { asks, said, turnEnded } from '../../support/relay.ts'

const last = ({ content }: { content: { text: string }[] }): string | undefined =>
  content.at(-1)?.text

test('[CH12] a message starts it, becomes its prompt, and its words are the answer; the next is told to the same process', async () => {
  const { room, say, chat, machine, agentSessions, server } = await openAcpChat()
  await say('hello')
  const launchId = await bringUp(machine)
  const first = await machine.turn()
  // The context begins new: the agent is told first who speaks and where.
  const primer = expect.stringContaining(`web:${room.projectId}.coder`)
  const content = [
    { type: 'text', text: primer },
    { type: 'text', text: 'hello' },
  ]
  const files = { key: expect.stringMatching(/^web:.+\.coder$/) }
  const context = { contextId: expect.any(String), open: null }
  expect(first).toEqual({ launchId, turnId: expect.any(String), content, files, context })
  expect(await agentSessions()).toMatchObject([
    { agentId: 'coder', purpose: 'chat', state: 'active', launchId },
  ])
  // What is written meanwhile is the next turn.
  await say('one more')
  await say('and another')
  await machine.tell(said(launchId, first.turnId, 'echo: '), said(launchId, first.turnId, 'hello'))
  await machine.tell(turnEnded(launchId, first.turnId))
  const second = await machine.turn()
  expect(second.content).toEqual([{ type: 'text', text: 'one more\n\nand another' }])
  expect(await chat()).toEqual([
    'owner: hello',
    'owner: one more',
    'owner: and another',
    'coder: echo: hello',
  ])
  // Another node that looks at the same moment tells it nothing twice; what is late of a turn that
  // is over is nobody's.
  const { agentId, projectId, coordinatorId } = (await server.ask(`/api/processes/${launchId}`))
    .json
  const post = { agentId, projectId, lane: '' }
  const look = { launchId, ...post, coordinatorId, roleAgentId: null }
  expect(await server.store.run(dispatchTurn, look)).toEqual({ dispatched: false })
  await machine.tell(said(launchId, first.turnId, 'late '), turnEnded(launchId, first.turnId))
  await machine.tell(said(launchId, second.turnId, 'both'), turnEnded(launchId, second.turnId))
  expect((await chat()).at(-1)).toBe('coder: both')
  // Told again, or late, it changes nothing.
  await machine.tell(said(launchId, second.turnId, 'late'), turnEnded(launchId, second.turnId))
  expect(await chat()).toHaveLength(5)
})

test('[CH12] a process that dies in the middle answers nothing: the next one is told the same again', async () => {
  const { room, say, chat, machine, agentSessions, server } = await openAcpChat()
  await say('hello')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'half'))
  await machine.tell(exited(launchId, { exitCode: 1 }))
  const left = await server.store.read((reader) => reader.row('turns', { id: turnId }))
  expect(left).toMatchObject({ state: 'unknown', stop_reason: 'process_gone', answer: 'half' })
  // A reader of what it was saying learns that no more of it comes.
  const received = await eventsOf(server.store, turnsStream(webKey(room.projectId, 'coder')))
  expect(received).toMatchObject([{ type: 'agent:response', data: { messageId: turnId } }])
  const second = await bringUp(machine)
  const again = await machine.turn()
  expect(again.launchId).toBe(second)
  expect(last(again)).toBe('hello')
  expect(again.content[0].text).toContain('given to a process that ended')
  await machine.tell(said(second, again.turnId, 'whole'), turnEnded(second, again.turnId))
  expect(await chat()).toEqual(['owner: hello', 'coder: whole'])
  expect(await agentSessions()).toMatchObject([
    { state: 'active' },
    { state: 'ended', endReason: 'process_exited' },
  ])
})

test('[CV13] what is written while an answer is given comes after it: in what the next process is told and in what is read', async () => {
  const { room, say, machine, server, clock } = await openAcpChat()
  const answer = async (launchId: string, text: string) => {
    const { turnId } = await machine.turn()
    return async () => machine.tell(said(launchId, turnId, text), turnEnded(launchId, turnId))
  }
  await say('first question')
  const launchId = await bringUp(machine)
  const first = await answer(launchId, 'first answer')
  clock.advance(1000)
  await say('second question')
  await first()
  await (await answer(launchId, 'second answer'))()
  await machine.tell(exited(launchId, { exitCode: 1 }))
  await say('third question')
  await bringUp(machine)
  const received = (await machine.turn()).content[0].text
  expect(received.match(/\w+ (?:question|answer)/g)).toEqual([
    'first question',
    'first answer',
    'second question',
    'second answer',
  ])
  const path = `/api/conversations/${encodeURIComponent(webKey(room.projectId, 'coder'))}/messages`
  const { items } = (await server.ask(path)).json
  expect(
    inReadingOrder<Message>(items)
      .map(({ content }) => content)
      .slice(0, 4),
  ).toEqual(received.match(/\w+ (?:question|answer)/g))
})

test('[CH15] a chat is stopped: what was done so far stays with its turn, a second stop and one of nothing change nothing', async () => {
  const { room, say, chat, machine, server } = await openAcpChat()
  const at = `/api/conversations/${encodeURIComponent(webKey(room.projectId, 'coder'))}`
  const stop = () => server.ask(`${at}/stop`, { method: 'POST' })
  await say('hello')
  expect((await stop()).json).toMatchObject({ code: 'wrong_state', notice: { code: 'noTurn' } })
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'half'), asks(launchId, turnId, 'ask-1'))
  // A reader that comes now sees all of it, and what is asked.
  const stream = turnsStream(webKey(room.projectId, 'coder'))
  const { state } = (await server.ask(`/api/snapshot?streams=${encodeURIComponent(stream)}`)).json
  expect(state[stream].running).toMatchObject([
    {
      turn: { messageId: turnId },
      items: [{ kind: 'text', text: 'half' }],
      permissions: [{ messageId: turnId }],
    },
  ])
  expect((await stop()).json).toEqual({ stopped: 1 })
  expect(await machine.order('cancel-ordered')).toMatchObject({ launchId, turnId })
  expect((await stop()).json).toEqual({ stopped: 1 })
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'cancelled', stopReason: 'cancelled' }))
  expect((await chat()).at(-1)).toContain('half')
  const { items } = (await server.ask(`${at}/turns?items=true`)).json
  const came = [
    { kind: 'text', text: 'half' },
    { kind: 'permission', permission: { outcome: 'withdrawn' } },
  ]
  expect(items).toMatchObject([{ id: turnId, state: 'cancelled', items: came }])
  expect((await server.ask(`${at}/turns`)).json.items[0].items).toBeUndefined()
  expect((await stop()).status).toBe(409)
})

test('[CH16] a message that waits is withdrawn: its agent never gets it; one that an agent was given, or that is nowhere, is refused', async () => {
  const { room, say, chat, machine, server } = await openAcpChat()
  const key = webKey(room.projectId, 'coder')
  const at = `/api/conversations/${encodeURIComponent(key)}`
  const withdraw = (seq: number) => server.ask(`${at}/messages/${seq}/withdraw`, { method: 'POST' })
  const counts = async () => {
    const row = await server.store.read((reader) => reader.row('conversations', { key }))
    return [row?.message_count, row?.unsummarised_chars, row?.chapter_messages]
  }
  const given = (await say('hello')).json.seq
  const launchId = await bringUp(machine)
  const first = await machine.turn()
  const kept = (await say('keep')).json.seq
  const before = await counts()
  const taken = (await say('never mind')).json.seq
  expect((await withdraw(given)).json).toMatchObject({
    code: 'wrong_state',
    notice: { code: 'messageBegun' },
    state: 'running',
  })
  expect((await withdraw(999)).json).toMatchObject({
    code: 'not_found',
    notice: { code: 'messageGone' },
  })
  expect((await withdraw(taken)).json).toEqual({ seq: taken })
  expect((await withdraw(taken)).json).toMatchObject({ code: 'wrong_state', state: 'cancelled' })
  expect(await counts()).toEqual(before)
  expect(await chat()).toEqual(['owner: hello', 'owner: keep'])
  const received = (await eventsOf(server.store, conversationStream(key))).find(
    ({ type }) => type === 'message-withdrawn',
  )
  expect(received).toMatchObject({ data: { seq: taken, by: 'owner' } })
  await machine.tell(said(launchId, first.turnId, 'hi'), turnEnded(launchId, first.turnId))
  const second = await machine.turn()
  expect(last(second)).toBe('keep')
  // The last message of a turn takes the turn with it: nothing is left to tell.
  const only = (await say('nor this')).json.seq
  expect((await withdraw(only)).status).toBe(200)
  await machine.tell(said(launchId, second.turnId, 'kept'), turnEnded(launchId, second.turnId))
  expect((await withdraw(kept)).json).toMatchObject({ code: 'wrong_state', state: 'answered' })
  const { items } = (await server.ask(`${at}/turns`)).json
  expect(items.map(({ state }: { state: string }) => state)).toEqual([
    'cancelled',
    'answered',
    'answered',
  ])
  expect(await chat()).toEqual(['owner: hello', 'owner: keep', 'coder: hi', 'coder: kept'])
})

test('[CH12] a prompt names the handoff that its message belongs to', async () => {
  const { room, machine, server } = await openAcpChat()
  const body = {
    projectId: room.projectId,
    toAgentId: 'coder',
    content: 'go on with it',
    relatedHandoffId: 'handoff-7',
  }
  expect((await server.ask('/api/chat', { method: 'POST', body })).status).toBe(201)
  await bringUp(machine)
  expect(last(await machine.turn())).toBe(
    'go on with it\n\n(This belongs to the handoff handoff-7.)',
  )
})

test('[CV10] what two that are spoken to say to each other comes to an end: who wrote is told, and an answer to an answer asks nobody', async () => {
  const { room, say, chat, machine, server, agentSessions } = await openAcpChat()
  const { store, ask } = server
  await say('ask the critic')
  const coder = await bringUp(machine)
  const first = await machine.turn()
  const [{ id: agentSessionId }] = await agentSessions()
  const caller = { agentId: 'coder', projectId: room.projectId, agentSessionId }
  await store.run(sendMessage, { ...caller, toAgentId: 'critic', content: 'Is it right?' })
  await machine.tell(said(coder, first.turnId, 'I have asked'), turnEnded(coder, first.turnId))
  const critic = await bringUp(machine)
  const asked = await machine.turn()
  expect(asked).toMatchObject({
    launchId: critic,
    content: [{}, { text: 'The agent coder writes to you:\n\nIs it right?' }],
  })
  await machine.tell(said(critic, asked.turnId, 'It is'), turnEnded(critic, asked.turnId))
  const heard = await machine.turn()
  expect(heard).toMatchObject({
    launchId: coder,
    content: [{ text: 'The agent critic answers you:\n\nIt is' }],
  })
  await machine.tell(said(coder, heard.turnId, 'Thank you'), turnEnded(coder, heard.turnId))
  const { items } = (
    await ask(`/api/conversations/${encodeURIComponent('agent:coder~critic')}/messages`)
  ).json
  const kept = items.map(({ content, clientId }: { content: string; clientId: string | null }) => [
    content,
    clientId,
  ])
  expect(kept).toEqual([
    ['Is it right?', null],
    ['It is', asked.turnId],
  ])
  // What it makes of the answer is said where it was asked.
  expect((await chat()).at(-1)).toBe('coder: Thank you')
  // What a person says to the critic is another conversation, and a context of its own.
  await ask('/api/chat', {
    method: 'POST',
    body: { projectId: room.projectId, toAgentId: 'critic', content: 'hello' },
  })
  const next = await machine.turn()
  expect([next.launchId, last(next)]).toEqual([critic, 'hello'])
  expect(next.context.contextId).not.toBe(asked.context.contextId)
  expect(next.context.open.primer).not.toContain('Is it right?')
})

test('[CH12] an error is told in words, and does not ask for the same again', async () => {
  const { say, chat, machine } = await openAcpChat()
  await say('hello')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'failed', error: 'Rate limit' }))
  expect(await chat()).toEqual(['owner: hello', 'coder: It did not work: Rate limit'])
  await say('now?')
  expect(await machine.turn()).toMatchObject({ launchId, content: [{ text: 'now?' }] })
})

test('[CH12] the panel that closes, and the soft timeout, send it away as any other', async () => {
  const { room, server, say, machine, agentSessions, clock, dispatcher } = await openAcpChat({
    'chat.soft_timeout_minutes': 0.1,
  })
  await say('hello')
  const first = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(said(first, turnId, 'hi'), turnEnded(first, turnId))
  clock.advance(5000)
  await dispatcher.settled()
  expect(await agentSessions()).toMatchObject([{ state: 'active' }])
  clock.advance(2500)
  expect(await machine.order('stop-ordered')).toEqual({ launchId: first, reason: 'finished' })
  expect(await agentSessions()).toMatchObject([{ state: 'ended', endReason: 'timeout' }])
  await machine.tell(exited(first, { stopped: true }))
  await server.ask(`/api/projects/${room.projectId}/chat/start?agentId=coder`, { method: 'POST' })
  const second = await bringUp(machine)
  await dispatcher.settled()
  await server.ask(`/api/projects/${room.projectId}/agents/coder/chat/end`, { method: 'POST' })
  expect(await machine.order('stop-ordered')).toEqual({ launchId: second, reason: 'finished' })
  expect(await agentSessions()).toMatchObject([{ endReason: 'closed' }, { endReason: 'timeout' }])
})

test('[CH12] a question of the agent is in the inbox, and the answer is told to it', async () => {
  const { room, server, say, machine } = await openAcpChat()
  await say('write')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(asks(launchId, turnId, 'q'))
  const [approval] = (await server.ask('/api/approvals')).json.items
  expect(approval).toMatchObject({
    checkpointType: 'tool_permission',
    permission: { userSessionId: null, role: null },
  })
  const path = `/api/projects/${room.projectId}/approvals/${approval.id}/decision`
  const { json } = await server.ask(path, { method: 'POST', body: { status: 'approved' } })
  expect(json).toMatchObject({ status: 'approved', outcome: 'allowed' })
  expect(await machine.order('permission-settled')).toEqual({
    launchId,
    askId: 'q',
    optionId: 'yes',
  })
})

test('[CH12] a task is told, its answer is the result, and it is sent away when none is left', async () => {
  const { room, server, machine, agentSessions } = await openAcpChat()
  const path = `/api/projects/${room.projectId}/tasks`
  const draft = {
    phase: 1,
    type: 'code',
    title: 'Write a poem',
    description: 'Short.',
    assignedTo: 'coder',
  }
  const { id } = (await server.ask(path, { method: 'POST', body: draft })).json
  await server.ask(`${path}/${id}`, { method: 'PATCH', body: { status: 'in_progress' } })
  const launchId = await bringUp(machine)
  const { turnId, content } = await machine.turn()
  expect(content.at(-1).text).toBe(
    `Task ${id}: Write a poem\n\nShort.\n\nDo it, and answer with the result when it is done.`,
  )
  expect(await agentSessions()).toMatchObject([{ purpose: 'task', state: 'active' }])
  await machine.tell(said(launchId, turnId, 'Roses'), turnEnded(launchId, turnId))
  expect((await server.ask(`${path}/${id}`)).json).toMatchObject({
    status: 'completed',
    result: 'Roses',
  })
  expect(await machine.order('stop-ordered')).toEqual({ launchId, reason: 'finished' })
  expect(await agentSessions()).toMatchObject([{ state: 'ended', endReason: 'work_done' }])
})

test('[CH12] a conversation that has grown long is summarised by it, and the next process hears the summary first', async () => {
  const { say, chat, machine, clock, dispatcher } = await openAcpChat({
    'chat.summarize_after_chars': 1000,
    'chat.soft_timeout_minutes': 0.1,
  })
  await say(`long ${'x'.repeat(1200)}`)
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'read'), turnEnded(launchId, turnId))
  const summary = await machine.turn()
  expect(summary.content[0].text).toContain('Answer with a summary')
  await machine.tell(
    said(launchId, summary.turnId, 'It was about x.'),
    turnEnded(launchId, summary.turnId),
  )
  expect(await chat()).toHaveLength(2)
  await dispatcher.settled()
  clock.advance(7000)
  await machine.order('stop-ordered')
  await machine.tell(exited(launchId, { stopped: true }))
  await say('and y?')
  await bringUp(machine)
  const next = await machine.turn()
  expect([next.content[0].text, last(next)]).toEqual([
    expect.stringContaining('It was about x.'),
    'and y?',
  ])
})

test('[NA9] a summary has a length, so that it does not grow with each; one that cannot be had leaves the earlier one', async () => {
  const { server, room, say, machine } = await openAcpChat({ 'chat.summarize_after_chars': 1000 })
  const conversation = `/api/conversations/${encodeURIComponent(webKey(room.projectId, 'coder'))}`
  await say(`long ${'x'.repeat(1200)}`)
  const launchId = await bringUp(machine)
  const summarise = async (answer: string): Promise<string> => {
    const { turnId } = await machine.turn()
    await machine.tell(said(launchId, turnId, 'read'), turnEnded(launchId, turnId))
    const summary = await machine.turn()
    await machine.tell(said(launchId, summary.turnId, answer), turnEnded(launchId, summary.turnId))
    return (await server.ask(conversation)).json.summary
  }
  const shortened = `${'y'.repeat(20_000)}… (5000 more characters)`
  expect(await summarise('y'.repeat(25_000))).toBe(shortened)
  await say(`long ${'z'.repeat(1200)}`)
  expect(await summarise('')).toBe(`${shortened}\n\nThere is no summary of what was said then.`)
  await say(`long ${'z'.repeat(1200)}`)
  expect(await summarise("You've hit your usage limit, try again in 2 hours.")).not.toContain(
    'limit',
  )
})

test('[CH12] a start that fails is a failed launch with its error, as the panel shows it', async () => {
  const { server, say, machine } = await openAcpChat()
  await say('hello')
  const { launchId } = await machine.order('launch-begun')
  await machine.tell(started(launchId), {
    type: 'agent-failed',
    launchId,
    step: 'initialize',
    error: 'It speaks no ACP',
  })
  await machine.tell(exited(launchId, { stopped: true }))
  expect((await server.ask(`/api/processes/${launchId}`)).json).toMatchObject({
    state: 'ended',
    reason: 'start_failed',
    detail: 'It speaks no ACP',
  })
})

test('[RS2] a task that is resumed is told with what is known about it; what failed before comes first of all', async () => {
  const { room, server, machine } = await openAcpChat()
  const project = `/api/projects/${room.projectId}`
  const draft = { phase: 1, type: 'code', title: 'Write a poem', assignedTo: 'coder' }
  const { id } = (await server.ask(`${project}/tasks`, { method: 'POST', body: draft })).json
  await server.ask(`${project}/tasks/${id}`, { method: 'PATCH', body: { status: 'in_progress' } })
  const launchId = await bringUp(machine)
  await machine.turn()
  const [work] = (await server.ask(`${project}/sessions`)).json.items
  const body = { kind: 'failed', category: 'verse', description: 'Rhyming at any price' }
  await server.ask(`${project}/sessions/${work.id}/approaches`, { method: 'POST', body })
  await machine.tell(exited(launchId, { exitCode: 1 }))
  expect((await server.ask(`${project}/sessions/${work.id}`)).json).toMatchObject({
    state: 'interrupted',
  })
  expect(
    (await server.ask(`${project}/sessions/${work.id}/resume`, { method: 'POST' })).status,
  ).toBe(201)
  await bringUp(machine)
  const text = (await machine.turn()).content
    .map((part: { text: string }) => part.text)
    .join('\n\n')
  expect(text).toContain(`Task ${id}: Write a poem`)
  expect(text).toContain('approach_f001: Rhyming at any price · avoid')
})
