import fc from 'fast-check'
import { expect, test } from 'vitest'
import { telegramHtml } from '../../src/doors/telegram/markdown.ts'

test('[CN2] Markdown becomes tags in pairs, and nothing an agent writes becomes a tag', () => {
  expect(
    telegramHtml('# A **title**\nsome `a<b` and **bold** [link](https://example.com/?a=1&b=2)'),
  ).toBe(
    '<b>A title</b>\nsome <code>a&lt;b</code> and <b>bold</b> <a href="https://example.com/?a=1&amp;b=2">link</a>',
  )
  expect(telegramHtml('```js\nif (a < b) **x**\n```')).toBe(
    '<pre><code class="language-js">if (a &lt; b) **x**</code></pre>',
  )
  const bits = fc.constantFrom(
    '<b>',
    '</b>',
    '**',
    '`',
    '```\n',
    '[',
    '](',
    'https://x.y',
    ')',
    '"',
    '&',
    '\n',
    '# ',
    'word ',
  )
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 30 }), (pieces) => {
      const open: string[] = []
      for (const [, closing, name = ''] of telegramHtml(pieces.join('')).matchAll(
        /<(\/?)(\w+)[^>]*>/g,
      )) {
        if (closing) expect(open.pop()).toBe(name)
        else open.push(name)
      }
      expect(open).toEqual([])
    }),
  )
})
