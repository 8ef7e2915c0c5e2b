import { describe, expect, test } from 'vitest'
import { masked, unmasked } from '../../../src/domain/agents/environment.ts'
import { fc, property } from '../../support/property.ts'

const mask = '••••••••'
const environments = fc.dictionary(
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/),
  fc.string().filter((text) => text !== mask),
)

describe("an agent's environment", () => {
  property.prop([environments])(
    '[SE7] a reader sees the names and never a value',
    (environment) => {
      const seen = masked(environment, mask)
      expect(Object.keys(seen)).toEqual(Object.keys(environment))
      expect(Object.values(seen).every((value) => value === mask)).toBe(true)
    },
  )

  property.prop([environments])(
    '[SE7] what a reader saw, sent back unchanged, changes nothing',
    (environment) => {
      expect(unmasked(masked(environment, mask), environment, mask)).toEqual({ environment })
    },
  )

  test('[SE7] new values replace, masked ones stay, what is left out is gone', () => {
    const stored = { KEY: 'sk-1', URL: 'https://a', OLD: 'x' }
    expect(unmasked({ KEY: mask, URL: 'https://b', NEW: '1' }, stored, mask)).toEqual({
      environment: { KEY: 'sk-1', URL: 'https://b', NEW: '1' },
    })
  })

  test('[SE7] a mask without anything behind it is refused', () => {
    expect(unmasked({ KEY: mask }, {}, mask)).toEqual({ nothingToKeep: 'KEY' })
    expect(unmasked({ toString: mask }, {}, mask)).toEqual({ nothingToKeep: 'toString' })
  })
})
