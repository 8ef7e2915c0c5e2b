/** A folder of the test's own, gone when the test process is. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
