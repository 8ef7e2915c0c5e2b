/**
 * Which version of a file of CK2 is read: the one we write and older ones; a newer one is refused,
 * never guessed at.
 */

import { Refusal } from '../domain/errors.ts'
import { inField } from '../domain/notices.ts'
import { refusalText } from '../domain/refusal-texts.ts'

export const schemaVersion = '1.0'

const form = /^(\d{1,6})\.(\d{1,6})$/

/** Throws `unknown_schema_version` for a newer version, `invalid_request` for a missing one. */
export function checkSchemaVersion(file: string, found: unknown): void {
  const [, major, minor] = form.exec(String(found)) ?? []
  if (major === undefined || minor === undefined)
    throw new Refusal('invalid_request', inField(file, refusalText('noSchemaVersion')), {
      field: 'schema_version',
    })
  const [ourMajor, ourMinor] = schemaVersion.split('.').map(Number) as [number, number]
  const isNewer =
    Number(major) > ourMajor || (Number(major) === ourMajor && Number(minor) > ourMinor)
  if (!isNewer) return
  const versions = { found: String(found), known: schemaVersion }
  throw new Refusal(
    'unknown_schema_version',
    refusalText('otherSchemaVersion', { file, ...versions }),
    versions,
  )
}
