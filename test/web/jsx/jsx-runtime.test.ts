/**
 * What an agent writes reads on the page as it is (SE13): no character of it turns the text around
 * it, or is not there for the eye.
 */
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { jsx, jsxs, prose } from '../../../web/src/jsx/jsx-runtime.ts'

const turned = 'rm \u202Egpj.exe\u2066 a\u200Bb\u200F'
const shown = String.raw`rm \u202egpj.exe\u2066 a\u200bb\u200f`

test('[SE13] an element shows by number what turns its texts around or is invisible', () => {
  expect(renderToStaticMarkup(jsx('p', { children: turned }))).toBe(`<p>${shown}</p>`)
  expect(
    renderToStaticMarkup(
      jsxs('p', { children: [turned, jsx('b', { children: turned }, 'b'), 1, null] }),
    ),
  ).toBe(`<p>${shown}<b>${shown}</b>1</p>`)
  expect(
    renderToStaticMarkup(
      jsx('i', { title: turned, 'aria-label': turned, 'data-as-it-is': '\u202E' }),
    ),
  ).toBe(`<i title="${shown}" aria-label="${shown}" data-as-it-is="\u202E"></i>`)
})

test('[SE13] sentences keep the marks of their language, but none that turns letters', () => {
  const sentence = 'שלום\u200F! \u2067عربي\u2069 \u202Eno\u202C'
  expect(renderToStaticMarkup(jsx('p', { children: prose(sentence) }))).toBe(
    `<p>${sentence.replace('\u202E', String.raw`\u202e`)}</p>`,
  )
})

test('[SE13] what has nothing of the kind is not made anew', () => {
  const props = { children: ['日本語', 'emoji 👩‍👩‍👧'], title: 'plain' }
  expect(jsxs('p', props)).toMatchObject({ props })
})
