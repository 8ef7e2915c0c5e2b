/** What a program wrote, cleaned for a person. */
import { expect, test } from 'vitest'
import { readable } from '../../../src/platform/log/readable.ts'

const minified = `var e=${'function(t){return n(t)&&(r=t.x);};'.repeat(12)}`

test.each([
  ['colours', '\u001b[1;31mError:\u001b[0m no such model', 'Error: no such model'],
  [
    'links of terminals',
    'see \u001b]8;;https://x.example\u0007this\u001b]8;;\u0007 page',
    'see this page',
  ],
  [
    'a stack of Node',
    `/app/dist/cli.js:12\n${minified}\n                ^\n\nError: no key\n    at run (file:///app/cli.js:3:9)\n    at node:internal/main:1:2\n    at async Promise.all (index 0)\n\nNode.js v26.1.0\n`,
    'Error: no key',
  ],
  [
    'a stack of Python',
    'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nKeyError: x',
    'KeyError: x',
  ],
  [
    'prose that is long',
    'It could not be done. '.repeat(20).trim(),
    'It could not be done. '.repeat(20).trim(),
  ],
  ['a time of day', 'It ends at 12:30', 'It ends at 12:30'],
  ['what is nothing else', minified, minified.slice(0, 200)],
])('[AC9] %s', (_, text, clean) => {
  expect(readable(text)).toBe(clean)
})
