/** Every refusal and failure has a notice, so that the page has words for it in every language. */
import { expect, test } from 'vitest'
import { filesOfTheRepository, isCode, parse } from './source-files.ts'
import { textOnly } from './text-only.ts'

const inSource = (text: string): string[] => textOnly(parse({ path: 'src/x.ts', text }))

test('[HT7] no refusal and no failure is English alone', () => {
  const sources = filesOfTheRepository().filter(
    (file) => file.path.startsWith('src/') && isCode(file),
  )
  expect(sources.flatMap((file) => textOnly(parse(file)))).toEqual([])
})

test('[HT7] a literal is found wherever it can be the text, and a notice is not', () => {
  expect(inSource("throw new Refusal('busy', 'Later')")).toEqual(["src/x.ts:1 'Later'"])
  expect(
    inSource("throw new Refusal('busy', near ? `Did you mean this?` : undefined)"),
  ).toHaveLength(1)
  expect(inSource("throw new CannotStart(why ?? 'It did not')")).toHaveLength(1)
  expect(inSource("throw new Refusal('busy', refusalText('noTurn'), { field: 'x' })")).toEqual([])
  expect(inSource("throw new Refusal('not_found', undefined, { id: 'x' })")).toEqual([])
  expect(inSource("throw new GitFailure(-1, stderr.trim() || statusNotice('gitFailed'))")).toEqual(
    [],
  )
})
