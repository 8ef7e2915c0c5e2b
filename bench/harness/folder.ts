/**
 * A folder for one measurement, on the disk of the checkout: a temporary folder may be in memory,
 * where fsync is free.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findPackageRoot } from '../../src/platform/files/package-root.ts'

export function benchFolder(): { readonly path: string; readonly remove: () => void } {
  const parent = join(findPackageRoot().folder, 'dist', 'bench')
  mkdirSync(parent, { recursive: true })
  const path = mkdtempSync(join(parent, 'run-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
