/** "Allow always" on the wire (AG6): what a person asks for, and what is kept of it. */
import * as z from 'zod'
import { allowanceMinutes, allowanceScopes } from '../../domain/approvals/allowance.ts'
import { line, Time } from '../text.ts'
import { maxShownLine, toolKinds } from '../turns/agent-update.ts'

/** Said with a yes. Without more it is for exactly this, for eight hours. */
export const AlwaysTerms = z.strictObject({
  scope: z.enum(allowanceScopes).default('request'),
  /** Of scope `folder`: absolute; without one it is the folder of the file that is asked about. */
  folder: line(maxShownLine).optional(),
  expiresInMinutes: z.int().min(allowanceMinutes.min).max(allowanceMinutes.max).default(allowanceMinutes.default),
})
export type AlwaysTerms = z.output<typeof AlwaysTerms>

export const Allowance = z.object({
  id: z.string(),
  projectId: z.string(),
  agentId: z.string(),
  scope: z.enum(allowanceScopes),
  toolKind: z.enum(toolKinds),
  /** What it allows: of scope `request` the command, or the agent's words with the whole input. */
  title: z.string(),
  folder: z.string().nullable(),
  /** Of scope `request`: the digest that a question must have. */
  likeness: z.string().nullable(),
  /** The approval it was given with. */
  approvalId: z.int(),
  createdBy: z.string(),
  createdAt: Time,
  expiresAt: Time,
  revokedAt: Time.nullable(),
  revokedBy: z.string().nullable(),
})
export type Allowance = z.output<typeof Allowance>
