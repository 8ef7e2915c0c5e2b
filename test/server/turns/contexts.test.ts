/**
 * What an agent knows (CX): a context for each conversation, primed, brought back, and ended with
 * its chapter. The test plays the machine.
 */
import { expect, test } from 'vitest'
import { webKey } from '../../../src/domain/conversations/key.ts'
import { addPerson } from '../../../src/services/access/change-access.ts'
import { sendMessage } from '../../../src/services/flows/messages/post-message.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { ownerWho } from '../../services/projects/installation.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import {
  nothingOffered,
  question,
  readyAgent,
  said,
  turnEnded,
  update,
} from '../../support/relay.ts'

type Prompt = { launchId: string; turnId: string; content: { text: string }[]; context?: Opening }
type Opening = {
  contextId: string
  open: { acpSessionId: string | null; primer: string; news: string | null } | null
}

const wordsOf = ({ content }: Prompt): string => content.map(({ text }) => text).join('\n')
const path = (key: string, more = '') => `/api/conversations/${encodeURIComponent(key)}${more}`

/** A chat elsewhere, whose messages are for the same agent: written as a channel does. */
async function openElsewhere({ mixes = false } = {}) {
  const chat = await openAcpChat()
  const { room, server, machine } = chat
  const report = { agent: 'coder', version: null, checks: [], can: { mixes } }
  if (mixes) await server.ask('/api/agents/coder', { method: 'PATCH', body: { report } })
  const key = webKey(room.projectId, 'coder')
  const answer = async ({ launchId, turnId }: Prompt, text: string) =>
    machine.tell(said(launchId, turnId, text), turnEnded(launchId, turnId))
  const began = ({ launchId, turnId, context }: Prompt, how: 'new' | 'resumed') =>
    machine.tell({
      type: 'turn-began',
      launchId,
      turnId,
      contextId: context?.contextId ?? '',
      acpSessionId: `acp ${context?.contextId}`,
      how,
      notRestored: null,
      ...nothingOffered,
    })
  const critics = (content: string) =>
    server.ask('/api/chat', {
      method: 'POST',
      body: { projectId: room.projectId, toAgentId: 'critic', content },
    })
  return { ...chat, key, answer, began, critics, next: (): Promise<Prompt> => machine.turn() }
}

test('[CX1] [CX2] a second conversation is a second context of the same process, and is told nothing of the first', async () => {
  const { server, room, say, machine, answer, began, next, agentSessions } = await openElsewhere()
  await say('the secret is blue')
  const launchId = await bringUp(machine)
  const first = await next()
  expect(first.context).toEqual({ contextId: expect.any(String), open: null })
  await answer(first, 'noted')
  // The critic asks the coder: another conversation of the coder's.
  await server.ask('/api/chat', {
    method: 'POST',
    body: { projectId: room.projectId, toAgentId: 'critic', content: 'ask the coder' },
  })
  const critic = await bringUp(machine)
  const asking = await next()
  const [own] = (await agentSessions()).filter(
    ({ agentId }: { agentId: string }) => agentId === 'critic',
  )
  const caller = { agentId: 'critic', projectId: room.projectId, agentSessionId: own.id }
  await server.store.run(sendMessage, {
    ...caller,
    toAgentId: 'coder',
    content: 'what do you know?',
  })
  const second = await next()
  expect(second.launchId).toBe(launchId)
  expect(second.context?.open).toMatchObject({
    acpSessionId: null,
    primer: expect.stringContaining('agent:coder~critic'),
  })
  expect(JSON.stringify(second)).not.toContain('blue')
  await began(second, 'new')
  // A turn in the first context runs beside it.
  await say('and green')
  const third = await next()
  expect([third.launchId, third.context]).toEqual([launchId, { ...first.context }])
  await answer(third, 'both')
  await answer(second, 'nothing of yours')
  await answer(asking, 'asked')
  const heard = await next()
  expect(heard.launchId).toBe(critic)
  expect(wordsOf(heard)).toContain('The agent coder answers you:\n\nnothing of yours')
})

test('[CX2] the next process is brought back into its own session, and told what came since; without one it is told what was said', async () => {
  const { server, say, machine, key, answer, next, clock } = await openElsewhere()
  await say('my name is Ada')
  const first = await bringUp(machine)
  await answer(await next(), 'Hello Ada')
  await machine.tell(exited(first, { exitCode: 1 }))
  clock.advance(1000)
  await say('what is my name?')
  const { launchId: second } = await machine.order('launch-begun')
  const { acp } = machine.particulars(second)
  expect(acp).toMatchObject({ loadAcpSessionId: `acp of ${first}`, contextId: expect.any(String) })
  await machine.tell(started(second), { ...readyAgent(second), how: 'resumed' } as ReturnType<
    typeof readyAgent
  >)
  const resumed = await next()
  expect(wordsOf(resumed)).toBe('what is my name?')
  await answer(resumed, 'Ada')
  await machine.tell(exited(second, { exitCode: 1 }))
  await say('and now?')
  await bringUp(machine)
  const anew = await next()
  expect(anew.content[0]?.text).toContain('owner: my name is Ada')
  expect(anew.content[0]?.text).toContain('coder: Hello Ada')
  expect(anew.content.at(-1)?.text).toBe('and now?')
  const shown = (await server.ask(path(key, '/context'))).json
  expect(shown.primer).toContain('my name is Ada')
  expect(shown.contexts[0]).toMatchObject({ agentId: 'coder', state: 'open', how: 'new' })
})

test('[CX4] a reset reaches the agent that is warm: its next turn begins a context that knows nothing', async () => {
  const { server, say, machine, key, answer, began, next } = await openElsewhere()
  await say('remember the walrus')
  const launchId = await bringUp(machine)
  const first = await next()
  await answer(first, 'ok')
  expect((await server.ask(path(key, '/reset'), { method: 'POST' })).status).toBe(200)
  await say('what did I say?')
  const second = await next()
  expect(second.launchId).toBe(launchId)
  expect(second.context?.contextId).not.toBe(first.context?.contextId)
  expect(second.context?.open).toMatchObject({ acpSessionId: null })
  expect(JSON.stringify(second)).not.toContain('walrus')
  await began(second, 'new')
  await answer(second, 'nothing')
  const { contexts } = (await server.ask(path(key, '/context'))).json
  expect(contexts).toMatchObject([{ state: 'open' }, { state: 'ended', endReason: 'generation' }])
})

test.each(['same', 'other'])(
  '[CX13] a process that can hold one conversation and held one that was deleted goes before the next turn (%s key)',
  async (which) => {
    const { room, server, say, machine, key, answer, next, critics, agentSessions } =
      await openElsewhere({ mixes: true })
    await say('the secret is blue')
    const launchId = await bringUp(machine)
    await answer(await next(), 'noted')
    expect((await server.ask(path(key), { method: 'DELETE' })).status).toBe(204)
    if (which === 'same') await say('what do you know?')
    else {
      await critics('ask the coder')
      await bringUp(machine)
      await next()
      const [own] = (await agentSessions()).filter(
        ({ agentId }: { agentId: string }) => agentId === 'critic',
      )
      const caller = { agentId: 'critic', projectId: room.projectId, agentSessionId: own.id }
      await server.store.run(sendMessage, {
        ...caller,
        toAgentId: 'coder',
        content: 'what do you know?',
      })
    }
    expect(await machine.order('stop-ordered')).toMatchObject({ launchId, reason: 'finished' })
    await machine.tell(exited(launchId, { stopped: true }))
    const { launchId: second } = await machine.order('launch-begun')
    const { acp } = machine.particulars(second)
    expect(acp).toMatchObject({ loadAcpSessionId: null })
    await machine.tell(started(second), readyAgent(second))
    const prompt = await next()
    expect([prompt.launchId, wordsOf(prompt)]).toEqual([
      second,
      expect.stringContaining('what do you know?'),
    ])
    expect(wordsOf(prompt)).not.toContain('blue')
  },
)

test('[CX13] a context goes too that was being brought back into the conversation when it was deleted', async () => {
  const { server, say, machine, key, answer, next } = await openElsewhere({ mixes: true })
  await say('the secret is blue')
  const first = await bringUp(machine)
  await answer(await next(), 'noted')
  await machine.tell(exited(first, { exitCode: 1 }))
  await say('are you there?')
  const { launchId } = await machine.order('launch-begun')
  const { acp } = machine.particulars(launchId)
  expect(acp).toMatchObject({ loadAcpSessionId: expect.any(String) })
  await server.ask(path(key), { method: 'DELETE' })
  await say('what do you know?')
  await machine.tell(started(launchId), readyAgent(launchId, 'loaded'))
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId, reason: 'finished' })
})

test('[CX5] [CX6] turns are listed with how they ended; an empty end is said in words, and what is lost twice is not run a third time', async () => {
  const { server, say, chat, machine, key, answer, next } = await openElsewhere()
  await say('one')
  const first = await bringUp(machine)
  const empty = await next()
  await machine.tell(turnEnded(first, empty.turnId))
  expect((await chat()).at(-1)).toBe('coder: The agent ended its turn without an answer.')
  await say('two')
  const lost = await next()
  await say('three')
  const turns = async () => (await server.ask(path(key, '/turns'))).json
  expect((await turns()).items.map(({ state }: { state: string }) => state)).toEqual([
    'queued',
    'running',
    'failed',
  ])
  expect((await server.ask(path(key))).json.activity).toBe('working')
  await machine.tell(exited(first, { exitCode: 1 }))
  const second = await bringUp(machine)
  const again = await next()
  expect(wordsOf(again)).toContain('parts of it may be done')
  expect(again.content.at(-1)?.text).toBe('two')
  await machine.tell(exited(second, { exitCode: 1 }))
  expect((await chat()).at(-1)).toContain('ended twice while it worked on this')
  await bringUp(machine)
  const third = await next()
  expect(third.content.at(-1)?.text).toBe('three')
  await answer(third, 'done')
  const { items, nextCursor } = await turns()
  expect(nextCursor).toBeNull()
  expect(
    items.map(({ id, stopReason, retryOf }: Record<string, unknown>) => [id, stopReason, retryOf]),
  ).toEqual(
    expect.arrayContaining([
      [third.turnId, 'end_turn', null],
      [again.turnId, 'process_gone', lost.turnId],
      [lost.turnId, 'process_gone', null],
      [empty.turnId, 'empty', null],
    ]),
  )
})

test('[CX12] an error of the model that an agent calls its answer, or says nothing of, is an error in those words and completes no task', async () => {
  const { room, server, say, chat, machine } = await openAcpChat()
  await say('hello')
  const launchId = await bringUp(machine, 'Copilot')
  const { turnId } = await machine.turn()
  const words = 'Error: 400 scripted 400'
  await machine.tell(said(launchId, turnId, words), turnEnded(launchId, turnId))
  expect((await chat()).at(-1)).toBe(`coder: It did not work: ${words}`)
  const [turn] = (await server.ask(path(webKey(room.projectId, 'coder'), '/turns'))).json.items
  expect(turn).toMatchObject({
    id: turnId,
    state: 'failed',
    stopReason: 'error',
    error: words,
    text: '',
  })
  await machine.tell(exited(launchId))
  // What it did before is kept; an answer about errors is an answer.
  const ran = (id: string, of: string) => update(id, of, { kind: 'tool', call: question().call })
  const tasks = `/api/projects/${room.projectId}/tasks`
  const begin = async (): Promise<string> => {
    const draft = { phase: 1, type: 'code', title: 'Write a poem', assignedTo: 'coder' }
    const { id } = (await server.ask(tasks, { method: 'POST', body: draft })).json
    await server.ask(`${tasks}/${id}`, { method: 'PATCH', body: { status: 'in_progress' } })
    return id
  }
  const retrying = 'Retrying (attempt 3/3, waiting 8s)...Retry finished, resuming.'
  for (const [agent, saying, status, result] of [
    ['pi-acp', retrying, 'failed', `I look at it.\n\nIt did not work: ${retrying}`],
    ['Copilot', words, 'failed', `I look at it.\n\nIt did not work: ${words}`],
    ['another', 'Error handling is there.', 'completed', 'I look at it.Error handling is there.'],
  ] as const) {
    const id = await begin()
    const next = await bringUp(machine, agent)
    const task = await machine.turn()
    const before = [said(next, task.turnId, 'I look at it.'), ran(next, task.turnId)]
    await machine.tell(...before, said(next, task.turnId, saying), turnEnded(next, task.turnId))
    expect((await server.ask(`${tasks}/${id}`)).json).toMatchObject({ status, result })
    await machine.order('stop-ordered')
    await machine.tell(exited(next, { stopped: true }))
  }
  // One that falls silent is asked to go on once; then it has failed.
  const id = await begin()
  const silent = await bringUp(machine, 'pi-acp')
  for (const status of ['in_progress', 'failed']) {
    const task = await machine.turn()
    await machine.tell(
      said(silent, task.turnId, 'I look.'),
      ran(silent, task.turnId),
      turnEnded(silent, task.turnId),
    )
    expect((await server.ask(`${tasks}/${id}`)).json.status).toBe(status)
  }
})

test('[CX7] a prompt the agent would not take is told again in a context that is opened anew, then by another process, then has failed', async () => {
  const { say, chat, machine, next } = await openElsewhere()
  await say('hello')
  const first = await bringUp(machine)
  const refuse = async (turn: Prompt) => {
    const ended = turnEnded(turn.launchId, turn.turnId, {
      outcome: 'failed',
      error: 'Resource not found',
    })
    await machine.tell({ ...ended, notRun: 'refused' } as typeof ended)
  }
  const once = await next()
  await refuse(once)
  const twice = await next()
  expect([twice.turnId, twice.launchId, twice.context?.open?.acpSessionId]).toEqual([
    once.turnId,
    first,
    `acp of ${first}`,
  ])
  await refuse(twice)
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId: first })
  await machine.tell(exited(first, { stopped: true }))
  const second = await bringUp(machine)
  const third = await next()
  expect([third.launchId, third.content[0]?.text]).toEqual([
    second,
    expect.stringContaining('[Holdfast]'),
  ])
  await refuse(third)
  expect((await chat()).at(-1)).toBe('coder: It did not work: Resource not found')
})

test('[CX8] what is said in a console is a conversation of its own, there for its account and the owner alone', async () => {
  const { room, server } = await openElsewhere()
  const { store } = server
  const { token } = await store.run(addPerson, { name: 'Ada', role: 'member', by: ownerWho.id })
  const { token: other } = await store.run(addPerson, {
    name: 'Ben',
    role: 'member',
    by: ownerWho.id,
  })
  const machine = await room.machine('second')
  const ada = await room.client(token)
  const inside = await room.created(ada)
  ada.send({ type: 'agent:spawn', ...inside, role: 'auth' })
  const launchId = await machine.bringUp()
  const { conversation } = await ada.next('agent:ready')
  expect(conversation).toBe(`console:${inside.sessionId}.auth`)
  ada.send({ type: 'agent:message', ...inside, role: 'auth', content: 'the plan is a secret' })
  const { turnId } = await machine.turn()
  await machine.tell(said(launchId, turnId, 'kept'), turnEnded(launchId, turnId))
  await ada.next('agent:response')
  const as = (bearer: string, to: string) => server.ask(to, { token: bearer })
  const messages = (await as(token, path(conversation, '/messages'))).json.items
  expect(messages.map(({ content }: { content: string }) => content)).toEqual([
    'the plan is a secret',
    'kept',
  ])
  for (const to of ['', '/messages', '/turns', '/context', '/archive']) {
    expect([to, (await as(other, path(conversation, to))).status]).toEqual([to, 404])
    expect([to, (await as(server.ownerToken, path(conversation, to))).status]).toEqual([to, 200])
  }
  const keys = async (bearer: string) =>
    (await as(bearer, '/api/conversations?channel=console')).json.items.length
  expect([await keys(token), await keys(other), await keys(server.ownerToken)]).toEqual([1, 0, 1])
  const found = async (bearer: string) =>
    (await as(bearer, '/api/search?q=secret')).json.items.length
  expect([await found(token), await found(other)]).toEqual([1, 0])
  const stream = encodeURIComponent(`conversation:${conversation}`)
  expect((await as(other, `/api/snapshot?streams=${stream}`)).status).toBe(404)
  expect((await as(token, `/api/snapshot?streams=${stream}`)).status).toBe(200)
})
