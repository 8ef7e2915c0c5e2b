/** Converts entries added to an `approaches.json` by hand (AR3) into approaches to record; refuses invalid ones. */
import type * as z from 'zod'
import { type ApproachKind, approachKinds } from '../../domain/work/approach-lifecycle.ts'
import { checked } from '../checked-input.ts'
import { checkSchemaVersion } from '../schema-version.ts'
import { ApproachDraft } from './approach.ts'
import { workSessionFileNames } from './read-work-session.ts'

export interface NewApproach {
  /** The id in the file, kept when it is free. */
  readonly id?: string
  readonly draft: z.output<typeof ApproachDraft>
}

type Lists = { readonly [Kind in ApproachKind]: readonly Readonly<Record<string, unknown>>[] }

/** Throws `invalid_request` or `unknown_schema_version`. */
export function newApproaches(file: unknown, added: Lists): NewApproach[] {
  checkSchemaVersion(workSessionFileNames.approaches, (file as { schema_version?: unknown }).schema_version)
  return approachKinds.flatMap((kind) =>
    added[kind].map((entry, index) => {
      const { id, date: _, failure_reason: failureReason, next_to_try: nextToTry, ...words } = entry
      const named = Object.entries({ ...words, failureReason, nextToTry }).filter(([, value]) => value !== undefined)
      const draft = checked(ApproachDraft, { ...Object.fromEntries(named), kind }, `${kind}, new entry ${index + 1}`)
      return typeof id === 'string' ? { id, draft } : { draft }
    }),
  )
}
