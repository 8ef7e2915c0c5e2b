/** What coordinators are fenced with, and the use cases that lead to a launch, from one build. */
import { Launches } from '../../../src/server/agents/launches.ts'
import { Offers } from '../../../src/server/agents/offers.ts'
import { assignAgent } from '../../../src/services/assign-agent.ts'
import { createAgent } from '../../../src/services/create-agent.ts'
import { createProject } from '../../../src/services/create-project.ts'
import { postMessage } from '../../../src/services/post-message.ts'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'

export { assignAgent, createAgent, createProject, Launches, Offers, openPostgresStore, postMessage }
