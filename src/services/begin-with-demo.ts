/**
 * What a new store begins with (UI6): the demo project and the demo agent, in one commit, so that a first start that is cut off
 * leaves all of it or nothing. Where the agent is there already, another node was faster, or a person: then nothing changes.
 */
import { demoMcp } from '../domain/agent/demo.ts'
import { home } from '../domain/stream/name.ts'
import { selectAgent } from '../store/queries/agents.ts'
import { defineUseCase } from '../store/store.ts'
import { assignAgent } from './assign-agent.ts'
import { createAgent } from './create-agent.ts'
import { createProject } from './create-project.ts'

interface Beginning {
  readonly path: string | undefined
  readonly by: string
}

export const beginWithDemo = defineUseCase({
  name: 'begin-with-demo',
  streams: (_: Beginning) => [home],
  run: async (tx, { path, by }, context): Promise<void> => {
    if (await tx.first(selectAgent, { id: demoMcp.id })) return
    const { id: projectId } = await createProject.run(tx, { name: 'demo', path, by }, context)
    await createAgent.run(tx, { ...demoMcp, args: [...demoMcp.args], by }, context)
    await assignAgent.run(tx, { projectId, agentId: demoMcp.id, by }, context)
  },
})
