/** Agents that are installed on the server's machine, each with how it could be added (AG5). */
import * as z from 'zod'
import { Agent } from './agent.ts'

export const DetectedAgent = z.object({
  /** The word it is known by. */
  id: z.string(),
  name: z.string(),
  /** Where its program is. */
  file: z.string(),
  /** As the program itself says; null when it did not say in time. */
  version: z.string().nullable(),
  /** The version this recipe was last tried with. */
  triedWith: z.string().nullable(),
  /** What to add it with, as it is. */
  draft: Agent.pick({ id: true, name: true, protocol: true, command: true, args: true, env: true, holdSeconds: true }),
  /** What a person has to write down once before it works, and where. */
  setup: z.object({ file: z.string(), content: z.string() }).nullable(),
})
export type DetectedAgent = z.output<typeof DetectedAgent>
