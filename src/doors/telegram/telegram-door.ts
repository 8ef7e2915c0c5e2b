/** The door for Telegram. Loads its library only where there is a token. */
import type { Door } from '../door.ts'

export const telegramDoor: Door = {
  channel: {
    name: 'telegram',
    isConfigured: (config) => config['telegram.token'] !== null,
    open: async (config) => {
      const { telegram } = await import('./telegram.ts')
      return telegram({
        token: config['telegram.token'] ?? '',
        apiRoot: config['telegram.api_root'] ?? undefined,
      })
    },
  },
}
