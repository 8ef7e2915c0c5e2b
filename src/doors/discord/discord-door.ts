/** The door for Discord. Loads its libraries only where there is a token. */
import type { Door } from '../door.ts'

export const discordDoor: Door = {
  channel: {
    name: 'discord',
    isConfigured: (config) => config['discord.token'] !== null,
    open: async (config) => {
      const { discord } = await import('./discord.ts')
      return discord({
        token: config['discord.token'] ?? '',
        apiRoot: config['discord.api_root'] ?? undefined,
      })
    },
  },
}
