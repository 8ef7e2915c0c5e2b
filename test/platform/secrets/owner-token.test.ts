import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { StartFailure } from '../../../src/platform/processes/start-failure.ts'
import { loadOwnerToken, readOwnerToken } from '../../../src/platform/secrets/owner-token.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('[SE1] the first start makes an owner’s token of 256 bits; the next finds it', async () => {
  const data = temporaryFolder()
  const token = await loadOwnerToken(data, {})
  expect(token).toMatch(/^hf_owner_[\w-]{43}$/)
  expect(statSync(join(data, 'secrets', 'owner-token')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(data, 'secrets', 'owner-token'), 'utf8').trim()).toBe(token)
  expect(await loadOwnerToken(data, {})).toBe(token)
})

test('[SE1] HOLDFAST_TOKEN overrides it and is not kept', async () => {
  const data = temporaryFolder()
  const token = 'a-token-that-i-have-chosen'
  expect(await loadOwnerToken(data, { HOLDFAST_TOKEN: token })).toBe(token)
  expect(existsSync(join(data, 'secrets', 'owner-token'))).toBe(false)
})

test('[SE1] a HOLDFAST_TOKEN that is weak or unsendable is refused and not shown', async () => {
  for (const HOLDFAST_TOKEN of [
    'nineteen-characters',
    'with a space in it, and long',
    `line\nbreak-${'x'.repeat(20)}`,
    'x'.repeat(513),
  ]) {
    const failure = await loadOwnerToken(temporaryFolder(), { HOLDFAST_TOKEN }).catch(
      (error) => error,
    )
    expect(failure).toBeInstanceOf(StartFailure)
    expect(`${failure.message} ${failure.next}`).not.toContain(HOLDFAST_TOKEN)
  }
})

test('[SE1] a file that holds no token is refused, never replaced in silence', async () => {
  const data = temporaryFolder()
  mkdirSync(join(data, 'secrets'))
  writeFileSync(join(data, 'secrets', 'owner-token'), 'short')
  await expect(loadOwnerToken(data, {})).rejects.toThrow('does not hold a token')
  expect(readFileSync(join(data, 'secrets', 'owner-token'), 'utf8')).toBe('short')
})

test('[CF2] a token file that others could read is closed to them', async () => {
  const data = temporaryFolder()
  const token = await loadOwnerToken(data, {})
  chmodSync(join(data, 'secrets', 'owner-token'), 0o644)
  expect(await readOwnerToken(data)).toBe(token)
  expect(statSync(join(data, 'secrets', 'owner-token')).mode & 0o777).toBe(0o600)
})
