/**
 * The file of a store with nothing in it, as bundle-writers.ts made one before the tests: to make
 * all tables costs a writer several times as much as all else that it does to be ready.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { inject } from 'vitest'
import type { Instant } from '../../src/domain/instant.ts'

/** The one that was made before the tests, and where in it is what says which store it is. */
let empty: { readonly bytes: Buffer; readonly places: ReadonlyMap<string, number> } | undefined

/**
 * A copy of it, as another store: written straight into its bytes, for SQLite reads every table
 * before it writes the first row.
 */
export function makeEmptyStore(file: string, now: Instant): void {
  empty ??= readEmptyStore()
  const { bytes, places } = empty
  for (const [key, at] of places)
    bytes.write(key === 'created_at' ? now : randomUUID(), at, 'latin1')
  writeFileSync(file, bytes, { mode: 0o600 })
}

/** A row's columns stand behind each other. */
const row = /(store_id|incarnation|created_at)(?:[\da-f-]{36}|[\d-]{10}T[\d:.]{12}Z)/g

function readEmptyStore(): NonNullable<typeof empty> {
  const bytes = readFileSync(inject('emptyStore'))
  const rows = [...bytes.toString('latin1').matchAll(row)]
  if (rows.length !== 3)
    throw new Error(`${inject('emptyStore')} is not a store with nothing in it`)
  return { bytes, places: new Map(rows.map(({ 1: key = '', index }) => [key, index + key.length])) }
}
