/**
 * Work of ACP agents, interrupted and resumed: the same role, the same worktree, and the context as
 * the first thing said.
 */
import { expect, test } from 'vitest'
import { translated } from '../../../src/protocol/notice-words.ts'
import { addPerson } from '../../../src/services/access/change-access.ts'
import { ja } from '../../../web/src/translations/ja.ts'
import { exited, started } from '../../services/processes/launch-pad.ts'
import { ownerWho } from '../../services/projects/installation.ts'
import { type Console, openConsole, readyAgent } from '../../support/relay.ts'

/** The agent crashes in the middle of the work. */
async function interrupted(room: Console) {
  const scene = await room.ready('auth')
  const { machine, launchId, client } = scene
  const project = `/api/projects/${room.projectId}`
  const ask = (path: string, body?: unknown) =>
    room.server.ask(project + path, body === undefined ? {} : { method: 'POST', body })
  const [work] = (await ask('/sessions')).json.items
  const path = `/sessions/${work.id}`
  const words = {
    category: 'jump',
    description: 'Set velocity.y',
    failureReason: 'jumps in the air',
    learnings: ['ground first'],
  }
  await ask(`${path}/approaches`, { kind: 'failed', ...words })
  await ask('/tasks', { ['sessionId']: work.id, phase: 1, type: 'code', title: 'Land softly' })
  await ask(`${path}/checkpoint`, { contextSummary: 'Jumping works' })
  await machine.tell(exited(launchId, { exitCode: 1 }))
  await client.next('agent:failed')
  expect((await ask(path)).json).toMatchObject({
    state: 'interrupted',
    interruptionReason: 'process_exited',
  })
  return { ...scene, ask, path, workSessionId: work.id }
}

test('[RS2] a resume spawns the agent into its role and worktree again, in the child, and the context is the first thing it is told', async () => {
  const room = await openConsole()
  const { client, machine, launchId, ask, path } = await interrupted(room)
  // The newest comes first in the list.
  room.server.clock.advance(1000)
  const resumed = await ask(`${path}/resume`, {})
  expect([resumed.status, resumed.json.notRestored]).toEqual([201, []])
  expect(await client.next('agent:spawning')).toMatchObject({
    role: 'auth',
    agentId: 'coder',
    workspace: 'auth',
  })
  const particulars = await machine.order('launch-begun')
  // AC4: it is to load what it said before, if it can.
  expect(JSON.stringify(particulars)).toContain(`"acp of ${launchId}"`)
  await machine.tell(started(particulars.launchId), readyAgent(particulars.launchId))
  await client.next('agent:ready')
  const prompted = await client.next('agent:prompted')
  const [{ text }] = prompted.content
  for (const words of [
    'How it stood: Jumping works',
    'approach_f001: Set velocity.y · ground first · jumps in the air · avoid',
    'Land softly',
  ])
    expect(text).toContain(words)
  // Before it stands what begins every new session (CX2).
  expect((await machine.turn()).content).toEqual([
    { type: 'text', text: expect.stringContaining('[Holdfast]') },
    ...prompted.content,
  ])
  const { items } = (await ask('/sessions')).json
  expect(items).toMatchObject([
    { id: resumed.json.session.id, state: 'running' },
    { state: 'interrupted' },
  ])
  const again = await ask(`${path}/resume`, {})
  expect([again.status, again.json.session.id, again.json.notRestored]).toEqual([
    200,
    resumed.json.session.id,
    [],
  ])
})

test('[RS2] where its console is closed the answer says so before anything runs', async () => {
  const room = await openConsole()
  const { client, inside, ask, path } = await interrupted(room)
  client.send({ type: 'session:terminate', ...inside })
  await client.next('session:terminated')
  const { status, json } = await ask(`${path}/resume`, {})
  expect(status).toBe(201)
  expect(json.notRestored).toMatchObject([
    {
      what: 'agent',
      detail: expect.stringMatching(/^coder cannot continue as auth automatically: /),
    },
  ])
  const [{ detail, notice }] = json.notRestored
  expect(translated(ja.translation, detail, notice)).toBe(
    'coder は役割 auth を自動では続けられません: このコンソールは終了しました',
  )
})

test('[HT4] the same resume asked again under its key spawns nobody twice', async () => {
  const room = await openConsole()
  const { ask, path } = await interrupted(room)
  const project = `/api/projects/${room.projectId}`
  const resume = () =>
    room.server.ask(`${project}${path}/resume`, {
      method: 'POST',
      headers: { 'idempotency-key': 'k' },
    })
  const [first, second] = [await resume(), await resume()]
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.json).toEqual(first.json)
  expect((await ask('/sessions')).json.items).toHaveLength(2)
})

test('[RS6] a crashed role of a console that has ended starts nothing, and the answer says that the role is missing', async () => {
  const room = await openConsole()
  const { client, inside, ask, path } = await interrupted(room)
  client.send({ type: 'session:terminate', ...inside })
  await client.next('session:terminated')
  const { status, json } = await ask(`${path}/resume`, {})
  expect([status, json.missing]).toMatchObject([
    201,
    [{ what: 'role', detail: expect.stringContaining('coder worked as auth') }],
  ])
  expect((await ask(`/sessions/${json.session.id}`)).json).toMatchObject({
    state: 'running',
    waitsFor: [{ what: 'task', taskId: expect.any(String) }],
  })
})

test('[RS6] the same role in another console of the same person takes up that work, and no other console does', async () => {
  const room = await openConsole()
  const { client, machine, inside, ask, path } = await interrupted(room)
  client.send({ type: 'session:terminate', ...inside })
  await client.next('session:terminated')
  const { json } = await ask(`${path}/resume`, {})
  expect(json.missing).toMatchObject([
    { what: 'role', detail: expect.stringContaining('spawn coder as auth') },
  ])
  const running = async () =>
    (await ask('/sessions')).json.items.flatMap(({ id, state }: { id: string; state: string }) =>
      state === 'running' ? [id] : [],
    )
  const spawned = async (token: string | undefined, role: string) => {
    const on = await room.client(token)
    const within = await room.created(on)
    on.send({ type: 'agent:spawn', ...within, role })
    await machine.bringUp()
    await on.next('agent:ready')
    return on
  }
  const { token } = await room.server.store.run(addPerson, {
    name: 'Ben',
    role: 'member',
    by: ownerWho.id,
  })
  await spawned(token, 'auth')
  await spawned(undefined, 'docs')
  const before = await running()
  expect([before.length, before.includes(json.session.id)]).toEqual([3, true])
  const on = await spawned(undefined, 'auth')
  expect((await on.next('agent:prompted')).content[0].text).toContain('How it stood: Jumping works')
  expect((await machine.turn()).content.at(-1).text).toContain('Land softly')
  expect(await running()).toEqual(before)
})

test('[RS2] [SE28] whoever resumes what was done in another person’s console is told neither its id nor its role’s place', async () => {
  const room = await openConsole()
  const { inside, path } = await interrupted(room)
  const { token } = await room.server.store.run(addPerson, {
    name: 'Ben',
    role: 'member',
    by: ownerWho.id,
  })
  const route = `/api/projects/${room.projectId}${path}/resume`
  for (const status of [201, 200]) {
    const resumed = await room.server.ask(route, { method: 'POST', body: {}, token })
    expect(resumed.status).toBe(status)
    expect(resumed.text).not.toContain(inside.sessionId)
    if (status === 201)
      expect(resumed.json.notRestored).toMatchObject([
        { what: 'agent', notice: { code: 'inConsoleOfOther' } },
      ])
  }
})

test('[CX8] [DC11] what a role that resumes work says first in its console is its account’s and the owner’s alone', async () => {
  const room = await openConsole()
  const { client, machine, inside, ask, path } = await interrupted(room)
  await ask(`${path}/resume`, {})
  await machine.bringUp()
  await machine.answer('I go on with the secret plan')
  await client.next('agent:response')
  const { token } = await room.server.store.run(addPerson, {
    name: 'Ben',
    role: 'member',
    by: ownerWho.id,
  })
  const key = encodeURIComponent(`console:${inside.sessionId}.auth`)
  await room.server.ask(`/api/conversations/${key}`, {
    method: 'PATCH',
    body: { title: 'A secret title' },
  })
  const search = async (as: string) =>
    (await room.server.ask('/api/search?q=secret&titles=true', { token: as })).json
  const read = async (as: string) => [
    (await room.server.ask(`/api/conversations/${key}/messages`, { token: as })).status,
    (await search(as)).items.length,
    (await search(as)).titles.length,
    (await room.server.ask('/api/conversations?channel=console', { token: as })).json.items.length,
  ]
  expect(await read(room.server.ownerToken)).toEqual([200, 1, 1, 1])
  expect(await read(token)).toEqual([404, 0, 0, 0])
})

const ends = [
  ['never spoken to', [], 'completed'],
  ['that answered one prompt', ['hi'], 'completed'],
  ['with a task left', ['hi', 'task'], 'interrupted'],
  ['in the middle of a turn', ['hi', 'running'], 'interrupted'],
] as const

test.each(ends)(
  '[WK7] a role %s and ended on purpose leaves no interrupted work, unless something is left: %s → %s',
  async (_, has, state) => {
    const room = await openConsole()
    const { client, machine, inside, launchId } = await room.ready('auth')
    const project = `/api/projects/${room.projectId}`
    const [work] = (await room.server.ask(`${project}/sessions`)).json.items
    const body = { ['sessionId']: work.id, phase: 1, type: 'code', title: 'Land softly' }
    if (has.some((each) => each === 'task'))
      await room.server.ask(`${project}/tasks`, { method: 'POST', body })
    for (const content of has.filter((each) => each !== 'task')) {
      client.send({ type: 'agent:message', ...inside, role: 'auth', content })
      if (content === 'hi') await machine.answer('hello')
      else await machine.turn()
    }
    client.send({ type: 'agent:terminate', ...inside, role: 'auth' })
    await machine.order('stop-ordered')
    await machine.tell(exited(launchId, { stopped: true }))
    await client.next('agent:terminated')
    const reason = state === 'completed' ? null : 'stopped'
    expect((await room.server.ask(`${project}/sessions/${work.id}`)).json).toMatchObject({
      state,
      interruptionReason: reason,
    })
    const { items } = (await room.server.ask('/api/sessions/interrupted')).json
    expect(items).toHaveLength(state === 'completed' ? 0 : 1)
  },
)
