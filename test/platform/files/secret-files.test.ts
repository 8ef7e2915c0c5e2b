/**
 * The secrets of a data folder: where they lie, and what becomes of those that an earlier build
 * kept elsewhere.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  prepareSecrets,
  readSecret,
  unmovedSecrets,
  writeSecret,
} from '../../../src/platform/files/secret-files.ts'
import { loadOwnerToken, readOwnerToken } from '../../../src/platform/secrets/owner-token.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const ownersToken = `hf_owner_${'a'.repeat(43)}`
const coordinatorsToken = `hf_coordinator_${'b'.repeat(43)}`

function folderOfEarlierBuild(): string {
  const data = temporaryFolder()
  writeFileSync(join(data, 'owner-token'), `${ownersToken}\n`, { mode: 0o600 })
  writeFileSync(join(data, 'coordinator-token'), `${coordinatorsToken}\n`, { mode: 0o600 })
  return data
}

async function prepare(data: string, coordinatorRuns = false): Promise<string[]> {
  const warnings: string[] = []
  await prepareSecrets(data, {
    warn: (message) => warnings.push(message),
    coordinatorRuns: async () => coordinatorRuns,
  })
  return warnings
}

const modeOf = (path: string): number => statSync(path).mode & 0o777

test('[SE10] a start moves what an earlier build kept; until then it is read there', async () => {
  const data = folderOfEarlierBuild()
  expect(await readOwnerToken(data)).toBe(ownersToken)
  expect(await prepare(data)).toEqual([])
  expect([
    existsSync(join(data, 'owner-token')),
    existsSync(join(data, 'coordinator-token')),
  ]).toEqual([false, false])
  expect([modeOf(join(data, 'secrets')), modeOf(join(data, 'secrets', 'owner-token'))]).toEqual([
    0o700, 0o600,
  ])
  expect(await loadOwnerToken(data, {})).toBe(ownersToken)
  expect((await readSecret(data, 'coordinator-token'))?.text).toBe(coordinatorsToken)
})

test('[SE10] a move that was cut off between two files is finished by the next start', async () => {
  const data = folderOfEarlierBuild()
  mkdirSync(join(data, 'secrets'))
  writeFileSync(join(data, 'secrets', 'coordinator-token'), coordinatorsToken)
  writeFileSync(join(data, 'coordinator-token'), '')
  await prepare(data)
  expect(await unmovedSecrets(data)).toEqual([])
  expect([await readOwnerToken(data), (await readSecret(data, 'coordinator-token'))?.text]).toEqual(
    [ownersToken, coordinatorsToken],
  )
})

test('[SE10] the secret in the folder counts; the other, of an older build, goes', async () => {
  const data = folderOfEarlierBuild()
  const counts = `hf_owner_${'c'.repeat(43)}`
  mkdirSync(join(data, 'secrets'))
  writeFileSync(join(data, 'secrets', 'owner-token'), counts)
  const warnings = await prepare(data)
  expect(warnings.filter((message) => message.includes('owner-token was removed'))).toHaveLength(1)
  expect(warnings.join()).not.toContain(ownersToken)
  expect([existsSync(join(data, 'owner-token')), await readOwnerToken(data)]).toEqual([
    false,
    counts,
  ])
})

test('[SE10] the token of a running coordinator of an earlier build stays readable', async () => {
  const data = folderOfEarlierBuild()
  await prepare(data, true)
  expect(await unmovedSecrets(data)).toEqual(['coordinator-token'])
  expect((await readSecret(data, 'coordinator-token'))?.text).toBe(coordinatorsToken)
  await writeSecret(data, 'coordinator-token', `${coordinatorsToken}x`)
  expect(existsSync(join(data, 'coordinator-token'))).toBe(false)
  expect(readFileSync(join(data, 'secrets', 'coordinator-token'), 'utf8')).toBe(
    `${coordinatorsToken}x\n`,
  )
})

test('[SE10] a folder of secrets that is open to others is closed with a warning', async () => {
  const data = temporaryFolder()
  await prepare(data)
  chmodSync(join(data, 'secrets'), 0o755)
  expect((await prepare(data)).join()).toContain('was open to other users (mode 0755)')
  expect(modeOf(join(data, 'secrets'))).toBe(0o700)
})
