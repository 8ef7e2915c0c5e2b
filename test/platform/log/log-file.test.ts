import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { logFile } from '../../../src/platform/log/log-file.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('[OP1] a log in a file is bounded, and what came before is kept once', () => {
  const path = join(temporaryFolder(), 'coordinator.log')
  const line = (n: number): string => `line ${String(n).padStart(4, '0')}\n`
  for (let n = 0; n < 250; n++) logFile(path, 1000).write(line(n))
  expect(statSync(path).size).toBeLessThanOrEqual(1000)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const kept = readFileSync(`${path}.before`, 'utf8') + readFileSync(path, 'utf8')
  expect(kept.endsWith(line(249))).toBe(true)
  expect(kept.split('\n').length - 1).toBeGreaterThan(100)
})

test('[OP1] a log that cannot be written stops nobody', () => {
  expect(() => logFile('/nonexistent/folder/x.log').write('line\n')).not.toThrow()
})
