/**
 * The use cases of the store's contract: small enough that every answer can be foreseen. State is a
 * project row whose name is text and whose settings count how often it was changed; so state can be
 * compared with what the events say.
 */
import { Refusal } from '../../src/domain/errors.ts'
import { home, projectStream } from '../../src/domain/stream-name.ts'
import type { Project } from '../../src/protocol/projects/project.ts'
import type { Tables } from '../../src/store/schema/tables.ts'
import { statement } from '../../src/store/statement.ts'
import { defineUseCase, type ReceiptKey, type Tx } from '../../src/store/store.ts'

type ProjectRow = Tables['projects']

export const receipt = (key: string): ReceiptKey => ({
  credentialId: 'c1',
  operation: 'POST /x',
  key,
  contentHash: 'h1',
  sealedBy: 'hf_script_presented',
})

export const selectProject = statement<{ id: string }>()((db, p) =>
  db.selectFrom('projects').selectAll().where('id', '=', p.id),
)

const insertProject = statement<ProjectRow>()((db, p) =>
  db.insertInto('projects').values({
    id: p.id,
    name: p.name,
    path: p.path,
    settings: p.settings,
    created_at: p.created_at,
    updated_at: p.updated_at,
  }),
)

const updateCount = statement<{ id: string; settings: string }>()((db, p) =>
  db.updateTable('projects').set({ settings: p.settings }).where('id', '=', p.id),
)

const bodyOf = (row: ProjectRow): Project => ({
  id: row.id,
  name: row.name,
  path: row.path,
  settings: { count: Number(row.settings) },
  agentIds: [],
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const add = async (tx: Tx, id: string, now: string, name = id): Promise<ProjectRow> => {
  const row = { id, name, path: null, settings: '0', created_at: now, updated_at: now }
  await tx.write(insertProject, row)
  return row
}

/** Creates a row and its event. `also` copies the event into home. */
export const createRow = defineUseCase('create-row', {
  scope: 'server',
  on: 'nobody',
  streams: ({ id }: { id: string; name?: string; also?: boolean }) => [projectStream(id), home],
  run: async (tx, { id, name, also }, { now }) => {
    const project = bodyOf(await add(tx, id, now, name))
    const seq = tx.append(
      projectStream(id),
      { type: 'project-created', data: { project, by: 'test' } },
      also ? [home] : [],
    )
    return { id, seq, now }
  },
})

/** Read, add one, write: loses an update unless decisions about one stream are serial. */
export const countUp = defineUseCase('count-up', {
  scope: 'server',
  on: 'nobody',
  streams: ({ id }: { id: string; by?: string }) => [projectStream(id)],
  run: async (tx, { id, by = 'test' }, { now }) => {
    const row = (await tx.first(selectProject, { id })) ?? (await add(tx, id, now))
    const settings = String(Number(row.settings) + 1)
    await tx.write(updateCount, { id, settings })
    const seq = tx.append(projectStream(id), {
      type: 'project-changed',
      data: { project: bodyOf({ ...row, settings }), by },
    })
    return { count: Number(settings), seq }
  },
})

/** Moves a count between two rows; the names come in the order the caller chose. */
export const countUpAll = defineUseCase('count-up-all', {
  scope: 'server',
  on: 'nobody',
  streams: ({ ids }: { ids: string[] }) => ids.map(projectStream),
  run: async (tx, { ids }, context) => {
    const seqs: number[] = []
    for (const id of ids) seqs.push((await countUp.run(tx, { id }, context)).seq)
    return seqs
  },
})

/** Writes everything, then changes its mind. */
export const refuseAfterWriting = defineUseCase('refuse-after-writing', {
  scope: 'server',
  on: 'nobody',
  streams: ({ id }: { id: string; fault?: boolean }) => [projectStream(id)],
  run: async (tx, { id, fault }, context) => {
    await countUp.run(tx, { id }, context)
    if (fault) throw new Error('a fault on purpose')
    throw new Refusal('invalid_name', 'refused on purpose', { id })
  },
})

export const makeSecret = defineUseCase('make-secret', {
  scope: 'server',
  on: 'nobody',
  streams: ({ id }: { id: string }) => [projectStream(id)],
  run: async (tx, { id }, context) => {
    await countUp.run(tx, { id }, context)
    return { secret: context.random.secret('test') }
  },
  answersSecret: true,
})

export const useCases = Object.fromEntries(
  [createRow, countUp, countUpAll, refuseAfterWriting, makeSecret].map((each) => [each.name, each]),
)
