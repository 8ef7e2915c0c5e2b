/** What is wrong with an answer to a question, by its form. */
import { expect, test } from 'vitest'
import { problemOf, type QuestionSchema } from '../../../src/domain/turns/question.ts'

const form: QuestionSchema = {
  properties: {
    colour: { type: 'string', oneOf: [{ const: 'red', title: 'Red' }] },
    name: { type: 'string', minLength: 2, maxLength: 3 },
    mail: { type: 'string', format: 'email' },
    day: { type: 'string', format: 'date' },
    share: { type: 'number', minimum: 0, maximum: 1 },
    count: { type: 'integer', minimum: 1 },
    sure: { type: 'boolean' },
    tags: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1, maxItems: 2 },
  },
  required: ['colour'],
}

test('[AP13] an answer fits the form: types, choices, bounds, formats, required fields', () => {
  const problem = (content: Record<string, string | number | boolean | string[]>) =>
    problemOf(form, { colour: 'red', ...content })?.text
  expect(
    problem({
      name: '日本',
      mail: 'a@b.c',
      day: '2026-02-28',
      share: 0.5,
      count: 3,
      sure: false,
      tags: ['b', 'a'],
    }),
  ).toBeUndefined()
  expect(problemOf(form, {})?.text).toBe('content.colour: An answer is required')
  expect(problem({ colour: 'Red' })).toBe('content.colour: This must be one of red')
  expect(problem({ name: 'x' })).toBe('content.name: This must have from 2 to 3 characters')
  expect(problem({ mail: 'nobody' })).toBe('content.mail: This is not a valid email')
  expect(problem({ day: 'tomorrow' })).toBe('content.day: This is not a valid date')
  expect(problem({ share: 2 })).toBe('content.share: This must be from 0 to 1')
  expect(problem({ count: 1.5 })).toBe('content.count: This must be of type integer')
  expect(problem({ count: 0 })).toBe('content.count: This must be from 1 to …')
  expect(problem({ sure: 'yes' })).toBe('content.sure: This must be of type boolean')
  expect(problem({ tags: [] })).toBe('content.tags: Choose from 1 to 2 values')
  expect(problem({ tags: ['a', 'a'] })).toBe('content.tags: Each value can be chosen only once')
  expect(problem({ tags: ['c'] })).toBe('content.tags: This must be one of a, b')
  for (const name of ['other', 'constructor', '__proto__'])
    expect(problemOf(form, JSON.parse(`{"colour":"red","${name}":"x"}`))?.text).toBe(
      `content.${name}: The question has no such field`,
    )
})
