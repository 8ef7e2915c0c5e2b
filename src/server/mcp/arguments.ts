/** Arguments shared by several tools. */
import * as z from 'zod'
import { Content } from '../../protocol/conversations/message.ts'
import { Id } from '../../protocol/text.ts'

export const agentSessionToken = z
  .string()
  .min(1)
  .max(512)
  .optional()
  .describe('What authenticate gave you. Leave it out if your connection carries your own credential.')

export const clientId = Id.optional().describe(
  'Any text of your choice that is new for each message. Call again with the same one after a lost answer: the message is stored once.',
)

export const content = Content
