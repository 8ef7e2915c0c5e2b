/** Approaches on the wire (AR1): what worked, what failed, what could be tried. */

import * as z from 'zod'
import { approachKinds } from '../../domain/work/approach-lifecycle.ts'
import { refusedAs } from '../notices.ts'
import { line, longText, Time } from '../text.ts'

const maxJsonChars = 50_000
const Json = z
  .unknown()
  .refine(
    (value) => (JSON.stringify(value)?.length ?? 0) <= maxJsonChars,
    refusedAs('jsonTooLong', { most: maxJsonChars }, 'is longer than {most} characters as JSON'),
  )
const Words = longText(20_000)

/** The fields that a caller may set. */
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
  /** The day of its current kind. */
  date: z.string(),
  ...content,
  /** Earlier versions, oldest first. */
  history: z.array(z.object({ at: Time, by: z.string(), before: z.record(z.string(), z.unknown()) })),
  recordedAt: Time,
  updatedAt: Time,
})
export type Approach = z.output<typeof Approach>

/** Here a `sessionId` is a work session's. */
export const approachOnWire = ({
  workSessionId,
  ...approach
}: Omit<Approach, 'sessionId'> & { workSessionId: string }): Approach => ({ ...approach, sessionId: workSessionId })

const { category, description, ...optional } = z.object(content).partial().shape

export const ApproachDraft = z.strictObject({
  kind: z.enum(approachKinds),
  ...optional,
  category: content.category,
  description: content.description,
})

export const ApproachChange = z.strictObject({ kind: z.enum(approachKinds).optional(), category, description, ...optional })
