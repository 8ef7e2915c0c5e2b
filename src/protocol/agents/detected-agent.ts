/** Agents installed on the server's machine, each with how it can be added (AG5). */
import * as z from 'zod'
import { Agent } from './agent.ts'

export const DetectedAgent = z.object({
  /** The recipe. */
  id: z.string(),
  /** The short name of the agent, which may have several recipes. */
  agent: z.string(),
  name: z.string(),
  file: z.string(),
  /** As the program reports it; null when it did not in time. */
  version: z.string().nullable(),
  /** The version this recipe was last tested with. */
  triedWith: z.string().nullable(),
  draft: Agent.pick({
    id: true,
    name: true,
    protocol: true,
    command: true,
    args: true,
    env: true,
    holdSeconds: true,
  }),
  /** Whether somebody has signed in on the machine; null where that cannot be seen. */
  signedIn: z.boolean().nullable(),
  /** What to run once to sign in; instead of it, one of these variables in the entry. */
  signIn: z.string(),
  keys: z.array(z.string()),
  signsIn: z
    .string()
    .nullable()
    .describe('What one press runs to sign in (AG18); null: it needs a terminal'),
})
export type DetectedAgent = z.output<typeof DetectedAgent>

export const DetectedAgents = z.object({
  items: z.array(DetectedAgent),
  /** Known agents that were not found, and how each is installed. */
  missing: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      install: z.string().describe('What to type in a terminal'),
      installs: z
        .string()
        .nullable()
        .describe('What one press runs to install it (AG18); null: it cannot'),
    }),
  ),
})
export type DetectedAgents = z.output<typeof DetectedAgents>
