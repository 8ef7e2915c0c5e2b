import { expect, test } from 'vitest'
import { foldedName, nameProblem } from '../../../src/domain/work/artifact-name.ts'

test.each([
  'report.md',
  'a',
  '図面 2.png',
  'build.tar.gz',
  'CONFIG',
  'nul-and-void.txt',
  'com10',
  '-rf',
])('[CK5] %s is a name', (name) => expect(nameProblem(name)?.text).toBeUndefined())

test.each([
  '',
  '.',
  '..',
  '../x',
  '/etc/passwd',
  'a/b',
  'a\\b',
  '\\\\server\\share',
  'C:x',
  'a\u0000b',
  'a\nb',
  'a\u007f',
  '.hidden',
  'ends.',
  'ends ',
  ' begins',
  'nul',
  'NUL.txt',
  'Com1',
  'lpt9.log',
  'what?',
  'a*',
  '\ud800',
  'ä'.repeat(101),
])('[CK5] %j is refused, in words', (name) => expect(nameProblem(name)?.text).toMatch(/\w+ \w+/))

test('[CK5] names that are one on some disk are seen as one', () => {
  expect(foldedName('Résumé.PDF')).toBe(foldedName('re\u0301sume\u0301.pdf'))
  expect(foldedName('a')).not.toBe(foldedName('b'))
})
