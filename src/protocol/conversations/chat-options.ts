/** What the agent of a conversation lets people set (AG14). */
import * as z from 'zod'
import { AgentMode, AgentOption } from '../turns/agent-update.ts'

export const ChatOptions = z.object({
  images: z.boolean().describe('Takes pictures in prompts'),
  modes: z.array(AgentMode),
  modeId: z.string().nullable(),
  options: z.array(AgentOption).describe('The model too, with `category: "model"`'),
})
export type ChatOptions = z.output<typeof ChatOptions>
