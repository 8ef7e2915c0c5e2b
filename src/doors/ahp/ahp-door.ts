/**
 * Holdfast as a host of the Agent Host Protocol, version 0.9 (AH): VS Code and others list, follow
 * and drive sessions. At `/ahp`, and at `/` for clients that take no path. Its code is loaded with
 * the first connection (SP1).
 */
import type { ServerDependencies } from '../../server/dependencies.ts'
import type { SocketAddress } from '../../server/door.ts'
import type { Door } from '../door.ts'

const address: SocketAddress = {
  tokenParameter: 'tkn',
  async load(deps: ServerDependencies) {
    const { AhpClient } = await import('./ahp-client.ts')
    return (accepted) => {
      new AhpClient(accepted, deps)
    }
  },
}

export const ahpDoor: Door = { sockets: { '/ahp': address, '/': address } }
