/** Creates the demo project and its agents in a new store. */

import { demoAcp, demoMcp } from '../../../domain/agents/demo.ts'
import { home } from '../../../domain/stream-name.ts'
import type { EventType } from '../../../protocol/events.ts'
import { selectFirstOfTypes } from '../../../store/log/event-log.ts'
import { defineQuery, defineUseCase, type Reader } from '../../../store/store.ts'
import { createAgent } from '../../agents/change-agent.ts'
import { assignAgent, createProject } from '../../projects/change-project.ts'

const createdEvents = { one: 'project-created', other: 'agent-created' } satisfies Record<
  string,
  EventType
>

const isWithoutProjects = async (reader: Reader): Promise<boolean> =>
  (await reader.first(selectFirstOfTypes, { stream: home, ...createdEvents })) === undefined

/**
 * Whether a store needs the demo: no project and no agent was ever created in it. A deleted demo is
 * not created again.
 */
export const needsDemo = defineQuery('needs-demo', {
  scope: 'server',
  on: 'nobody',
  run: (reader, _: object) => isWithoutProjects(reader),
})

const demos = [demoMcp, demoAcp]

/**
 * Creates the demo project and agents in one commit (UI6), in a store where no project or agent was
 * ever created.
 */
export const beginWithDemo = defineUseCase('begin-with-demo', {
  scope: 'server',
  on: 'nobody',
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
