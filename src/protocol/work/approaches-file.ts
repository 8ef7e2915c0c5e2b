/** `approaches.json` (CK2, AR2), to the letter of docs/spec/background/continuity.md. */
import * as z from 'zod'
import { schemaVersion } from '../schema-version.ts'
import { FileTime } from './state-checkpoint.ts'

const Text = z.string()
const always = { id: Text, date: z.iso.date(), category: Text, description: Text, details: z.unknown() }
const { date: _, ...withoutDate } = always
const learnings = z.array(Text)

const Verified = z.object({ ...always, evidence: z.unknown(), learnings, reusable: z.boolean() })

const Failed = z.object({
  ...always,
  failure_reason: Text.nullable(),
  error: Text.nullable(),
  learnings,
  avoid: z.boolean(),
})

const Untried = z.object({
  ...withoutDate,
  priority: Text.nullable(),
  next_to_try: z.boolean(),
  note: Text.optional(),
})

export const ApproachesFile = z.object({
  schema_version: z.literal(schemaVersion),
  session_id: Text,
  last_updated: FileTime,
  verified: z.array(Verified),
  failed: z.array(Failed),
  untried: z.array(Untried),
})
export type ApproachesFile = z.output<typeof ApproachesFile>
