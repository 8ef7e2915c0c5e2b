/**
 * Use cases that find out which streams they need: by a row, by a decision, by a drawn name. State
 * and events as in use-cases.ts.
 */
import { Refusal } from '../../src/domain/errors.ts'
import { projectStream, type StreamName } from '../../src/domain/stream-name.ts'
import { type Context, defineUseCase, type Tx } from '../../src/store/store.ts'
import { countUp, createRow, selectProject } from './use-cases.ts'

export const countOf = async (tx: Pick<Tx, 'first'>, id: string): Promise<number> =>
  Number((await tx.first(selectProject, { id }))?.settings ?? 0)

/** Counts up each row, in the order given, and names none of their streams. */
export const countUpUnnamed = defineUseCase('count-up-unnamed', {
  scope: 'server',
  on: 'nobody',
  run: async (tx, { ids }: { ids: string[] }, context) => {
    const seqs: number[] = []
    for (const id of ids) seqs.push((await countUp.run(tx, { id }, context)).seq)
    return seqs
  },
})

const countUpLocked = async (tx: Tx, id: string, context: Context): Promise<number> => {
  tx.lock(projectStream(id))
  return (await countUp.run(tx, { id }, context)).seq
}

/** Points a row to another one: the name says to which. */
export const point = defineUseCase('point', {
  scope: 'server',
  on: 'nobody',
  run: async (tx, { id, to }: { id: string; to: string }, context) => {
    const row = await tx.first(selectProject, { id })
    if (!row) return (await createRow.run(tx, { id, name: to }, context)).seq
    await tx.update('projects', { id, name: to })
    const project = { id, name: to, path: null, settings: {}, agentIds: [] }
    const times = { createdAt: row.created_at, updatedAt: row.updated_at }
    const data = { project: { ...project, ...times }, by: 'test' }
    return tx.append(projectStream(id), { type: 'project-changed', data })
  },
})

/** Counts up the row that another one points to; its event has a copy in the stream of that one. */
export const followPointer = defineUseCase('follow-pointer', {
  scope: 'server',
  on: 'nobody',
  run: async (tx, { id }: { id: string }, context) => {
    const to = (await tx.first(selectProject, { id }))?.name ?? ''
    tx.lock(projectStream(id))
    const count = await countOf(tx, to)
    await tx.update('projects', { id: to, settings: String(count + 1) })
    const project = { id: to, name: to, path: null, settings: { count: count + 1 }, agentIds: [] }
    const times = { createdAt: context.now, updatedAt: context.now }
    const data = { project: { ...project, ...times }, by: 'test' }
    tx.append(projectStream(to), { type: 'project-changed', data }, [projectStream(id)])
    return to
  },
})

/** Counts up one of two rows, as long as both together are below the limit. */
export const countUpBelow = defineUseCase('count-up-below', {
  scope: 'server',
  on: 'nobody',
  streams: ({ id }: { id: string; other: string; limit: number }) => [projectStream(id)],
  run: async (tx, { id, other, limit }, context) => {
    const sum = (await countOf(tx, id)) + (await countOf(tx, other))
    tx.lock(projectStream(other))
    if (sum >= limit) throw new Refusal('invalid_name', 'the limit is reached')
    return (await countUp.run(tx, { id }, context)).count
  },
})

/** Makes a row with a drawn name, and counts up another one. */
export const createDrawn = defineUseCase('create-drawn', {
  scope: 'server',
  on: 'nobody',
  run: async (tx, { beside }: { beside: string }, context) => {
    const id = `${context.random.text(8)}-${context.random.uuid()}`
    const { seq } = await createRow.run(tx, { id }, context)
    await countUp.run(tx, { id: beside }, context)
    return { id, seq }
  },
})

/** Writes, and reads until it sees its own write: an abandoned run never does. */
export const waitForOwnWrite = defineUseCase('wait-for-own-write', {
  scope: 'server',
  on: 'nobody',
  run: async (tx, { id }: { id: string }, context) => {
    const before = await countOf(tx, id)
    await countUpLocked(tx, id, context)
    while ((await countOf(tx, id)) === before);
    return countOf(tx, id)
  },
})

/** Reads what it has just written, and needs another stream then. */
export const readOwnWriteThenLock = defineUseCase('read-own-write-then-lock', {
  scope: 'server',
  on: 'nobody',
  streams: ({ id }: { id: string; other: string }) => [projectStream(id)],
  run: async (tx, { id, other }, context) => {
    await countUp.run(tx, { id }, context)
    const count = await countOf(tx, id)
    tx.lock(projectStream(other))
    return count
  },
})

/** Writes, needs another stream, and reads then. */
export const writeThenLock = defineUseCase('write-then-lock', {
  scope: 'server',
  on: 'nobody',
  streams: ({ id }: { id: string; other: string }) => [projectStream(id)],
  run: async (tx, { id, other }, context) => {
    const { count } = await countUp.run(tx, { id }, context)
    tx.lock(projectStream(other))
    await countOf(tx, other)
    return count
  },
})

let runs = 0

/** Needs a stream that it never needed before. */
export const lockEverNew = defineUseCase('lock-ever-new', {
  scope: 'server',
  on: 'nobody',
  run: async (tx, { id }: { id: string }, context) => {
    tx.lock(projectStream(`new${++runs}`))
    return (await countUp.run(tx, { id }, context)).count
  },
})

/**
 * Counts up the row that another one points to, and the next time guesses that it is the same one.
 */
export const followRemembered = defineUseCase('follow-remembered', {
  scope: 'server',
  on: 'nobody',
  streams: ({ id }: { id: string }): StreamName[] => [projectStream(id)],
  lockCacheKey: ({ id }) => id,
  run: followPointer.run,
})

export const lockUseCases = Object.fromEntries(
  [
    countUpUnnamed,
    point,
    followPointer,
    countUpBelow,
    createDrawn,
    waitForOwnWrite,
    followRemembered,
  ].map((each) => [each.name, each]),
)
