/** The smallest use case that changes state and log: what SP5 measures is the store around it. */
import { projectStream } from '../../src/domain/stream-name.ts'
import type { Project } from '../../src/protocol/projects/project.ts'
import { statement } from '../../src/store/statement.ts'
import { defineUseCase } from '../../src/store/store.ts'

const insertRow = statement<{ id: string; now: string }>()((db, p) =>
  db.insertInto('projects').values({
    id: p.id,
    name: p.id,
    path: null,
    settings: '{}',
    created_at: p.now,
    updated_at: p.now,
  }),
)

const touchRow = statement<{ id: string; now: string }>()((db, p) =>
  db.updateTable('projects').set({ updated_at: p.now }).where('id', '=', p.id),
)

/** The event's body: about as long as a short message. */
export const bodyFor = (id: string, now: string): { project: Project; by: string } => ({
  project: {
    id,
    name: 'a project with a name',
    path: null,
    settings: {},
    agentIds: [],
    createdAt: now,
    updatedAt: now,
  },
  by: 'bench',
})

export const makeRow = defineUseCase('make-row', {
  scope: 'server',
  on: 'nobody',
  streams: () => [],
  run: async (tx, { id }: { id: string }, { now }) => {
    await tx.write(insertRow, { id, now })
  },
})

export const append = defineUseCase('append', {
  scope: 'server',
  on: 'nobody',
  streams: ({ id }: { id: string }) => [projectStream(id)],
  run: async (tx, { id }, { now }) => {
    await tx.write(touchRow, { id, now })
    return tx.append(projectStream(id), { type: 'project-changed', data: bodyFor(id, now) })
  },
})

export const useCases = { [makeRow.name]: makeRow, [append.name]: append }
