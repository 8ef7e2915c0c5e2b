/** The checks of settings while typing say what the server will say. */
import { expect, test } from 'vitest'
import { changeSettings, settingRules } from '../../../src/protocol/projects/settings.ts'
import {
  settingChanges,
  settingGroups,
  settingKeys,
  settingProblem,
} from '../../../web/src/projects/setting-draft.ts'
import { en } from '../../../web/src/translations/en.ts'
import { fc, property } from '../../support/property.ts'

const defaults = Object.fromEntries(settingKeys.map((key) => [key, settingRules[key].fallback]))
const numbers = settingKeys.filter((key) => settingRules[key].kind === 'number')
const texts = fc.dictionary(
  fc.constantFrom(...numbers),
  fc.oneof(
    fc
      .double({ min: -10, max: 100_000, noNaN: true })
      .map((value) => String(Math.round(value * 100) / 100)),
    fc.constantFrom('0', '0.05', '1', '10', '15', '60', '1440', '', 'x'),
  ),
)

property.prop([texts], { numRuns: 2000 })(
  '[NA10] a draft that shows no problem is accepted by the server, and one that does is not',
  (draft) => {
    const problems = settingKeys
      .map((key) => settingProblem(key, draft, defaults, en, String))
      .filter(Boolean)
    const unreadable = Object.values(draft).some(
      (text) => text.trim() === '' || Number.isNaN(Number(text)),
    )
    const changes = settingChanges(draft, defaults)
    const refused = 'problem' in changeSettings({}, changes)
    expect(problems.length > 0).toBe(refused || unreadable)
  },
)

test('[NA10] every setting is shown in exactly one group', () => {
  expect(Object.values(settingGroups).flat().sort()).toEqual([...settingKeys].sort())
})
