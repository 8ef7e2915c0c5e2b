/** Sessions that are begun: threads of an agent, each with a process of its own. */
import { expect, test } from 'vitest'
import { oldDrafts } from '../../../src/jobs/due-upkeep.ts'
import { handleDue } from '../../../src/jobs/due-work.ts'
import { findInTheWay, giveRoom } from '../../../src/services/flows/processes/give-room.ts'
import { nowhere } from '../../services/agent-sessions/agent-office.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { openAcpChat } from '../../support/acp-chat.ts'
import { readyAgent, said, turnEnded } from '../../support/relay.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

async function open() {
  const chat = await openAcpChat()
  const { server, room, machine } = chat
  const { projectId } = room
  const begin = (body: object) =>
    server.ask(`/api/projects/${projectId}/conversations`, {
      method: 'POST',
      body: { agentId: 'coder', ...body },
    })
  const write = (body: object) =>
    server.ask('/api/chat', { method: 'POST', body: { projectId, ...body } })
  const read = (key: string) => server.ask(`/api/conversations/${key}`)
  /** The next process that is ordered, ready for turns. */
  const bringUp = async () => {
    const { launchId } = await machine.order('launch-begun')
    await machine.tell(started(launchId), readyAgent(launchId))
    return { launchId, turn: await machine.turn() }
  }
  const archive = async (key: string) =>
    (await server.ask(`/api/conversations/${key}/archive?limit=100`)).json.items.map(
      ({ senderId, content }: { senderId: string; content: string }) => `${senderId}: ${content}`,
    )
  return { ...chat, projectId, begin, write, read, bringUp, archive }
}

const lastOf = ({ content }: { content: { text: string }[] }) => content.at(-1)?.text

test('[SN1] sessions of one agent run side by side, each in a process of its own', async () => {
  const { begin, bringUp, write, archive, machine, server, say } = await open()
  const one = await begin({ content: 'first job' })
  expect(one).toMatchObject({
    status: 201,
    json: {
      key: expect.stringMatching(/^session:[0-9a-z]{12}$/),
      kind: 'session',
      agentId: 'coder',
    },
  })
  const inOne = await bringUp()
  const { key: other } = (await begin({ content: 'second job', title: 'Another' })).json
  const inOther = await bringUp()
  await say('the chat')
  const inChat = await bringUp()
  // All three run, and none waits for another.
  expect([inOne, inOther, inChat].map(({ turn }) => lastOf(turn))).toEqual([
    'first job',
    'second job',
    'the chat',
  ])
  expect(new Set([inOne, inOther, inChat].map(({ launchId }) => launchId)).size).toBe(3)
  expect((await server.ask(`/api/processes/${inOther.launchId}`)).json.conversationKey).toBe(other)
  const { key } = one.json
  // What is written to a running one is its own next turn.
  expect((await write({ conversationKey: key, content: 'and more' })).status).toBe(201)
  await machine.tell(said(inOne.launchId, inOne.turn.turnId, 'done'))
  await machine.tell(turnEnded(inOne.launchId, inOne.turn.turnId))
  const next = await machine.turn()
  expect(next).toMatchObject({ launchId: inOne.launchId })
  expect(lastOf(next)).toBe('and more')
  expect(await archive(key)).toEqual(['owner: first job', 'owner: and more', 'coder: done'])
  expect(await archive(other)).toEqual(['owner: second job'])
})

test('[SN2] the same client id begins one session, and other content under it is refused', async () => {
  const { begin, server, projectId } = await open()
  const first = (await begin({ content: 'hello', clientId: 'a' })).json
  expect((await begin({ content: 'hello', clientId: 'a' })).json.key).toBe(first.key)
  expect((await begin({ content: 'other', clientId: 'a' })).status).toBe(422)
  const draft = (await begin({ clientId: 'b' })).json
  expect((await begin({ clientId: 'b' })).json.key).toBe(draft.key)
  expect((await begin({ clientId: 'b', title: 'x' })).status).toBe(422)
  expect((await begin({ agentId: 'nobody', content: 'x' })).status).toBe(404)
  const nowhere = await server.ask('/api/projects/none/conversations', {
    method: 'POST',
    body: { agentId: 'coder' },
  })
  expect(nowhere.status).toBe(404)
  expect((await server.ask(`/api/conversations?projectId=${projectId}`)).json.items).toHaveLength(1)
})

test('[SN3] writing into a session needs one of this project and this agent', async () => {
  const { begin, write, read } = await open()
  const { key } = (await begin({ content: 'hello' })).json
  const content = 'more'
  expect((await write({ conversationKey: key, content, toAgentId: 'coder' })).status).toBe(201)
  expect((await write({ conversationKey: key, content, toAgentId: 'other' })).status).toBe(409)
  expect((await write({ conversationKey: key, content, projectId: 'other' })).status).toBe(409)
  expect((await write({ conversationKey: key, content, projectId: undefined })).status).toBe(201)
  expect((await write({ conversationKey: 'session:none', content })).status).toBe(404)
  expect((await write({ content })).status).toBe(400)
  expect((await write({ content, toAgentId: 'coder', projectId: undefined })).status).toBe(400)
  expect((await read(key)).json.messageCount).toBe(3)
})

test('[SN4] a session without a message and a title is told of to nobody until it has one', async () => {
  const { begin, write, read, server, projectId } = await open()
  const listed = async () =>
    (await server.ask(`/api/conversations?projectId=${projectId}`)).json.items.map(
      ({ key }: { key: string }) => key,
    )
  const { key: draft } = (await begin({})).json
  const { key: titled } = (await begin({ title: 'Named' })).json
  expect(await listed()).toEqual([titled])
  expect((await read(draft)).status).toBe(200)
  await write({ conversationKey: draft, content: 'hello' })
  expect((await listed()).sort()).toEqual([draft, titled].sort())
})

test('[SN4] a draft is removed after a day, and one that was written in is not', async () => {
  const { begin, write, read, server, clock } = await open()
  const { key: left } = (await begin({})).json
  const { key: used } = (await begin({})).json
  await write({ conversationKey: used, content: 'hello' })
  const day = 24 * 3_600_000
  const look = () => handleDue(oldDrafts(server.store), { clock, logger: nowhere })
  clock.advance(day - 1)
  await look()
  expect((await read(left)).status).toBe(200)
  clock.advance(1)
  await look()
  expect((await read(left)).status).toBe(404)
  expect((await read(used)).status).toBe(200)
})

test('[SN5] a session that is deleted takes its process with it, and no other', async () => {
  const { begin, bringUp, machine, server, read } = await open()
  const { key } = (await begin({ content: 'first job' })).json
  const gone = await bringUp()
  const { key: other } = (await begin({ content: 'second job' })).json
  const kept = await bringUp()
  expect((await server.ask(`/api/conversations/${key}`, { method: 'DELETE' })).status).toBe(204)
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId: gone.launchId })
  expect((await read(key)).status).toBe(404)
  expect((await server.ask(`/api/processes/${kept.launchId}`)).json.stopReason).toBe(null)
  expect((await read(other)).json.activity).toBe('working')
})

test('[SN6] an agent at its limit in a session is told again there, if a person says so', async () => {
  const { begin, bringUp, machine, server, read } = await open()
  const { key } = (await begin({ content: 'a job' })).json
  const { launchId, turn } = await bringUp()
  const error = "You've hit your usage limit. Try again in 30 seconds."
  await machine.tell(turnEnded(launchId, turn.turnId, { outcome: 'failed', error }))
  expect((await read(key)).json.activity).toBe('limited')
  const goOn = { method: 'POST', body: { goOn: true } }
  expect(await server.ask(`/api/conversations/${key}/go-on`, goOn)).toMatchObject({
    status: 200,
    json: { goesOn: true },
  })
  const { key: other } = (await begin({ content: 'another job' })).json
  expect((await server.ask(`/api/conversations/${other}/go-on`, goOn)).status).toBe(409)
})

test.each([undefined, {}])(
  '[SN20] go-on ends the pause of a session with the body %j',
  async (body) => {
    const { begin, bringUp, write, read, machine, server } = await open()
    const { key } = (await begin({ content: 'the job' })).json
    const { launchId, turn } = await bringUp()
    await write({ conversationKey: key, content: 'and this' })
    const goOn = () =>
      server.ask(`/api/conversations/${key}/go-on`, { method: 'POST', ...(body && { body }) })
    expect((await goOn()).json).toMatchObject({ code: 'wrong_state' })
    await machine.tell(turnEnded(launchId, turn.turnId, { outcome: 'failed', error: 'It broke' }))
    expect((await read(key)).json.paused).toBe('failed')
    expect(await goOn()).toMatchObject({ status: 200, json: { until: null, goesOn: true } })
    expect((await read(key)).json.paused).toBeNull()
    expect(lastOf(await machine.turn())).toBe('and this')
  },
)

test('[CH18] a message that waits is moved, or answered next, by its address', async () => {
  const { begin, bringUp, write, machine, server } = await open()
  const { key } = (await begin({ content: 'the job' })).json
  const { launchId, turn } = await bringUp()
  const said = async (content: string) => (await write({ conversationKey: key, content })).json.seq
  const [a, b, c] = [await said('a'), await said('b'), await said('c')]
  const move = (seq: number, body: object) =>
    server.ask(`/api/conversations/${key}/messages/${seq}/move`, { method: 'POST', body })
  expect(await move(c, { before: a })).toMatchObject({ status: 200, json: { seqs: [c, a, b] } })
  expect((await move(c, { before: null })).json).toEqual({ seqs: [a, b, c] })
  expect((await move(b, { now: true })).json).toEqual({ seqs: [b, a, c] })
  expect(await move(a, { before: 999 })).toMatchObject({ status: 404, json: { seq: 999 } })
  expect((await move(999, { before: a })).status).toBe(404)
  for (const body of [{}, { now: false }, { now: true, before: a }, { before: 'x' }])
    expect((await move(a, body)).json.code).toBe('invalid_request')
  await machine.tell(turnEnded(launchId, turn.turnId, { outcome: 'failed', error: 'It broke' }))
  expect((await move(c, { now: true })).json).toEqual({ seqs: [c, b, a] })
  expect(lastOf(await machine.turn())).toBe('c\n\nb\n\na')
  expect(await move(a, { now: true })).toMatchObject({
    status: 409,
    json: { code: 'wrong_state', state: 'running' },
  })
})

test('[SN7] a session works in a given folder; one outside the project is for who manages, once', async () => {
  const { machine, read, server, projectId, write } = await open()
  const folder = temporaryFolder()
  await server.ask(`/api/projects/${projectId}`, { method: 'PATCH', body: { path: folder } })
  const { json: member } = await server.ask('/api/people', {
    method: 'POST',
    body: { name: 'Mia', role: 'member' },
  })
  const begun = (given: string, token = server.ownerToken) =>
    server.ask(`/api/projects/${projectId}/conversations`, {
      method: 'POST',
      body: { agentId: 'coder', content: 'hello', workplace: { folder: given } },
      token,
    })
  const below = `${folder}/packages/a`
  const one = await begun(below, member.token)
  expect(one.json.workplace).toEqual({
    kind: 'folder',
    folder: below,
    directory: below,
    branch: null,
  })
  const { launchId } = await machine.order('launch-begun')
  const { acp } = machine.particulars(launchId)
  expect(acp.workspace).toMatchObject({ path: below, roots: [] })
  const away = '/srv/repo-feature'
  expect((await begun(away, member.token)).json).toMatchObject({
    code: 'missing_scope',
    scope: 'manage',
  })
  expect((await begun(away)).status).toBe(201)
  expect((await begun(away, member.token)).status).toBe(201)
  expect((await begun('relative')).status).toBe(400)
  expect((await begun(`${folder}/../elsewhere`)).status).toBe(400)
  // Another place is refused from now on.
  const { key } = one.json
  const say = (workplace: unknown) => write({ conversationKey: key, content: 'more', workplace })
  expect((await say({ folder: below })).status).toBe(201)
  expect((await say('checkout')).status).toBe(409)
  expect((await read(key)).json.workplace.kind).toBe('folder')
})

test('[CX11] sessions in one given folder, or below each other, take turns there', async () => {
  const { begin, bringUp, machine, server, projectId, dispatcher, read } = await open()
  const folder = temporaryFolder()
  await server.ask(`/api/projects/${projectId}`, { method: 'PATCH', body: { path: folder } })
  await begin({ content: 'first', workplace: { folder: `${folder}/a` } })
  await bringUp()
  const { key } = (await begin({ content: 'second', workplace: { folder: `${folder}/a/b` } })).json
  const { key: beside } = (await begin({ content: 'third', workplace: { folder: `${folder}/c` } }))
    .json
  const orders = [await machine.order('launch-begun'), await machine.order('launch-begun')]
  for (const { launchId } of orders) await machine.tell(started(launchId), readyAgent(launchId))
  expect(lastOf(await machine.turn())).toBe('third')
  await dispatcher.settled()
  expect((await read(key)).json).toMatchObject({ activity: 'waiting', waitsFor: 'checkout' })
  expect((await read(beside)).json).toMatchObject({ activity: 'working' })
})

test('[SN8] an idle session goes for one that waits, a busy one does not, and comes back with a message', async () => {
  const { begin, bringUp, machine, server, write, read } = await open()
  await server.ask('/api/agents/coder', { method: 'PATCH', body: { maxProcesses: 1 } })
  const { key } = (await begin({ content: 'first job' })).json
  const first = await bringUp()
  const { key: other } = (await begin({ content: 'second job' })).json
  const look = async () => {
    const found = await server.store.query(findInTheWay, { maxConcurrent: 64 })
    for (const launchId of found) await server.store.run(giveRoom, { launchId })
    return found
  }
  expect(await look()).toEqual([])
  await machine.tell(said(first.launchId, first.turn.turnId, 'done'))
  await machine.tell(turnEnded(first.launchId, first.turn.turnId))
  expect(await look()).toEqual([first.launchId])
  expect(await look()).toEqual([])
  expect(await machine.order('stop-ordered')).toMatchObject({ launchId: first.launchId })
  await machine.tell(exited(first.launchId, { stopped: true }))
  const { launchId: waits } = await machine.order('launch-begun')
  await machine.tell(started(waits), readyAgent(waits))
  expect(lastOf(await machine.turn())).toBe('second job')
  expect((await read(other)).json.activity).toBe('working')
  await machine.tell(exited(waits, { exitCode: 0 }))
  await write({ conversationKey: key, content: 'and more' })
  expect(await machine.order('launch-begun')).toMatchObject({ agentId: 'coder' })
})

test('[SN24] who begins to write calls the agent of a session, once', async () => {
  const { begin, bringUp, server, machine, projectId } = await open()
  const { key } = (await begin({ content: 'a job' })).json
  const { launchId, turn } = await bringUp()
  await machine.tell(said(launchId, turn.turnId, 'done'))
  await machine.tell(turnEnded(launchId, turn.turnId))
  const warm = (of = key) => server.ask(`/api/conversations/${of}/warm`, { method: 'POST' })
  expect(await warm()).toMatchObject({ status: 200, json: { launch: null } })
  await machine.tell(exited(launchId, { exitCode: 0 }))
  const { status, json } = await warm()
  expect([status, json.launch]).toMatchObject([200, { agentId: 'coder', conversationKey: key }])
  expect((await machine.order('launch-begun')).launchId).toBe(json.launch.launchId)
  expect((await warm()).json).toEqual({ launch: null })
  // An agent's first session has a panel, and nobody is called who is not there.
  expect((await warm(`web:${projectId}.coder`)).status).toBe(404)
  expect((await warm('session:000000000000')).status).toBe(404)
})
