/** What coordinators are fenced with, and the use cases that lead to a launch, from one build. */
import { Tails } from '../../../src/server/live/tail.ts'
import { Launches } from '../../../src/server/processes/launches.ts'
import { LinkedMachines } from '../../../src/server/processes/linked-machines.ts'
import { createAgent } from '../../../src/services/agents/change-agent.ts'
import { postMessage } from '../../../src/services/flows/messages/post-message.ts'
import { assignAgent, createProject } from '../../../src/services/projects/change-project.ts'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'

export {
  assignAgent,
  createAgent,
  createProject,
  Launches,
  LinkedMachines,
  openPostgresStore,
  postMessage,
  Tails,
}
