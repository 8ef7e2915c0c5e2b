/**
 * FS8-FS12 on the server: states that a crash left out, how long states are kept, and rewinds upon
 * rewinds. The test plays the machine.
 */
import { expect, test } from 'vitest'
import { webKey } from '../../../src/domain/conversations/key.ts'
import { cutOffOperations, oldFileStates } from '../../../src/jobs/due-file-states.ts'
import { type DueWork, handleDue } from '../../../src/jobs/due-work.ts'
import { forEachSettled } from '../../../src/platform/for-each-settled.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { importConversation } from '../../../src/services/conversations/import-conversation.ts'
import { finishOperation } from '../../../src/services/flows/files/finish-operation.ts'
import { forgetOldFiles } from '../../../src/services/turns/keep-files.ts'
import { exited } from '../../services/processes/launch-pad.ts'
import { bringUp, openAcpChat } from '../../support/acp-chat.ts'
import { said, turnEnded } from '../../support/relay.ts'

const top = '/w/project'
const tree = (n: number): string => String(n).repeat(40)
const state = (n: number) => ({ tree: tree(n), leftOut: null, head: tree(9) })
const files = (n: number, where = top) => ({ top: where, state: state(n), leftOut: [] })

async function openFiles() {
  const chat = await openAcpChat()
  const { server, machine, room, clock, say } = chat
  const key = webKey(room.projectId, 'coder')
  const { fileOperations } = server.server
  const logger = createLogger({ level: 'silent', format: 'json' })
  const handle = (works: readonly DueWork[]) =>
    forEachSettled(works, (work) => handleDue(work, { clock, logger }))
  const job = { run: () => handle(cutOffOperations(server.store, fileOperations)) }
  const collect = () => handle(oldFileStates(server.store, fileOperations))
  const at = (more: string) => `/api/conversations/${encodeURIComponent(key)}${more}`
  const turns = async () => (await server.ask(at('/turns'))).json.items.reverse()
  /** Answers the next request of the machine. */
  const answer = async (value: unknown) => {
    const { questionId, ask } = await machine.order('question-asked')
    const text = JSON.stringify({ ok: true, value })
    await machine.tell({ type: 'question-answered', questionId, part: 0, text, last: true })
    return ask
  }
  const begin = async (by: typeof machine) => {
    await say('hello')
    const launchId = await bringUp(by)
    const { turnId } = await by.turn()
    await by.tell(said(launchId, turnId, 'yes'), turnEnded(launchId, turnId))
    return launchId
  }
  /** A turn with its files, up to its answer. */
  const turn = async (
    launchId: string,
    content: string,
    before: number,
    after: number,
    where = top,
    meanwhile?: string,
  ) => {
    clock.advance(1000)
    await say(content)
    return answered(launchId, content, before, after, where, meanwhile)
  }
  const answered = async (
    launchId: string,
    content: string,
    before: number,
    after: number,
    where = top,
    meanwhile?: string,
  ): Promise<string> => {
    const { turnId } = await machine.turn()
    await machine.tell({ type: 'turn-files', launchId, turnId, before: files(before, where) })
    clock.advance(1000)
    if (meanwhile !== undefined) await say(meanwhile)
    const end = turnEnded(launchId, turnId)
    await machine.tell(said(launchId, turnId, `to ${content}`), {
      ...end,
      files: { ...files(after, where), changes: null },
    } as typeof end)
    return turnId as string
  }
  const rewind = async (turnId: string, to: 'before' | 'after', now: number, target: number) => {
    clock.advance(1000)
    const asked = server.ask(at(`/turns/${turnId}/rewind`), { method: 'POST', body: { to } })
    await answer({ outcome: 'done', before: state(now), after: state(target), kept: [] })
    expect((await asked).status).toBe(200)
  }
  const undo = async (now: number, target: number) => {
    clock.advance(1000)
    const asked = server.ask(at('/rewind/undo'), { method: 'POST', body: {} })
    const request = await answer({
      outcome: 'done',
      before: state(now),
      after: state(target),
      kept: [],
    })
    expect(await asked).toMatchObject({ status: 200 })
    return request
  }
  const rewound = async () => (await turns()).map(({ rewound }: { rewound: boolean }) => rewound)
  return {
    ...chat,
    key,
    job,
    collect,
    at,
    turns,
    answer,
    begin,
    turn,
    answered,
    rewind,
    undo,
    rewound,
  }
}

test('[FS11] a state that a crash left out is taken at the next run, unless the turn was taken back; it is asked for once', async () => {
  const { machine, say, turns, job, answer } = await openFiles()
  await say('first')
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell(
    { type: 'turn-files', launchId, turnId, before: files(1) },
    exited(launchId, { signal: 'SIGKILL' }),
  )
  expect((await turns())[0]).toMatchObject({ before: tree(1), after: null })
  const run = job.run()
  expect(await answer({ ...files(2), changes: { files: 1, added: 2, removed: 0 } })).toMatchObject({
    kind: 'files-take',
    folder: top,
    since: tree(1),
  })
  await run
  expect((await turns())[0]).toMatchObject({
    before: tree(1),
    after: tree(2),
    changes: { files: 1, added: 2, removed: 0 },
  })
  await job.run()
})

test('[FS11] where another turn has begun meanwhile, the missing state is the one it began with, never a later one', async () => {
  const { machine, say, turns, job, answer, clock } = await openFiles()
  await say('first')
  const cut = await bringUp(machine)
  const first = await machine.turn()
  await machine.tell({ type: 'turn-files', launchId: cut, turnId: first.turnId, before: files(1) })
  await machine.tell(exited(cut, { signal: 'SIGKILL' }))
  const run = job.run()
  const { questionId, ask } = await machine.order('question-asked')
  expect(ask).not.toHaveProperty('state')
  clock.advance(1000)
  const launchId = await bringUp(machine)
  const { turnId } = await machine.turn()
  await machine.tell({ type: 'turn-files', launchId, turnId, before: files(2) })
  // Taken while the second turn was changing files.
  const text = JSON.stringify({ ok: true, value: { ...files(3), changes: null } })
  await machine.tell({ type: 'question-answered', questionId, part: 0, text, last: true })
  await run
  expect((await turns())[0]).toMatchObject({ before: tree(1), after: null })
  const again = job.run()
  const changes = { files: 1, added: 2, removed: 0 }
  expect(await answer({ ...files(2), changes })).toMatchObject({
    kind: 'files-take',
    since: tree(1),
    state: state(2),
  })
  await again
  expect(await turns()).toMatchObject([
    { before: tree(1), after: tree(2), changes },
    { before: tree(2), after: null },
  ])
})

test('[FS10] older states than the project keeps are let go, the newest never; those of a deleted conversation all', async () => {
  const { collect, machine, server, begin, turns, turn, answer, clock, at, key } = await openFiles()
  const launchId = await begin(machine)
  await turn(launchId, 'first', 1, 2)
  clock.advance(1000)
  const before = new Date(clock.now()).toISOString()
  expect(await server.store.run(forgetOldFiles, { key, before })).toMatchObject({
    needed: [tree(1), tree(2)],
  })
  await turn(launchId, 'second', 3, 4)
  expect(await server.store.run(forgetOldFiles, { key, before })).toMatchObject({
    places: [{ folders: [top] }],
    needed: [tree(3), tree(4)],
  })
  expect((await turns()).slice(1)).toMatchObject([
    { before: null, after: null },
    { before: tree(3), after: tree(4) },
  ])
  expect((await server.ask(at(''), { method: 'DELETE' })).status).toBe(204)
  const collected = collect()
  expect(await answer(2)).toMatchObject({ kind: 'files-keep', folders: [top], key, needed: [] })
  await collected
  // There is nothing left to ask for.
  await collect()
})

test('[FS8] a rewind after a rewind brings back what was there at its turn and nothing else, and an old file imports none of it', async () => {
  const { machine, server, begin, turn, turns, rewind, chat, key } = await openFiles()
  const launchId = await begin(machine)
  const first = await turn(launchId, 'one', 1, 2)
  await rewind(first, 'before', 2, 1)
  const second = await turn(launchId, 'two', 1, 3)
  await rewind(second, 'before', 3, 1)
  expect(await chat()).toEqual(['owner: hello', 'coder: yes'])
  expect((await turns()).map(({ rewound }: { rewound: boolean }) => rewound)).toEqual([
    false,
    true,
    true,
  ])
  // Back onto what was taken back first.
  await rewind(first, 'after', 1, 2)
  expect(await chat()).toEqual(['owner: hello', 'coder: yes', 'owner: one', 'coder: to one'])
  expect((await turns()).map(({ rewound }: { rewound: boolean }) => rewound)).toEqual([
    false,
    false,
    true,
  ])
  const messages = ['hello', 'yes', 'two', 'to two'].map((content, n) => ({
    role: n % 2 ? ('assistant' as const) : ('user' as const),
    content,
  }))
  const imported = await server.store.run(importConversation, {
    key,
    by: 'owner',
    ours: true,
    messages,
    summary: '',
    flags: {},
  } as never)
  expect(imported).toMatchObject({ added: 0, alreadyThere: 4 })
})

test('[FS8] a rewind is asked of its machine once: the job and a repeated request wait for the same answer, and get it when all is over', async () => {
  const { machine, server, room, key, begin, turn, turns, job, at } = await openFiles()
  const launchId = await begin(machine)
  const first = await turn(launchId, 'one', 1, 2)
  const headers = { 'idempotency-key': 'the same rewind' }
  const ask = () =>
    server.ask(at(`/turns/${first}/rewind`), { method: 'POST', body: { to: 'before' }, headers })
  const asked = [ask()]
  const { questionId, ask: request } = await machine.order('question-asked')
  // A repeated request that finds the machine away does not end what may have begun.
  const unsent = { id: request.id, key, projectId: room.projectId, answer: null }
  expect(await server.store.run(finishOperation, unsent)).toMatchObject({ state: 'asked' })
  asked.push(ask())
  const run = job.run()
  const value = { outcome: 'done', before: state(2), after: state(1), kept: [] }
  const text = JSON.stringify({ ok: true, value })
  await machine.tell({ type: 'question-answered', questionId, part: 0, text, last: true })
  await run
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200])
  expect((await ask()).status).toBe(200)
  expect((await turns()).map(({ rewound }: { rewound: boolean }) => rewound)).toEqual([false, true])
})

test('[FS12] rewinds are undone one after the other, each to what was there before it, also one onto what was taken back', async () => {
  const { machine, server, begin, turn, rewind, undo, rewound, chat, at } = await openFiles()
  const launchId = await begin(machine)
  await turn(launchId, 'one', 1, 2)
  const second = await turn(launchId, 'two', 2, 3)
  const third = await turn(launchId, 'three', 3, 4)
  const all = await chat()
  await rewind(second, 'before', 4, 2)
  await rewind(third, 'after', 2, 4)
  expect(await chat()).toEqual(all)
  expect(await undo(4, 2)).toMatchObject({ target: { tree: tree(2) }, expected: { tree: tree(4) } })
  expect(await chat()).toEqual(all.slice(0, 4))
  expect(await rewound()).toEqual([false, false, true, true])
  expect((await server.ask(at(''))).json).toMatchObject({ rewound: { turnId: second } })
  expect(await undo(2, 4)).toMatchObject({ target: { tree: tree(4) }, expected: { tree: tree(2) } })
  expect(await chat()).toEqual(all)
  expect(await rewound()).toEqual([false, false, false, false])
  expect(await server.ask(at('/rewind/undo'), { method: 'POST', body: {} })).toMatchObject({
    status: 409,
  })
})

test('[FS12] what was written while a turn ran belongs to the next: a rewind and a fork between the two have the answer and not that', async () => {
  const { machine, server, room, begin, turn, answered, answer, rewind, undo, chat, at } =
    await openFiles()
  const launchId = await begin(machine)
  const first = await turn(launchId, 'one', 1, 2, top, 'two')
  const second = await answered(launchId, 'two', 2, 3)
  const [all, between] = [
    await chat(),
    ['owner: hello', 'coder: yes', 'owner: one', 'coder: to one'],
  ]
  expect(all).toHaveLength(6)
  await rewind(second, 'before', 3, 2)
  expect(await chat()).toEqual(between)
  await rewind(first, 'before', 2, 1)
  await rewind(first, 'after', 1, 2)
  expect(await chat()).toEqual(between)
  await undo(2, 1)
  expect(await chat()).toEqual(between.slice(0, 2))
  await undo(1, 2)
  await undo(2, 3)
  expect(await chat()).toEqual(all)
  await server.ask(`/api/projects/${room.projectId}`, { method: 'PATCH', body: { path: top } })
  const forkOf = async (turnId: string) => {
    const asked = server.ask(at(`/turns/${turnId}/fork`), { method: 'POST', body: {} })
    await answer({ folder: `/w/${turnId}`, top: `/w/${turnId}`, branch: 'b', baseBranch: null })
    const { conversation } = (await asked).json
    const { items } = (
      await server.ask(`/api/conversations/${encodeURIComponent(conversation)}/messages`)
    ).json
    return items.map(
      ({ senderId, content }: { senderId: string; content: string }) => `${senderId}: ${content}`,
    )
  }
  expect(await forkOf(first)).toEqual(between)
  expect(await forkOf(second)).toEqual([...between, 'owner: two', 'coder: to two'])
})

test('[FS12] a turn in another folder than the newest is not rewound to: its files are not the conversation’s', async () => {
  const { machine, server, begin, turn, at } = await openFiles()
  const launchId = await begin(machine)
  const first = await turn(launchId, 'one', 1, 2)
  await turn(launchId, 'two', 1, 3, '/w/worktree')
  const refused = await server.ask(at(`/turns/${first}/rewind`), {
    method: 'POST',
    body: { to: 'after' },
  })
  expect(refused).toMatchObject({
    status: 409,
    json: { code: 'wrong_state', notice: { code: 'turnElsewhere' } },
  })
})

test('[FS12] what was taken back is not counted in its day, and not found', async () => {
  const { machine, server, begin, turn, rewind, undo, at } = await openFiles()
  const launchId = await begin(machine)
  const first = await turn(launchId, 'xylophone', 1, 2)
  const days = async () => (await server.ask(at('/chapters'))).json.items
  const found = async () => (await server.ask('/api/search?q=xylophone')).json.items
  expect(await days()).toMatchObject([{ messageCount: 4 }])
  expect(await found()).toHaveLength(2)
  await rewind(first, 'before', 2, 1)
  expect(await days()).toMatchObject([{ messageCount: 2 }])
  expect(await found()).toEqual([])
  await undo(1, 2)
  expect(await days()).toMatchObject([{ messageCount: 4 }])
  expect(await found()).toHaveLength(2)
})
