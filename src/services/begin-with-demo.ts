/**
 * What a new store begins with (UI6): the demo project and the demo agents, in one commit, so that a first start that is cut off
 * leaves all of it or nothing. Where a project or an agent was made already, another node was faster, or a person: then nothing changes.
 */
import { demoAcp, demoMcp } from '../domain/agent/demo.ts'
import { home } from '../domain/stream/name.ts'
import { defineUseCase } from '../store/store.ts'
import { assignAgent } from './assign-agent.ts'
import { createAgent } from './create-agent.ts'
import { createProject } from './create-project.ts'
import { isWithoutProjects } from './needs-demo.ts'

interface Beginning {
  readonly path: string | undefined
  readonly by: string
}

const demos = [demoMcp, demoAcp]

export const beginWithDemo = defineUseCase({
  name: 'begin-with-demo',
  streams: (_: Beginning) => [home],
  run: async (tx, { path, by }, context): Promise<void> => {
    if (!(await isWithoutProjects(tx))) return
    const { id: projectId } = await createProject.run(tx, { name: 'demo', path, by }, context)
    for (const demo of demos) {
      await createAgent.run(tx, { ...demo, args: [...demo.args], by }, context)
      await assignAgent.run(tx, { projectId, agentId: demo.id, by }, context)
    }
  },
})
