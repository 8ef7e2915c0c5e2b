/**
 * What `agents doctor` found out about an agent, kept with its entry and shown on its page (AG13).
 */
import * as z from 'zod'
import { Time } from '../text.ts'

/** In the order in which they are made. */
const checkNames = [
  'start',
  'sign_in',
  'prompt',
  'output',
  'permission',
  'tool',
  'usage',
  'cancel',
  'list',
  'load',
  'end',
  'fork',
  // CX21: whether conversations in one process know nothing of each other.
  'apart',
  // In a sandbox of this machine; left out where it has none.
  'workplace',
  'strict',
  // AC10: all that it sent has a form.
  'known',
] as const

export const AgentCheck = z.object({
  name: z.enum(checkNames),
  ok: z.boolean(),
  detail: z.string().max(500),
})
export type AgentCheck = z.output<typeof AgentCheck>

export const AgentReport = z.object({
  agent: z.string().max(200),
  version: z.string().max(1000).nullable(),
  agentInfo: z
    .object({ name: z.string().min(1).max(1000), version: z.string().max(1000).nullable() })
    .nullish()
    .describe(
      'What it answered to `initialize`, by which it is known from then on; left out where it gave no name',
    ),
  checks: z.array(AgentCheck).max(100),
  /** What it offers, and what was seen to work. */
  can: z.record(
    z.string().max(100),
    z.union([z.boolean(), z.array(z.string().max(1000)).max(100)]),
  ),
})
export type AgentReport = z.output<typeof AgentReport>

export const KeptReport = AgentReport.extend({ at: Time })
