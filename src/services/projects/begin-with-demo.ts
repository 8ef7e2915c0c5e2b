/**
 * Creates the demo project and agents in a new store (UI6), in one commit. Does nothing if a project or agent was ever created.
 */

import { demoAcp, demoMcp } from '../../domain/agents/demo.ts'
import { home } from '../../domain/stream-name.ts'
import type { EventType } from '../../protocol/events.ts'
import { selectFirstOfTypes } from '../../store/log/event-log.ts'
import { defineQuery, defineUseCase, type Reader } from '../../store/store.ts'
import { createAgent } from '../agents/create-agent.ts'
import { assignAgent } from './assign-agent.ts'
import { createProject } from './create-project.ts'

const createdEvents = { one: 'project-created', other: 'agent-created' } satisfies Record<string, EventType>

const isWithoutProjects = async (reader: Reader): Promise<boolean> =>
  (await reader.first(selectFirstOfTypes, { stream: home, ...createdEvents })) === undefined

/**
 * Whether a store still needs the demo: no project and no agent was ever created in it. A deleted demo is not created again.
 */
export const needsDemo = defineQuery((reader, _: object) => isWithoutProjects(reader))

const demos = [demoMcp, demoAcp]

export const beginWithDemo = defineUseCase('begin-with-demo', {
  streams: (_: { path: string | undefined; by: string }) => [home],
  run: async (tx, { path, by }, context): Promise<void> => {
    if (!(await isWithoutProjects(tx))) return
    const { id: projectId } = await createProject.run(tx, { name: 'demo', path, by }, context)
    for (const demo of demos) {
      await createAgent.run(tx, { ...demo, args: [...demo.args], by }, context)
      await assignAgent.run(tx, { projectId, agentId: demo.id, by }, context)
    }
  },
})
