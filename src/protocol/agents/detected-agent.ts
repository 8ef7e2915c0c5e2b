/** Agents installed on the server's machine, each with how it can be added (AG5). */
import * as z from 'zod'
import { Agent } from './agent.ts'

export const DetectedAgent = z.object({
  /** Its short name. */
  id: z.string(),
  name: z.string(),
  /** Path of its program. */
  file: z.string(),
  /** As the program reports it; null when it did not in time. */
  version: z.string().nullable(),
  /** The version this recipe was last tested with. */
  triedWith: z.string().nullable(),
  /** The entry to add. */
  draft: Agent.pick({ id: true, name: true, protocol: true, command: true, args: true, env: true, holdSeconds: true }),
  /** What a person must configure once before it works, and where. */
  setup: z.object({ file: z.string(), content: z.string() }).nullable(),
})
export type DetectedAgent = z.output<typeof DetectedAgent>
