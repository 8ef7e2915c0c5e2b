/** Approaches on the wire (AR1): what worked, what failed, what could be tried. */

import * as z from 'zod'
import { approachKinds } from '../../domain/work/approach-lifecycle.ts'
import { jsonUpTo } from '../notices.ts'
import { line, longText, Time } from '../text.ts'

const Json = jsonUpTo(50_000)
const Words = longText(20_000)

const content = {
  category: line(200),
  description: Words.min(1),
  details: Json.nullable(),
  evidence: Json.nullable(),
  learnings: z.array(Words).max(200),
  reusable: z.boolean(),
  failureReason: Words.nullable(),
  error: Words.nullable(),
  avoid: z.boolean(),
  priority: line(50).nullable(),
  nextToTry: z.boolean(),
  note: Words.nullable(),
}

export const Approach = z.object({
  id: z.string(),
  projectId: z.string(),
  /** Where it was recorded; sessions resumed from there have it too (AR2). */
  sessionId: z.string(),
  kind: z.enum(approachKinds),
  date: z.string(),
  ...content,
  /** Earlier versions, oldest first. */
  history: z.array(
    z.object({ at: Time, by: z.string(), before: z.record(z.string(), z.unknown()) }),
  ),
  recordedAt: Time,
  updatedAt: Time,
})
export type Approach = z.output<typeof Approach>

const { category, description, ...optional } = z.object(content).partial().shape

export const ApproachDraft = z.strictObject({
  kind: z.enum(approachKinds),
  ...optional,
  category: content.category,
  description: content.description,
})

export const ApproachChange = z.strictObject({
  kind: z.enum(approachKinds).optional(),
  category,
  description,
  ...optional,
})
