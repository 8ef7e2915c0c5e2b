/** The door for Slack. Loads its libraries only where there are tokens. */
import type { Door } from '../door.ts'

export const slackDoor: Door = {
  channel: {
    name: 'slack',
    isConfigured: (config) => config['slack.bot_token'] !== null,
    open: async (config) => {
      const { slack } = await import('./slack.ts')
      return slack({
        botToken: config['slack.bot_token'] ?? '',
        appToken: config['slack.app_token'] ?? '',
        apiRoot: config['slack.api_root'] ?? undefined,
      })
    },
  },
}
