/**
 * Agents as they cross the wire. The values of `env` never leave the server: readers see
 * `maskedValue` in their place (SE7).
 */

import * as z from 'zod'
import { refusedAs } from '../notices.ts'
import { ChosenId, Label, line, Time, withoutNul } from '../text.ts'
import { isolationFields, shownIsolation } from './isolation.ts'
import { AgentReport, KeptReport } from './report.ts'

const EnvironmentName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not the name of an environment variable')
const Argument = withoutNul(z.string().max(8192))

export const Agent = z.object({
  id: z.string(),
  name: z.string(),
  protocol: z.enum(['acp', 'mcp']),
  command: z.string().nullable(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  role: z.string().nullable(),
  maxProcesses: z.number().int().nullable(),
  holdSeconds: z.number().int(),
  /** The label of the machines it may run on (SC4); null for any. */
  runsOn: z.string().nullable(),
  ...shownIsolation,
  projectIds: z.array(z.string()),
  /** What `agents doctor` found out last; null: never probed. */
  report: KeptReport.nullable(),
  /** Whether the agent writes and runs without asking, as was found out or is known of it. */
  neverAsks: z.boolean(),
  /** CX21: conversations in one process knew each other's text, so each gets a process. */
  mixesConversations: z.boolean(),
  createdAt: Time,
  updatedAt: Time,
})
export type Agent = z.output<typeof Agent>

const fields = {
  name: line(200),
  protocol: z.enum(['acp', 'mcp']),
  command: line(4096).nullable(),
  args: z.array(Argument).max(256),
  env: z
    .record(EnvironmentName, Argument)
    .refine((env) => Object.keys(env).length <= 256, refusedAs('entriesTooMany')),
  role: line(100).nullable(),
  maxProcesses: z.int().min(1).max(1000).nullable(),
  holdSeconds: z.int().min(1).max(600),
  runsOn: Label.nullable(),
  ...isolationFields,
}

export const AgentDraft = z.strictObject({
  id: ChosenId.optional(),
  ...z.object(fields).partial().shape,
  name: fields.name,
  protocol: fields.protocol,
})

export const AgentChange = z.strictObject({ ...fields, report: AgentReport.nullable() }).partial()

/** The passkey is shown once, here; only its hash is kept (AS7). */
export const AgentWithPasskey = Agent.extend({ passkey: z.string() })
export type AgentWithPasskey = z.output<typeof AgentWithPasskey>
