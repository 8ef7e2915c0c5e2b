/**
 * The keys of Now (UI9, UI13): what is typed decides nothing, but a digit right after the cursor
 * moved.
 */
import { expect, test } from 'vitest'
import { afterKey, type Cursor, noCursor, putOn } from '../../../web/src/now/cursor-keys.ts'
import { amount } from '../../support/extent.ts'
import { fc, property } from '../../support/property.ts'

const rows = ['a', 'b', 'c']

/** What each key presses; a key comes a second after the one before. */
function type(keys: readonly string[], from: Cursor = noCursor): (number | undefined)[] {
  let cursor = from
  return keys.map((key, index) => {
    const after = afterKey(cursor, { key, repeat: false, elsewhere: false }, rows, index * 1000)
    cursor = after.cursor
    return after.press
  })
}

const anyKey = fc.oneof(
  fc.string({ minLength: 1, maxLength: 1 }),
  fc.constantFrom(...'jkar123456789u', 'Enter', 'Escape', 'Tab', 'Shift', 'ArrowDown', ' '),
)

property.prop([fc.array(anyKey, { maxLength: 40 })], { numRuns: amount(500, 20_000) })(
  '[UI13] a key presses something only if it is a digit right after j or k',
  (keys) => {
    for (const [index, press] of type(keys).entries()) {
      if (press === undefined) continue
      expect(keys[index]).toBe(String(press))
      expect(['j', 'k']).toContain(keys[index - 1])
    }
  },
)

test('[UI13] j unfolds the first row, and the digit that is printed then presses its button', () => {
  expect(type(['j', '1'])).toEqual([undefined, 1])
  expect(type(['j', '1', '1'])).toEqual([undefined, 1, undefined])
  expect(type(['1'], putOn('b', -1000))).toEqual([1])
  expect(type(['x', '1'], putOn('b', -1000))).toEqual([undefined, undefined])
})

test('[UI13] a digit is ignored for 400 ms after what is unfolded has changed, and while held', () => {
  const on = putOn('a', 1000)
  const digit = { key: '1', repeat: false, elsewhere: false }
  expect(afterKey(on, digit, rows, 1399)).toEqual({ cursor: on })
  expect(afterKey(on, digit, rows, 1400).press).toBe(1)
  expect(afterKey(on, { ...digit, repeat: true }, rows, 2000).press).toBeUndefined()
  const typed = afterKey(on, { ...digit, elsewhere: true }, rows, 2000)
  expect(typed).toEqual({ cursor: { ...on, armed: false } })
})

test('[UI9] the cursor stays in the list, and on a row that is gone it begins anew', () => {
  const press = (cursor: Cursor, key: string) =>
    afterKey(cursor, { key, repeat: false, elsewhere: false }, rows, 0).cursor.at
  expect(press(putOn('c', 0), 'j')).toBe('c')
  expect(press(putOn('a', 0), 'k')).toBe('a')
  expect(press(putOn('gone', 0), 'j')).toBe('a')
  expect(afterKey(noCursor, { key: 'j', repeat: false, elsewhere: false }, [], 0).cursor).toEqual({
    at: undefined,
    armed: false,
    since: 0,
  })
})
