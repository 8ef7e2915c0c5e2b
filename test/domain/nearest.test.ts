import { describe, expect, test } from 'vitest'
import { nearest } from '../../src/domain/nearest.ts'
import { fc, property } from '../support/property.ts'

describe('"did you mean"', () => {
  const words = ['port', 'data', 'public_url', 'cutover.hour']

  test('[CF1] a typing error finds the word that was meant', () => {
    expect(nearest('prot', words)).toBe('port')
    expect(nearest('public-url', words)).toBe('public_url')
    expect(nearest('CUTOVER.HOURS', words)).toBe('cutover.hour')
  })

  test('[CF1] something else altogether finds nothing', () => {
    expect(nearest('elephants', words)).toBeUndefined()
    expect(nearest('port', [])).toBeUndefined()
  })

  property.prop([fc.array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 8 }), fc.nat()])(
    '[CF1] a word that exists is its own nearest, but for capitals',
    (some, pick) => {
      const word = some[pick % some.length] ?? ''
      expect(nearest(word, some)?.toLowerCase()).toBe(word.toLowerCase())
    },
  )
})
