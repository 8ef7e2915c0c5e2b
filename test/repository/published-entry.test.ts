/**
 * What an old Node says of the package (OP3); the package itself, packed, installed and used, is in
 * `npm run test:release`.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const program = join(import.meta.dirname, '..', '..', 'scripts', 'build', 'published-entry.cjs')

test('[OP3] a Node that is too old is told what is needed in a sentence it can read', () => {
  const pretending = join(temporaryFolder(), 'old.cjs')
  const values =
    "{ version: { value: 'v22.20.0' }, versions: { value: { ...process.versions, node: '22.20.0' } } }"
  writeFileSync(pretending, `Object.defineProperties(process, ${values})`)
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--require', pretending, program, 'up'],
    { encoding: 'utf8' },
  )
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^Holdfast needs Node 24 or later; this is v22\.20\.0\. Install .*\n$/)
  expect(readFileSync(program, 'utf8')).not.toMatch(
    /^import |=>|\?\.|\?\?|`|\b(?:const|let|await)\b/m,
  )
})

test('[OP3] the package names its program, its library and their files', () => {
  const { bin, exports, files } = JSON.parse(
    readFileSync(join(program, '..', '..', '..', 'package.json'), 'utf8'),
  )
  expect(
    [bin.holdfast, exports['.'].default, exports['.'].types].every((path) =>
      /^(\.\/)?dist\/package\//.test(path),
    ),
  ).toBe(true)
  expect(files).toEqual(expect.arrayContaining(['dist/package', 'dist/web', '!**/*.map']))
})
