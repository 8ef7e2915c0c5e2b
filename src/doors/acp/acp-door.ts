/**
 * The Agent Client Protocol at `/acp` (EC): Holdfast as an agent that editors open sessions with.
 * Its code is loaded with the first editor (SP1).
 */
import type { Door } from '../door.ts'

export const acpDoor: Door = {
  sockets: {
    '/acp': {
      load: async (deps) => {
        const { AcpClient } = await import('./acp-client.ts')
        return (accepted) => {
          new AcpClient(accepted, deps)
        }
      },
    },
  },
}
