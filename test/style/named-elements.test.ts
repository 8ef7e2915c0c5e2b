import { expect, test } from 'vitest'
import { filesOfTheRepository, type SourceFile } from './source-files.ts'

/** The one place where the order of elements counts: several say the same, and each will do. */
const anyOf = 'test/browser/any-of.ts'

const byOrder = ({ path, text }: SourceFile): string[] =>
  path === anyOf
    ? []
    : [
        ...text.matchAll(/\.(?:nth\(|first\(\)|last\(\))|:nth-(?:child|of-type|match)\(|>> nth=/g),
      ].map(([found]) => `${path}: ${found}`)

test('[HS19] a test in the browser names the element it means, not its place among others', () => {
  const tests = filesOfTheRepository().filter(({ path }) =>
    /^test\/(browser|journeys|support)\/.*\.ts$/.test(path),
  )
  expect(tests.length).toBeGreaterThan(40)
  expect(tests.flatMap(byOrder)).toEqual([])
})

test('[HS19] the control: places are found', () => {
  for (const text of [
    'rows.nth(1).click()',
    'cards.first().click()',
    'menus.last()',
    "page.locator('li:nth-child(2)')",
  ])
    expect(byOrder({ path: 'test/browser/x.test.ts', text }), text).toHaveLength(1)
})
