/** "Allow always" on the wire (AG6): the request of a person, and the stored allowance. */
import * as z from 'zod'
import { allowanceMinutes, allowanceScopes } from '../../domain/approvals/allowance.ts'
import { line, Time } from '../text.ts'
import { maxShownLine, toolKinds } from '../turns/agent-update.ts'

/** Sent with an approval. By default for exactly this request, for eight hours. */
export const AlwaysTerms = z.strictObject({
  scope: z.enum(allowanceScopes).default('request'),
  /** Scope `folder`: an absolute path; defaults to the folder of the requested file. */
  folder: line(maxShownLine).optional(),
  expiresInMinutes: z
    .int()
    .min(allowanceMinutes.min)
    .max(allowanceMinutes.max)
    .default(allowanceMinutes.default),
})
export type AlwaysTerms = z.output<typeof AlwaysTerms>

export const Allowance = z.object({
  id: z.string(),
  projectId: z.string(),
  agentId: z.string(),
  scope: z.enum(allowanceScopes),
  toolKind: z.enum(toolKinds),
  /** What it allows: for scope `request` the command, or the title with the whole input. */
  title: z.string(),
  folder: z.string().nullable(),
  /** Scope `request`: the fingerprint that a request must have. */
  likeness: z.string().nullable(),
  approvalId: z.int(),
  createdBy: z.string(),
  createdAt: Time,
  expiresAt: Time,
  revokedAt: Time.nullable(),
  revokedBy: z.string().nullable(),
})
export type Allowance = z.output<typeof Allowance>
