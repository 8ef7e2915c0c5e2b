/** The chat and the tasks of an agent that is spoken to (CH12): the same as those of one that pulls, with the server in its place. */
import { expect, onTestFinished, test } from 'vitest'
import { UserSessionSweeper } from '../../src/compose/duties/user-session-sweeper.ts'
import type { ChatCommand } from '../../src/domain/channel/command.ts'
import { webKey } from '../../src/domain/conversation/key.ts'
import { instant } from '../../src/domain/instant.ts'
import { answerStream, conversationStream } from '../../src/domain/stream/name.ts'
import { createLogger } from '../../src/platform/logger.ts'
import type { ConversationState } from '../../src/protocol/snapshot.ts'
import { createSpeaker } from '../../src/server/agents/speaker.ts'
import { Starter } from '../../src/server/agents/starter.ts'
import { createPairingCode } from '../../src/services/create-pairing-code.ts'
import { getHistory } from '../../src/services/get-history.ts'
import { hearStranger } from '../../src/services/hear-stranger.ts'
import { obeyChatCommand } from '../../src/services/obey-chat-command.ts'
import { readSnapshot } from '../../src/services/read-snapshot.ts'
import { sendMessage } from '../../src/services/send-message.ts'
import { speakToAgent } from '../../src/services/speak-to-agent.ts'
import { takeChannelMessage } from '../../src/services/take-channel-message.ts'
import { piecesOf, selectChatTurn } from '../../src/store/queries/chat-turns.ts'
import { eventsOf } from '../services/installation.ts'
import { exited, started } from '../services/launch-pad.ts'
import { asks, type Machine, openConsole, readyAgent, said, turnEnded } from '../support/relay.ts'

async function open(settings: object = {}) {
  const room = await openConsole({}, settings)
  const { server, projectId } = room
  const { store, clock } = server
  const lines: string[] = []
  const logger = createLogger({ level: 'warn', format: 'json', destination: { write: (line) => void lines.push(line) } })
  const starter = new Starter({ store, clock, logger, tails: server.server.tails, launches: server.server.launches })
  const speaker = createSpeaker({ store, clock, logger })
  await starter.start()
  speaker.start()
  onTestFinished(async () => {
    await starter.stop()
    await speaker.stop()
    expect(lines).toEqual([])
  })
  const machine = await room.machine()
  return {
    room,
    server,
    machine,
    speaker,
    clock,
    say: (content: string) => server.ask('/api/chat', { method: 'POST', body: { projectId, toAgentId: 'coder', content } }),
    chat: async () =>
      (await server.ask(`/api/projects/${projectId}/agents/coder/messages`)).json.items
        .map(({ senderId, content }: { senderId: string; content: string }) => `${senderId}: ${content}`)
        .reverse(),
    agentSessions: async () => (await server.ask(`/api/agent-sessions?projectId=${projectId}`)).json.items,
  }
}

/** From the order to a process that can be told something. */
async function bringUp(machine: Machine): Promise<string> {
  const { launchId } = (await machine.order('launch-ordered')).order
  const { acp } = await machine.ask({ type: 'coordinator:take', launchId })
  expect(acp).toMatchObject({ workspace: null, loadAcpSessionId: null })
  await machine.tell(started(launchId), readyAgent(launchId))
  return launchId
}

test('[CH12] a message starts it, becomes its prompt, and its words are the answer; the next is told to the same process', async () => {
  const { say, chat, machine, agentSessions, server } = await open()
  await say('hello')
  const launchId = await bringUp(machine)
  const first = await machine.turn()
  expect(first).toEqual({ launchId, turnId: expect.any(String), content: [{ type: 'text', text: 'hello' }] })
  expect(await agentSessions()).toMatchObject([{ agentId: 'coder', purpose: 'chat', state: 'active', launchId }])
  // What is written meanwhile is the next turn.
  await say('one more')
  await say('and another')
  await machine.tell(said(launchId, first.turnId, 'echo: '), said(launchId, first.turnId, 'hello'))
  await machine.tell(turnEnded(launchId, first.turnId))
  const second = await machine.turn()
  expect(second.content).toEqual([{ type: 'text', text: 'one more\n\nand another' }])
  expect(await chat()).toEqual(['owner: hello', 'owner: one more', 'owner: and another', 'coder: echo: hello'])
  // Another node that looks at the same moment tells it nothing twice; what is late of a turn that is over is nobody's.
  const { agentId, projectId, coordinatorId } = (await server.ask(`/api/processes/${launchId}`)).json
  const look = { launchId, agentId, projectId, coordinatorId, conversationKey: webKey(projectId, agentId), openConversations: [] }
  expect(await server.store.run(speakToAgent, look)).toEqual({ told: false })
  await machine.tell(said(launchId, first.turnId, 'late '), turnEnded(launchId, first.turnId))
  await machine.tell(said(launchId, second.turnId, 'both'), turnEnded(launchId, second.turnId))
  expect((await chat()).at(-1)).toBe('coder: both')
  // Told again, or late, it changes nothing.
  await machine.tell(said(launchId, second.turnId, 'late'), turnEnded(launchId, second.turnId))
  expect(await chat()).toHaveLength(5)
})

test('[CH12] a process that dies in the middle answers nothing: the next one is told the same again', async () => {
  const { room, say, chat, machine, agentSessions, server } = await open()
  await say('hello')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'half'))
  await machine.tell(exited(launchId, { exitCode: 1 }))
  const left = await server.store.read((reader) => reader.first(selectChatTurn, { id: turnId }))
  expect([left?.state, await server.store.read((reader) => piecesOf(reader, turnId))]).toEqual(['unknown', ''])
  // Whoever reads what it was saying learns that no more of it comes.
  const told = await eventsOf(server.store, answerStream(webKey(room.projectId, 'coder')))
  expect(told).toMatchObject([{ type: 'answer-over', data: { turnId } }])
  const second = await bringUp(machine)
  const again = await machine.turn()
  expect(again).toMatchObject({ launchId: second, content: [{ text: 'hello' }] })
  await machine.tell(said(second, again.turnId, 'whole'), turnEnded(second, again.turnId))
  expect(await chat()).toEqual(['owner: hello', 'coder: whole'])
  expect(await agentSessions()).toMatchObject([{ state: 'active' }, { state: 'ended', endReason: 'process_exited' }])
})

test('[CV10] what two that are spoken to say to each other comes to an end: who wrote is told, and an answer to an answer asks nobody', async () => {
  const { room, say, machine, server, agentSessions } = await open()
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
  expect(asked).toMatchObject({ launchId: critic, content: [{ text: 'The agent coder writes to you:\n\nIs it right?' }] })
  await machine.tell(said(critic, asked.turnId, 'It is'), turnEnded(critic, asked.turnId))
  const heard = await machine.turn()
  expect(heard).toMatchObject({ launchId: coder, content: [{ text: 'The agent critic writes to you:\n\nIt is' }] })
  await machine.tell(said(coder, heard.turnId, 'Thank you'), turnEnded(coder, heard.turnId))
  const { items } = (await ask(`/api/conversations/${encodeURIComponent('agent:coder~critic')}/messages`)).json
  const kept = items.map(({ content, clientId }: { content: string; clientId: string | null }) => [content, clientId])
  expect(kept).toEqual([
    ['Is it right?', null],
    ['It is', asked.turnId],
    ['Thank you', heard.turnId],
  ])
  // The next that the critic hears is what a person says.
  await ask('/api/chat', { method: 'POST', body: { projectId: room.projectId, toAgentId: 'critic', content: 'hello' } })
  expect(await machine.turn()).toMatchObject({ launchId: critic, content: [{ text: 'hello' }] })
})

test('[CH12] an error is told in words, and does not ask for the same again', async () => {
  const { say, chat, machine } = await open()
  await say('hello')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'failed', error: 'Rate limit' }))
  expect(await chat()).toEqual(['owner: hello', 'coder: It did not work: Rate limit'])
  await say('now?')
  expect(await machine.turn()).toMatchObject({ launchId, content: [{ text: 'now?' }] })
})

const limitWords = "You've hit your usage limit. Try again in 30 seconds."

test('[AG6] a limit met in a chat elsewhere is told there with its end and what to do, in its language; a command there says that it goes on by itself', async () => {
  const { room, server, machine, clock } = await open()
  const { store } = server
  const place = { channel: 'telegram', chatId: '42' } as const
  const route = { projectId: room.projectId, agentId: 'coder' }
  const { code } = await store.run(createPairingCode, { channel: place.channel, by: 'owner' })
  const stranger = { kind: 'person', title: 'Ann', handle: null, language: 'ja', attempt: code } as const
  await store.run(hearStranger, { ...place, ...stranger })
  const message = { ...place, senderId: 'telegram:42', messageId: '1', content: 'こんにちは', attachment: null, route }
  await store.run(takeChannelMessage, message)
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'failed', error: limitWords }))
  const lastSaid = async () =>
    (await store.query(getHistory, { key: 'telegram:42', hidden: false, limit: 10 })).items.at(-1)?.content ?? ''
  const zone = Temporal.Now.timeZoneId()
  const until = Temporal.Instant.fromEpochMilliseconds(clock.now() + 30_000)
    .toZonedDateTimeISO(zone)
    .toPlainTime()
  const answer = await lastSaid()
  expect(answer).toContain(`上限に達しました（${until.toString({ smallestUnit: 'minute' })} (${zone}) まで）`)
  expect(answer).toContain('もう一度送ってください')
  expect(answer).toContain(limitWords)
  // There is no card: a command says that it goes on by itself, and takes it back.
  const obey = async (command: ChatCommand) =>
    (await store.run(obeyChatCommand, { ...place, command, senderId: message.senderId, route, work: null })).said
  const sweep = () => new UserSessionSweeper({ store, clock, logger: createLogger({ level: 'silent', format: 'json' }) }).round()
  expect(await obey('stop')).toContain('動いているものはありません')
  expect(await obey('continue')).toContain('自動で答えます')
  expect(await obey('status')).toContain('自動で答えます')
  expect(await obey('stop')).toContain('もう答えません')
  expect(await obey('status')).not.toContain('自動で答えます')
  await obey('continue')
  clock.advance(30_000)
  await sweep()
  expect(await obey('continue')).toContain('上限に達していません')
  const again = await machine.turn()
  expect(again.content).toEqual([{ type: 'text', text: 'こんにちは' }])
  // At the limit again: the wish holds, and the chat is told so. Begun anew, nothing is taken up again.
  await machine.tell(turnEnded(launchId, again.turnId, { outcome: 'failed', error: limitWords }))
  expect(await lastSaid()).toContain('その時刻を過ぎたら、自動で答えます')
  await obey('new')
  expect(await obey('continue')).toContain('上限に達していません')
})

test('[AG6] a limit met in a chat is told with its end; what could not be answered is told again by itself when a person said so', async () => {
  const { room, server, say, chat, machine, clock } = await open()
  const { store, ask } = server
  const pair = `/api/projects/${room.projectId}/agents/coder`
  const goOn = (wish: boolean) => ask(`${pair}/chat/go-on`, { method: 'POST', body: { goOn: wish } })
  const stream = conversationStream(webKey(room.projectId, 'coder'))
  const limit = async () => {
    const { state } = await store.query(readSnapshot, { streams: [stream] })
    return (state[stream] as ConversationState).limit
  }
  // As after a restart: nothing is known but what is in the store.
  const sweep = () => new UserSessionSweeper({ store, clock, logger: createLogger({ level: 'silent', format: 'json' }) }).round()
  expect((await goOn(true)).json).toMatchObject({ code: 'wrong_state' })
  await say('first')
  const launchId = await bringUp(machine)
  const meet = async () => {
    const { turnId, content } = await machine.turn()
    const until = instant(clock.now() + 30_000)
    await machine.tell(turnEnded(launchId, turnId, { outcome: 'failed', error: limitWords }))
    expect(await limit()).toMatchObject({ until })
    return content[0].text
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
  // It works again: what it could not answer comes next.
  expect(await limit()).toBeNull()
  const again = await machine.turn()
  expect(again.content).toEqual([{ type: 'text', text: 'second' }])
  await machine.tell(said(launchId, again.turnId, 'late but here'), turnEnded(launchId, again.turnId))
  expect((await chat()).slice(-2)).toEqual(['coder: works', 'coder: late but here'])
})

test('[AG6] an agent that has gone while its limit lasts is started again for what it could not answer', async () => {
  const { room, server, say, machine, clock } = await open()
  await say('first')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(turnEnded(launchId, turnId, { outcome: 'failed', error: limitWords }))
  await server.ask(`/api/projects/${room.projectId}/agents/coder/chat/go-on`, { method: 'POST', body: { goOn: true } })
  await machine.tell(exited(launchId))
  clock.advance(30_000)
  const logger = createLogger({ level: 'silent', format: 'json' })
  await new UserSessionSweeper({ store: server.store, clock, logger }).round()
  const second = await bringUp(machine)
  expect(await machine.turn()).toMatchObject({ launchId: second, content: [{ text: 'first' }] })
})

test('[CH12] the panel that closes, and the soft timeout, send it away as any other', async () => {
  const { room, server, say, machine, agentSessions, clock, speaker } = await open({ 'chat.soft_timeout_minutes': 0.1 })
  await say('hello')
  const first = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(turnEnded(first, turnId))
  clock.advance(5000)
  await speaker.settled()
  expect(await agentSessions()).toMatchObject([{ state: 'active' }])
  clock.advance(2500)
  expect(await machine.order('stop-ordered')).toEqual({ launchId: first, reason: 'finished' })
  expect(await agentSessions()).toMatchObject([{ state: 'ended', endReason: 'timeout' }])
  await machine.tell(exited(first, { stopped: true }))
  await server.ask(`/api/projects/${room.projectId}/chat/start?agentId=coder`, { method: 'POST' })
  const second = await bringUp(machine)
  await speaker.settled()
  await server.ask(`/api/projects/${room.projectId}/agents/coder/chat/end`, { method: 'POST' })
  expect(await machine.order('stop-ordered')).toEqual({ launchId: second, reason: 'finished' })
  expect(await agentSessions()).toMatchObject([{ endReason: 'closed' }, { endReason: 'timeout' }])
})

test('[CH12] what it asks is in the inbox, and the answer is told to it', async () => {
  const { room, server, say, machine } = await open()
  await say('write')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(asks(launchId, turnId, 'q'))
  const [approval] = (await server.ask('/api/approvals')).json.items
  expect(approval).toMatchObject({ checkpointType: 'tool_permission', permission: { userSessionId: null, role: null } })
  const path = `/api/projects/${room.projectId}/approvals/${approval.id}/decision`
  const { json } = await server.ask(path, { method: 'POST', body: { status: 'approved' } })
  expect(json).toMatchObject({ status: 'approved', outcome: 'allowed' })
  expect(await machine.order('permission-settled')).toEqual({ launchId, askId: 'q', optionId: 'yes' })
})

test('[CH12] a task is told, its answer is the result, and it is sent away when none is left', async () => {
  const { room, server, machine, agentSessions } = await open()
  const path = `/api/projects/${room.projectId}/tasks`
  const draft = { phase: 1, type: 'code', title: 'Write a poem', description: 'Short.', assignedTo: 'coder' }
  const { id } = (await server.ask(path, { method: 'POST', body: draft })).json
  await server.ask(`${path}/${id}`, { method: 'PATCH', body: { status: 'in_progress' } })
  const launchId = await bringUp(machine)
  const { turnId, content } = await machine.turn()
  expect(content[0].text).toBe(`Task ${id}: Write a poem\n\nShort.\n\nDo it, and answer with the result when it is done.`)
  expect(await agentSessions()).toMatchObject([{ purpose: 'task', state: 'active' }])
  await machine.tell(said(launchId, turnId, 'Roses'), turnEnded(launchId, turnId))
  expect((await server.ask(`${path}/${id}`)).json).toMatchObject({ status: 'completed', result: 'Roses' })
  expect(await machine.order('stop-ordered')).toEqual({ launchId, reason: 'finished' })
  expect(await agentSessions()).toMatchObject([{ state: 'ended', endReason: 'work_done' }])
})

test('[AG6] a task that met a limit has failed with until when, also when the agent calls that an answer', async () => {
  const { room, server, machine, clock } = await open()
  const path = `/api/projects/${room.projectId}/tasks`
  const until = instant(clock.now() + 3600_000)
  const words = `You've hit your usage limit, try again at ${until}.`
  for (const [answer, ended] of [
    [words, {}],
    ['', { outcome: 'failed', error: words }],
  ] as const) {
    const draft = { phase: 1, type: 'code', title: 'Write a poem', assignedTo: 'coder' }
    const { id } = (await server.ask(path, { method: 'POST', body: draft })).json
    await server.ask(`${path}/${id}`, { method: 'PATCH', body: { status: 'in_progress' } })
    const launchId = await bringUp(machine)
    const { turnId } = await machine.turn()
    await machine.tell(said(launchId, turnId, answer), turnEnded(launchId, turnId, ended))
    const { json } = await server.ask(`${path}/${id}`)
    expect(json).toMatchObject({ status: 'failed', result: expect.stringContaining(`It is at its limit until ${until}.`) })
    expect(json.result).toContain(words)
    await machine.order('stop-ordered')
    await machine.tell(exited(launchId, { stopped: true }))
  }
})

test('[CH12] a conversation that has grown long is summarised by it, and the next process hears the summary first', async () => {
  const { say, chat, machine, clock, speaker } = await open({
    'chat.summarize_after_chars': 1000,
    'chat.soft_timeout_minutes': 0.1,
  })
  await say(`long ${'x'.repeat(1200)}`)
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'read'), turnEnded(launchId, turnId))
  const summary = await machine.turn()
  expect(summary.content[0].text).toContain('Answer with a summary')
  await machine.tell(said(launchId, summary.turnId, 'It was about x.'), turnEnded(launchId, summary.turnId))
  expect(await chat()).toHaveLength(2)
  await speaker.settled()
  clock.advance(7000)
  await machine.order('stop-ordered')
  await machine.tell(exited(launchId, { stopped: true }))
  await say('and y?')
  await bringUp(machine)
  expect((await machine.turn()).content[0].text).toBe('What was said before, in short:\n\nIt was about x.\n\nand y?')
})

test('[NA9] a summary has a length, so that it does not grow with each; one that cannot be had leaves the earlier one', async () => {
  const { server, room, say, machine } = await open({ 'chat.summarize_after_chars': 1000 })
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
  expect(await summarise("You've hit your usage limit, try again in 2 hours.")).not.toContain('limit')
})

test('[CH12] a start that fails is a failed launch with its error, as the panel shows it', async () => {
  const { server, say, machine } = await open()
  await say('hello')
  const { launchId } = (await machine.order('launch-ordered')).order
  await machine.ask({ type: 'coordinator:take', launchId })
  await machine.tell(started(launchId), { type: 'agent-failed', launchId, step: 'initialize', error: 'It speaks no ACP' })
  await machine.tell(exited(launchId, { stopped: true }))
  expect((await server.ask(`/api/processes/${launchId}`)).json).toMatchObject({
    state: 'ended',
    reason: 'start_failed',
    detail: 'It speaks no ACP',
  })
})

test('[RS2] a task that is resumed is told with what is known about it; what failed before comes first of all', async () => {
  const { room, server, machine } = await open()
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
  expect((await server.ask(`${project}/sessions/${work.id}`)).json).toMatchObject({ state: 'interrupted' })
  expect((await server.ask(`${project}/sessions/${work.id}/resume`, { method: 'POST' })).status).toBe(201)
  await bringUp(machine)
  const [{ text }] = (await machine.turn()).content
  expect(text).toContain(`Task ${id}: Write a poem`)
  expect(text).toContain('approach_f001: Rhyming at any price · avoid')
})
