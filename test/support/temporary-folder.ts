/** A folder of the test's own, gone when the test process is. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atTheEnd } from './at-the-end.ts'

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-data-'))
  atTheEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
