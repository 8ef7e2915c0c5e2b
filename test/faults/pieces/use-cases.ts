/**
 * The use cases of a build, as many as the load needs, and two that write everything and then
 * change their mind.
 */
import { Refusal } from '../../../src/domain/errors.ts'
import { addPerson } from '../../../src/services/access/change-access.ts'
import { createAgent } from '../../../src/services/agents/change-agent.ts'
import { deleteProject } from '../../../src/services/flows/projects/delete-project.ts'
import { unassignAgent } from '../../../src/services/flows/projects/unassign-agent.ts'
import {
  assignAgent,
  changeProject,
  createProject,
} from '../../../src/services/projects/change-project.ts'
import type { UseCase } from '../../../src/store/store.ts'

// biome-ignore lint/suspicious/noExplicitAny: each use case has an input of its own; its name is what matches them
export type UseCases = Readonly<Record<string, UseCase<any, unknown>>>

const all = [
  createProject,
  changeProject,
  deleteProject,
  createAgent,
  assignAgent,
  unassignAgent,
  addPerson,
  thenThrow('refuse-after-writing', () => new Refusal('invalid_name', 'refused on purpose')),
  thenThrow('fault-after-writing', () => new Error('a fault on purpose')),
]

export const useCases: UseCases = Object.fromEntries(all.map((useCase) => [useCase.name, useCase]))

function thenThrow(name: string, error: () => Error): UseCases[string] {
  return {
    ...createProject,
    name,
    run: async (...given: Parameters<typeof createProject.run>) => {
      await createProject.run(...given)
      throw error()
    },
  }
}
