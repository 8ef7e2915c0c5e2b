/** LD2, small: 3 kills, 60 in `npm run test:release`. */
import { expect, test } from 'vitest'
import { amount } from '../support/extent.ts'
import { productFolder } from './build.ts'
import { landingsAcrossKills } from './landing-kills.ts'

test('[LD2] a landing is done whole after a kill at a call of git, and the person’s checkout shows what it showed', async () => {
  const options = { build: productFolder, seed: 'npm test', kills: amount(3, 60) }
  const { findings, kills } = await landingsAcrossKills(options)
  expect(findings).toEqual([])
  expect(kills).toBe(options.kills)
})
