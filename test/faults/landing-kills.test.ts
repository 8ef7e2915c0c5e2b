/** LD2, small: one kill for some steps, 20 for each step of each way in `npm run test:release`. */
import { expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { productFolder } from './build.ts'
import { landingPairs, landingsAcrossKills } from './landing-kills.ts'

const perPair = amount(1, 20)
const few = landingPairs.filter(
  ({ how, step }) =>
    (how === 'squash' && step === 'move') || (how === 'pull-request' && step === 'pull-request'),
)
/** A slice: `LANDING_HOW=rebase`. */
const only = process.env['LANDING_HOW']
const wanted = landingPairs.filter(({ how }) => only === undefined || how === only)

const title =
  'a landing is done once and whole after a kill in any of its steps, and nothing else changes'

test(
  `[LD2] ${title}`,
  async () => {
    const seed = process.env['LANDING_SEED'] ?? 'npm test'
    const slice = amount<object>({ pairs: few, tries: 3 }, { pairs: wanted })
    const options = { build: productFolder, seed, perPair, ...slice }
    const { findings, met } = await landingsAcrossKills(options)
    if (only !== undefined) console.log(met)
    expect(findings).toEqual([])
    const names = wanted.map(({ how, step }) => `${how}: ${step}`)
    expect(amount([], names).filter((name) => (met[name] ?? 0) < perPair)).toEqual([])
  },
  amount(120_000, 3_600_000),
)
