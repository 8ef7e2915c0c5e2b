/**
 * Converts entries added to an `approaches.json` by hand, or moved or changed in it (AR3), into
 * approaches to record; refuses invalid ones.
 */
import type * as z from 'zod'
import { type ApproachKind, approachKinds } from '../../domain/work/approach-lifecycle.ts'
import { checked } from '../checked-input.ts'
import { checkSchemaVersion } from '../schema-version.ts'
import { type ApproachChange, ApproachDraft } from './approach.ts'
import { workSessionFileNames } from './read-work-session.ts'

export interface NewApproach {
  /** The id in the file, kept when it is free. */
  readonly id?: string
  readonly draft: z.output<typeof ApproachDraft>
}

/** One with other words, or an untried one that was tried (AR1). */
export interface ChangedApproach {
  readonly id: string
  readonly change: z.output<typeof ApproachChange>
}

type Lists = { readonly [Kind in ApproachKind]: readonly Readonly<Record<string, unknown>>[] }

/** Throws `invalid_request` or `unknown_schema_version`. */
export function newApproaches(file: unknown, added: Lists): NewApproach[] {
  checkSchemaVersion(
    workSessionFileNames.approaches,
    (file as { schema_version?: unknown }).schema_version,
  )
  return approachKinds.flatMap((kind) =>
    added[kind].map((entry, index) => {
      const { id, date: _, failure_reason: failureReason, next_to_try: nextToTry, ...words } = entry
      const named = Object.entries({ ...words, failureReason, nextToTry }).filter(
        ([, value]) => value !== undefined,
      )
      const draft = checked(
        ApproachDraft,
        { ...Object.fromEntries(named), kind },
        `${kind}, new entry ${index + 1}`,
      )
      return typeof id === 'string' ? { id, draft } : { draft }
    }),
  )
}

/** What belongs to an untried one alone stays behind. Throws as `newApproaches` does. */
export const movedApproaches = (file: unknown, moved: Lists): ChangedApproach[] =>
  newApproaches(file, moved).map(
    ({ id = '', draft: { priority: _, nextToTry: __, ...change } }) => ({ id, change }),
  )

/** Throws as `newApproaches` does. */
export const rewordedApproaches = (file: unknown, reworded: Lists): ChangedApproach[] =>
  newApproaches(file, reworded).map(({ id = '', draft }) => ({ id, change: draft }))
