/**
 * The format of `approaches.json` (CK2, AR2), as in docs/spec/background/continuity.md. Holdfast
 * writes the fields that belong to each list; other programs may leave some out.
 */
import * as z from 'zod'
import { schemaVersion } from '../schema-version.ts'
import { anyLine } from '../text.ts'
import { FileId, FileText, FileTime } from './state-checkpoint.ts'

const maxApproaches = 100_000
const maxLearnings = 1000

/** Text, or null; any other JSON, and text that cannot be stored, becomes text as JSON. */
const ErrorText = z.preprocess(
  (error) => (error == null || FileText.safeParse(error).success ? error : JSON.stringify(error)),
  z.string().nullish(),
)

const ListedApproach = z.object({
  id: FileId,
  date: z.iso.date().nullish().describe('In verified and failed'),
  category: anyLine(200),
  description: FileText,
  details: z.unknown().optional(),
  evidence: z.unknown().optional().describe('In verified'),
  learnings: z.array(FileText).max(maxLearnings).optional().describe('In verified and failed'),
  reusable: z.boolean().nullish().describe('In verified'),
  failure_reason: FileText.nullish().describe('In failed'),
  error: ErrorText.optional().describe('In failed'),
  avoid: z.boolean().nullish().describe('In failed'),
  priority: anyLine(50).nullish().describe('In untried'),
  next_to_try: z.boolean().nullish().describe('In untried'),
  note: FileText.nullish().describe('In untried'),
})
export type ListedApproach = z.output<typeof ListedApproach>
const ApproachList = z.array(ListedApproach).max(maxApproaches).default([])

export const ApproachesFile = z.object({
  schema_version: z.literal(schemaVersion),
  session_id: z.string(),
  last_updated: FileTime,
  verified: ApproachList,
  failed: ApproachList,
  untried: ApproachList,
})
export type ApproachesFile = z.output<typeof ApproachesFile>
