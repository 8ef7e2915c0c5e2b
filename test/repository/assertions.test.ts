import { expect, test } from 'vitest'
import { filesOfTheRepository, isCode } from '../style/source-files.ts'
import { testsWithoutAssertion } from './assertions.ts'

const tests = filesOfTheRepository().filter((file) => isCode(file) && file.path.startsWith('test/'))

test('[HS9] every test asserts something, itself or through a function of the tests', () => {
  expect(testsWithoutAssertion(tests)).toEqual([])
})

test('[HS9] the control: a test is found without an assertion, and passes with one', () => {
  const helper = {
    path: 'test/support/check.ts',
    text: 'export const check = (x: number) => expect(x).toBe(1)',
  }
  const judge = (text: string) =>
    testsWithoutAssertion([helper, { path: 'test/a/x.test.ts', text }])
  expect(judge("test('x', () => { run() })")).toEqual(["test/a/x.test.ts:1 'x'"])
  expect(judge("test.each([1])('x', async () => { const check = await run(1) })")).toHaveLength(1)
  expect(judge("import { check } from '../support/check.ts'\ntest('x', () => check(1))")).toEqual(
    [],
  )
  expect(judge("const both = () => { expect(1).toBe(1) }\ntest('x', () => both())")).toEqual([])
})
