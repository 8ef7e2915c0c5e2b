/** docs/bench.md: new figures replace the old ones of the same operation and touch nothing else. */
import { expect, test } from 'vitest'
import { withFigures } from '../../bench/harness/document.ts'

const page = [
  '# Speed',
  'words',
  '<!-- figures of sp1 -->',
  'old',
  '<!-- end of sp1 -->',
  'more words',
  '',
].join('\n')

test('[SP1] figures go between their own markers', () => {
  const written = withFigures(page, { operation: 'sp1', table: '| new |', circumstances: 'here' })
  expect(written).toBe(
    '# Speed\nwords\n<!-- figures of sp1 -->\nhere\n\n| new |\n<!-- end of sp1 -->\nmore words\n',
  )
  expect(withFigures(written, { operation: 'sp1', table: '| new |', circumstances: 'here' })).toBe(
    written,
  )
})

test('[SP1] figures without a place are refused', () => {
  expect(() => withFigures(page, { operation: 'sp9', table: '', circumstances: '' })).toThrow(
    'no place for sp9',
  )
})
