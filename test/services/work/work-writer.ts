/** The writer thread with the product's use cases and those of work-room.ts. */
import { useCases } from '../../../src/services/registry.ts'
import { serveWriter } from '../../../src/store/sqlite/writer-thread.ts'
import { endAgentSessionRow, placeAgentSession } from '../agent-sessions/agent-session-rows.ts'
import { placeApproaches, placeWorkSessions } from './large-work.ts'
import { placeTasks, placeWorkSession, spoilTask } from './work-rows.ts'

const more = [
  placeAgentSession,
  endAgentSessionRow,
  placeWorkSession,
  placeTasks,
  spoilTask,
  placeApproaches,
  placeWorkSessions,
]

await serveWriter({
  ...useCases,
  ...Object.fromEntries(more.map((useCase) => [useCase.name, useCase])),
})
