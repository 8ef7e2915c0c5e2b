import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeBelow } from '../../src/demo/actions.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('[SE5] a demo agent writes below its own workplace, whatever way it is shown', async () => {
  const [folder, outside] = [realpathSync(temporaryFolder()), realpathSync(temporaryFolder())]
  const secret = join(outside, 'owner-token')
  writeFileSync(secret, 'secret')
  symlinkSync(secret, join(folder, 'link-to-file'))
  symlinkSync(outside, join(folder, 'link-to-folder'))
  symlinkSync(join(outside, 'new'), join(folder, 'link-to-nothing'))
  mkdirSync(join(folder, '.git'))
  mkdirSync(join(folder, 'real'))
  symlinkSync('real', join(folder, 'link-inside'))
  const refused = [
    'link-to-file',
    'link-to-folder/owner-token',
    'link-to-folder/new/x',
    'link-to-nothing',
    '../x',
    secret,
    '.',
    '',
  ]
  for (const path of [...refused, '.git/hooks/pre-commit', 'real/../.git/config'])
    expect([path, await writeBelow(folder, path, 'mine')]).toEqual([path, false])
  expect(readFileSync(secret, 'utf8')).toBe('secret')
  expect(existsSync(join(outside, 'new'))).toBe(false)
  for (const path of ['a', 'b/c/d', 'link-inside/e', join(folder, 'f')])
    expect([path, await writeBelow(folder, path, 'a longer text')]).toEqual([path, true])
  expect(await writeBelow(folder, 'a', 'short')).toBe(true)
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('short')
  expect(readFileSync(join(folder, 'real', 'e'), 'utf8')).toBe('a longer text')
})
