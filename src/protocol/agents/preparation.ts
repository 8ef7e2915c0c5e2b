/**
 * Installing and signing in a known agent on the server's machine by one press (AG18): what runs,
 * what it has written, and what became of it.
 */
import * as z from 'zod'
import { Notice } from '../notices.ts'
import { Time } from '../text.ts'

export const preparationSteps = ['install', 'sign_in'] as const
export type PreparationStep = (typeof preparationSteps)[number]

export const AgentPreparation = z.object({
  agent: z.string().describe('The short name of the agent'),
  step: z.enum(preparationSteps),
  command: z.string().describe('What runs, as one would type it'),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  begunAt: Time,
  output: z.string().describe('The end of what it has written'),
  visit: z
    .object({ url: z.string(), code: z.string().nullable() })
    .nullable()
    .describe('The address that it asks a person to open, and the code to type there'),
  takesCode: z.boolean().describe('Whether it waits for a code that the opened page shows'),
  error: z.string().nullable().describe('Why it failed, and what to type instead'),
  notice: Notice.optional(),
})
export type AgentPreparation = z.output<typeof AgentPreparation>
