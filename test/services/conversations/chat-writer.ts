/** The writer thread with the product's use cases and those of chat-room.ts. */
import { useCases } from '../../../src/services/registry.ts'
import { serveWriter } from '../../../src/store/sqlite/writer-thread.ts'
import { endAgentSessionRow, placeAgentSession } from '../agent-sessions/agent-session-rows.ts'

await serveWriter({
  ...useCases,
  [placeAgentSession.name]: placeAgentSession,
  [endAgentSessionRow.name]: endAgentSessionRow,
})
