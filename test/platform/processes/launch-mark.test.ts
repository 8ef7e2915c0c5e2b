import { cpSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderIdOf, markIn, markVariables } from '../../../src/platform/processes/launch-mark.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('[CO5] a mark is read back as it was given, and half of one is none', () => {
  const mark = { launchId: 'l1', folderId: 'k1' }
  const variables = Object.entries(markVariables(mark)).map(([name, value]) => `${name}=${value}`)
  expect(markIn(['PATH=/bin', ...variables])).toEqual(mark)
  expect(markIn(variables.slice(0, 1))).toBeUndefined()
  expect(markIn([`X=${variables[0]}`, `${variables[1]}`])).toBeUndefined()
})

test('[CO5] a data folder keeps its name when it is moved, and its copy has another', async () => {
  const folder = temporaryFolder()
  const [first, moved, copy] = ['first', 'moved', 'copy'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(first)
  const folderId = await folderIdOf(first)
  expect(await folderIdOf(first)).toBe(folderId)
  cpSync(first, copy, { recursive: true })
  expect(await folderIdOf(copy)).not.toBe(folderId)
  renameSync(first, moved)
  expect(await folderIdOf(moved)).toBe(folderId)
})
