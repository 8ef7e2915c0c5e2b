import { describe, expect, test } from 'vitest'
import { allows, exceeding, personScopes, scopesOf } from '../../../src/domain/access/scopes.ts'
import { fc, property } from '../../support/property.ts'

describe('scopes', () => {
  test('[SE3] a role gives its scopes: owners manage, members work, viewers look', () => {
    expect(scopesOf('owner')).toEqual(['read', 'write', 'approve', 'manage'])
    expect(scopesOf('member')).toEqual(['read', 'write', 'approve'])
    expect(scopesOf('viewer')).toEqual(['read'])
  })

  property.prop([fc.subarray([...personScopes]), fc.subarray([...personScopes])])(
    '[SE3] what exceeds the giver is exactly what the giver does not have',
    (wanted, has) => {
      const tooMuch = exceeding(wanted, has)
      expect(
        wanted.filter((scope) => !tooMuch.includes(scope)).every((scope) => has.includes(scope)),
      ).toBe(true)
      expect(tooMuch.some((scope) => has.includes(scope))).toBe(false)
    },
  )

  test('[SE3] an agent or coordinator can give nothing that people hold', () => {
    expect(exceeding(['read'], ['agent', 'coordinator'])).toEqual(['read'])
  })

  test('[SE3] a manager may say what a coordinator says; nobody gets what was not given', () => {
    expect(allows(['manage'], 'coordinator')).toBe(true)
    expect(allows(['read', 'write', 'approve', 'agent'], 'coordinator')).toBe(false)
    expect(allows(['manage', 'coordinator'], 'agent')).toBe(false)
    expect(allows(['read'], 'read')).toBe(true)
  })
})
