import { expect, test } from 'vitest'
import { newSealingKey, Seals, sealingKeyIn } from '../../../src/platform/secrets/seals.ts'

const seals = new Seals(Buffer.alloc(32, 1))
const other = new Seals(Buffer.alloc(32, 2))

test('[SE12] a value is opened only by its key, under its name, as it was sealed', () => {
  const value = 'sk-live-🔑 4f9a'
  const sealed = seals.seal('KEY', value)
  expect(seals.open({ KEY: sealed })).toEqual({ KEY: value })
  expect(JSON.stringify(sealed)).not.toContain('sk-live')
  expect(seals.seal('KEY', value).sealed).not.toBe(sealed.sealed)
  expect(() => other.open({ KEY: sealed })).toThrow()
  expect(() => seals.open({ ANOTHER: sealed })).toThrow()
  const bytes = Buffer.from(sealed.sealed, 'base64')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => seals.open({ KEY: { ...sealed, sealed: changed.toString('base64') } })).toThrow()
  }
  for (const cut of [0, 12, 20, bytes.length - 1])
    expect(() =>
      seals.open({ KEY: { ...sealed, sealed: bytes.subarray(0, cut).toString('base64') } }),
    ).toThrow()
})

test('[SE12] a key is 32 bytes in base64; anything else is none', () => {
  expect(sealingKeyIn(newSealingKey())).toHaveLength(32)
  for (const text of [
    '',
    'short',
    'x'.repeat(42),
    'x'.repeat(45),
    `${'x'.repeat(42)} `,
    Buffer.alloc(31).toString('base64'),
  ])
    expect(sealingKeyIn(text), text).toBeUndefined()
  expect(seals.keyId).not.toBe(other.keyId)
})
