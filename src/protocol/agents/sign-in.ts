/**
 * What an ACP agent offers outside of any project, and a person's attempt to sign in to it (AC13).
 */
import * as z from 'zod'
import { Time } from '../text.ts'

export const AgentInspection = z.object({
  ways: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string().nullable(),
      command: z
        .string()
        .nullable()
        .describe(
          'What to run in a terminal of its machine; null: the agent does it when it is asked to',
        ),
    }),
  ),
  signOut: z.boolean().describe('Whether it offers to be signed out'),
  acpSessions: z
    .array(
      z.object({ id: z.string(), title: z.string().nullable(), folder: z.string().nullable() }),
    )
    .nullable()
    .describe('The sessions that it keeps, the first page of them; null: it does not list them'),
})
export type AgentInspection = z.output<typeof AgentInspection>

export const SignInAttempt = z.object({
  method: z.string(),
  state: z.enum(['waiting', 'signed_in', 'failed']),
  begunAt: Time,
  visit: z
    .object({ message: z.string(), url: z.string() })
    .nullable()
    .describe('What the agent asks the person to open'),
  error: z.string().nullable(),
})
export type SignInAttempt = z.output<typeof SignInAttempt>
