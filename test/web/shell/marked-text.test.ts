/** What was typed is marked in what was found (UI11). */
import { expect, test } from 'vitest'
import { partsBy, rangesOf } from '../../../web/src/shell/marked-text.ts'
import { fc, property } from '../../support/property.ts'

const marked = (text: string, typed: string) =>
  partsBy(text, rangesOf(text, typed)).map((part) => (part.isMarked ? `[${part.text}]` : part.text))

test('[UI11] each typed word is marked, in any case, also where words overlap', () => {
  expect(marked('Retry the request', 're try').join('')).toBe('[Re][try] the [re]quest')
  expect(marked('abcab', 'ab abc').join('')).toBe('[ab][c][ab]')
  expect(marked('nothing', 'x')).toEqual(['nothing'])
  expect(marked('İstanbul', 'bul')).toEqual(['İstanbul'])
})

property.prop([fc.string(), fc.string()])(
  '[UI11] marking changes nothing of the text',
  (text, typed) => {
    const parts = partsBy(text, rangesOf(text, typed))
    expect(parts.map((part) => part.text).join('')).toBe(text)
  },
)
