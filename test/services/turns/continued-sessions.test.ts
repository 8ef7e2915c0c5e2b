/** Another agent goes on in a session: with the whole of it, and with what waits (SN21). */
import { expect, test } from 'vitest'
import { conversationStream } from '../../../src/domain/stream-name.ts'
import { continueBudgetTokens } from '../../../src/domain/turns/prompts.ts'
import { getConversation } from '../../../src/services/conversations/queries.ts'
import { continueWithAgent } from '../../../src/services/flows/conversations/continue-with-agent.ts'
import { sayInConversation } from '../../../src/services/flows/messages/post-message.ts'
import { stopTurns } from '../../../src/services/flows/turns/cancel-turn.ts'
import { assignAgent, changeProject } from '../../../src/services/projects/change-project.ts'
import { previewAgent } from '../../../src/services/turns/preview-agent.ts'
import { readyAgent, said, turnEnded } from '../../support/relay.ts'
import { openTestStore } from '../../support/store.ts'
import { by, typesOf } from '../projects/installation.ts'
import { openTurnRoom } from './turn-room.ts'

const limit = "You've hit your usage limit. Try again in 2 hours."

async function openSession(kind: 'thread' | 'chat' = 'thread') {
  const room = await openTurnRoom(await openTestStore())
  const { store, projectId } = room
  const place = await room.places[kind]()
  const { key, agentId: first } = place
  const second = await room.prompted('second')
  const preview = (agentId: string, of = key) => store.query(previewAgent, { key: of, agentId })
  const goOn = (agentId: string, more: { key?: string; model?: string } = {}) =>
    store.run(continueWithAgent, { key, agentId, by, ...more })
  /** A process of the agent for this session, which begins what waits. */
  const bringUp = async (agentId: string, how: 'new' | 'loaded' = 'new', lane = key) => {
    const process = await room.launches.order({ agentId, projectId, lane })
    if (!process) throw new Error('nothing was ordered')
    const { launchId } = process
    const { isolation } = await room.coordinator.start(launchId)
    await room.tell(readyAgent(launchId, how))
    await room.scan()
    return { launchId, sandbox: isolation?.sandbox ?? 'off' }
  }
  const answer = async (text: string, of = key) => {
    const { turnId, launchId } = await room.runningTurn(of)
    await room.tell(said(launchId, turnId, text), turnEnded(launchId, turnId))
    await room.scan()
  }
  const say = (content: string, of = key) => {
    room.clock.advance(1)
    return store.run(sayInConversation, { key: of, projectId, content, by })
  }
  const primerOfLast = async (of = key) => (await room.rows(of)).at(-1)?.primer ?? ''
  const conversation = (of = key) => store.query(getConversation, { key: of })
  const actions = { preview, goOn, bringUp, answer, say, primerOfLast, conversation }
  return { room, store, place, key, first, second, ...actions }
}

/** A first turn in which a fact was told. */
async function withFact(kind: 'thread' | 'chat' = 'thread') {
  const thread = await openSession(kind)
  await thread.place.ask('The word is heron.')
  await thread.place.begin()
  await thread.place.answer('I keep heron in mind.')
  return thread
}

test('[SN22] the next agent is told the whole of a session, and is in it from then on', async () => {
  const { store, key, first, second, goOn, bringUp, say, primerOfLast, conversation, room } =
    await withFact()
  const { isNew } = await goOn(second)
  expect(isNew).toBe(false)
  expect(await conversation()).toMatchObject({
    key,
    title: 'a session',
    agentId: second,
    agents: [{ agentId: first }, { agentId: second }],
  })
  expect(await typesOf(store, conversationStream(key))).toContain('agent-chosen')
  await say('Which word?')
  await bringUp(second)
  expect(await primerOfLast()).toContain('The word is heron.')
  expect(await primerOfLast()).toContain('I keep heron in mind.')
  expect(await primerOfLast()).toContain('threader1 worked in this conversation before')
  expect((await room.rows(key)).map(({ agent_id }) => agent_id)).toEqual([first, second])
})

test('[SN21] what an agent would read is told before, and is what it reads', async () => {
  const { preview, goOn, second, say, bringUp, primerOfLast, place } = await withFact()
  const before = await preview(second)
  expect(before).toMatchObject({
    beginsAnother: false,
    reads: 'whole',
    messages: 2,
    leftOut: 0,
    running: false,
    queued: 0,
    refused: null,
    budgetTokens: continueBudgetTokens,
  })
  await place.ask('Go on.')
  expect(await preview(second)).toMatchObject({ running: true, queued: 1 })
  await place.answer('On it.')
  await goOn(second)
  await say('Which word?')
  await bringUp(second)
  expect(before.tokens).toBeGreaterThan(30)
  expect(Math.ceil((await primerOfLast()).length / 4)).toBeGreaterThanOrEqual(before.tokens)
})

test('[SN22] back again the first agent goes on in its own context, told what was said meanwhile', async () => {
  const { first, second, goOn, bringUp, say, answer, primerOfLast, preview, place, room } =
    await withFact()
  await goOn(second)
  await say('And a colour?')
  await bringUp(second)
  await answer('The colour is teal.')
  expect(await preview(first)).toMatchObject({ reads: 'news', messages: 2 })
  // The process that was told to go has gone.
  await place.die()
  await goOn(first)
  await say('Which colour?')
  await bringUp(first, 'loaded')
  const news = await primerOfLast()
  expect(news).toContain('And a colour?')
  expect(news).toContain('The colour is teal.')
  expect(news).not.toContain('heron')
  expect(news).toContain('second2 went on in this conversation meanwhile')
  expect(await room.unread(place.key)).toBe(1)
})

test('[SN21] while a turn runs nobody goes on; once it is stopped, what waits goes to the next agent', async () => {
  const { room, store, key, place, second, goOn, bringUp, answer, conversation } =
    await openSession()
  await place.ask('one')
  await place.begin()
  await place.ask('two')
  await expect(goOn(second)).rejects.toMatchObject({ code: 'wrong_state' })
  await store.run(stopTurns, { key, by })
  const { turnId, launchId } = await room.runningTurn(key)
  await room.tell(turnEnded(launchId, turnId, { outcome: 'cancelled' }))
  expect((await conversation()).paused).toBe('stopped')
  await goOn(second)
  expect((await conversation()).paused).toBeNull()
  await bringUp(second)
  await answer('done')
  expect(await room.unread(key)).toBe(0)
  const last = (await room.rows(key)).at(-1)
  expect(last).toMatchObject({ agent_id: second, state: 'answered' })
  expect(last?.content).toContain('two')
})

test('[SN22] at its limit a session goes on with another agent, which is asked what was not answered', async () => {
  const { room, key, place, second, goOn, bringUp, answer, conversation } = await openSession()
  await place.ask('The word is heron: count it.')
  await place.begin()
  const { turnId, launchId } = await room.runningTurn(key)
  await room.tell(turnEnded(launchId, turnId, { outcome: 'failed', error: limit }))
  expect((await conversation()).activity).toBe('limited')
  await goOn(second)
  expect((await conversation()).activity).toBe('starting')
  await bringUp(second)
  const asked = (await room.rows(key)).at(-1)
  expect(asked).toMatchObject({ agent_id: second, state: 'running', not_before: null })
  expect(asked?.content).toContain('heron')
  await answer('Five letters.')
  expect((await conversation()).activity).toBe('idle')
})

test('[SN22] what was lost with its process is done by the agent that the session has then', async () => {
  const { room, key, place, second, goOn, bringUp } = await openSession()
  await place.ask('The word is heron.')
  await place.begin()
  await place.die()
  await goOn(second)
  await bringUp(second)
  const rows = await room.rows(key)
  expect(rows.map(({ state }) => state)).toEqual(['unknown', 'cancelled', 'running'])
  const last = rows.at(-1)
  expect(last).toMatchObject({ agent_id: second })
  expect(last?.content).toContain('heron')
  expect(last?.primer).toContain('parts of it may be done')
})

test('[SN21] an agent that pulls is handed what waits in the same way', async () => {
  const { room, key, place, goOn } = await openSession()
  await place.ask('The word is heron: count it.')
  await place.begin()
  const { turnId, launchId } = await room.runningTurn(key)
  await room.tell(turnEnded(launchId, turnId, { outcome: 'failed', error: limit }))
  const puller = await room.startable(await room.hire('puller'))
  await goOn(puller)
  expect(await room.unread(key)).toBe(1)
  expect((await room.messages(key)).at(-1)?.content).toContain('heron')
  const post = { agentId: puller, projectId: room.projectId, lane: key }
  expect(await room.launches.order(post)).toMatchObject({ state: 'waiting' })
})

test("[SN21] an agent's first session stays its own: another goes on in the same folder", async () => {
  const {
    room,
    key,
    place,
    first,
    second,
    goOn,
    preview,
    bringUp,
    primerOfLast,
    say,
    conversation,
  } = await withFact('chat')
  expect(await preview(second)).toMatchObject({ beginsAnother: true, reads: 'whole', messages: 2 })
  await place.ask('And then?')
  await place.answer('Then nothing.')
  const { conversation: next, isNew } = await goOn(second)
  expect(isNew).toBe(true)
  expect(next).toMatchObject({
    kind: 'session',
    agentId: second,
    agents: [{ agentId: first }, { agentId: second }],
    continuedFrom: key,
  })
  const old = await conversation()
  expect(old).toMatchObject({ agentId: first, continuedAs: next.key })
  expect(next.workplace?.folder).toBe(old.workplace?.folder)
  expect(await room.messages(next.key)).toMatchObject([
    { content: 'The word is heron.' },
    { content: 'I keep heron in mind.' },
    { content: 'And then?' },
    { content: 'Then nothing.' },
  ])
  await say('Which word?', next.key)
  await bringUp(second, 'new', next.key)
  expect(await primerOfLast(next.key)).toContain('The word is heron.')
})

test('[SN21] the same agent with another model is only its option', async () => {
  const { key, first, second, goOn, conversation } = await withFact()
  await expect(goOn(first, { model: 'large' })).rejects.toMatchObject({ code: 'wrong_state' })
  expect(await conversation()).toMatchObject({ key, agentId: first, agents: [{ agentId: first }] })
  await expect(goOn(second, { model: 'large' })).rejects.toMatchObject({ code: 'wrong_state' })
  expect(await conversation()).toMatchObject({ agentId: first })
})

test('[SN21] the strictest sandbox of the agents of a session holds for each of them', async () => {
  const { room, store, first, second, goOn, bringUp, say } = await withFact()
  const sandboxed = { projectId: room.projectId, agentId: first, sandbox: 'workplace' } as const
  await store.run(assignAgent, { ...sandboxed, by })
  await goOn(second)
  await say('Go on.')
  expect((await bringUp(second)).sandbox).toBe('workplace')
})

test('[SN21] an agent that is not of the project, or a conversation without one, is refused', async () => {
  const { goOn, key, conversation, first } = await withFact()
  await expect(goOn('nobody')).rejects.toMatchObject({ code: 'agent_not_found' })
  await expect(goOn(first, { key: 'session:unknown00000' })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await conversation()).toMatchObject({ key, agentId: first })
})

test('[SN21] [CX11] the first session and the one that goes on from it take turns in their folder', async () => {
  const { room, store, place, key, first, second, goOn, say, bringUp } = await openSession('chat')
  const { projectId } = room
  const settings = { 'chat.workplace': 'worktree' } as const
  await store.run(changeProject, { projectId, path: '/srv/repository', settings, by })
  await place.ask('one')
  const launch = await room.launches.order({ agentId: first, projectId, lane: '' })
  const launchId = launch?.launchId ?? ''
  await room.coordinator.start(launchId)
  const tree = { kind: 'worktree', folder: '/srv/tree', top: '/srv/tree', branch: 'b' } as const
  const made = { type: 'workspace-made', launchId, ...tree } as const
  await room.tell({ ...made, baseBranch: 'main', note: null, setUp: null }, readyAgent(launchId))
  await room.scan()
  const { turnId } = await room.runningTurn(key)
  await room.tell(said(launchId, turnId, 'done'), turnEnded(launchId, turnId))
  const { conversation } = await goOn(second)
  expect(conversation.workplace).toMatchObject({ kind: 'folder', folder: '/srv/tree' })
  await place.ask('two')
  await room.scan()
  await say('three', conversation.key)
  await bringUp(second, 'new', conversation.key)
  const states = async () => (await room.rows(conversation.key)).map(({ state }) => state)
  expect(await states()).toEqual(['queued'])
  const running = await room.runningTurn(key)
  await room.tell(turnEnded(running.launchId, running.turnId))
  await room.scan()
  expect(await states()).toEqual(['running'])
})
