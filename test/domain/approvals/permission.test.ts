/** What a policy answers by itself, and what an answer comes to. */
import { expect, test } from 'vitest'
import {
  type Option,
  optionFor,
  outcomeOf,
  policyAnswer,
} from '../../../src/domain/approvals/permission.ts'

const options: Option[] = [
  { optionId: 'never', kind: 'reject_always' },
  { optionId: 'always', kind: 'allow_always' },
  { optionId: 'yes', kind: 'allow_once' },
  { optionId: 'no', kind: 'reject_once' },
]

test('[AP10] a yes is for once, a no the mildest; only a person chooses “always”', () => {
  expect([optionFor('allow', options), optionFor('deny', options)]).toEqual(['yes', 'no'])
  expect(optionFor('allow', options.slice(0, 2))).toBeNull()
  expect(policyAnswer('allow_all', 'read', options.slice(0, 2))).toBeNull()
  expect(optionFor('deny', options.slice(1, 3))).toBeNull()
})

test('[AP4] the policy answers reads, everything, or nothing', () => {
  expect(
    ['read', 'search', 'edit', 'execute', 'other'].map((kind) =>
      policyAnswer('allow_reads', kind, options),
    ),
  ).toEqual(['yes', 'yes', null, null, null])
  expect(policyAnswer('ask', 'read', options)).toBeNull()
  expect(policyAnswer('allow_all', 'execute', options)).toBe('yes')
  expect(policyAnswer('allow_all', 'execute', options.slice(3))).toBeNull()
})

test('[AP4] the outcome is what the chosen option is of', () => {
  expect(['yes', 'always', 'no', 'never', 'other'].map((id) => outcomeOf(id, options))).toEqual([
    'allowed',
    'allowed',
    'denied',
    'denied',
    undefined,
  ])
})
