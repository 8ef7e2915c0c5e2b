/** All doors. One is taken out by deleting its folder and its line. */
import { acpDoor } from './acp/acp-door.ts'
import { ahpDoor } from './ahp/ahp-door.ts'
import { discordDoor } from './discord/discord-door.ts'
import type { Door } from './door.ts'
import { mcpDoor } from './mcp/mcp-endpoint.ts'
import { relayDoor } from './relay/relay.ts'
import { restDoor } from './rest/register-routes.ts'
import { slackDoor } from './slack/slack-door.ts'
import { telegramDoor } from './telegram/telegram-door.ts'

export const doors: readonly Door[] = [
  restDoor,
  relayDoor,
  mcpDoor,
  acpDoor,
  ahpDoor,
  telegramDoor,
  slackDoor,
  discordDoor,
]
