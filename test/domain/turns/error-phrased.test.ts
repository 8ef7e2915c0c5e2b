/**
 * CX12: what an agent says in the place of an answer when its model fails, judged without knowing
 * the agent.
 */
import { expect, test } from 'vitest'
import { judgeAnswer, type SaidInTurn } from '../../../src/domain/turns/error-phrased.ts'

const nothingKnown: Omit<SaidInTurn, 'said'> = {
  ranTools: false,
  usage: null,
  usageBefore: null,
  counted: null,
  hasGateway: false,
}
const tokens = (inputTokens: number, outputTokens: number) => ({ inputTokens, outputTokens })

const errors = [
  'Error: 401 Unauthorized',
  '⚠️ API error (HTTP 429): slow down and try again later.',
  'Request failed with status code 500',
  'The model provider returned 503 Service Unavailable.',
  '[429] Too Many Requests',
  'Sorry, something went wrong: 500 Internal Server Error',
  'LLM call failed: {"error":{"type":"rate_limit_error","message":"slow down"}}',
  'Error code: 400 - {"error": {"message": "no such model"}}',
]
const answers = [
  'It works now.',
  'I changed the handler so that a missing token gives 401 Unauthorized, as the test expects.',
  'There are 500 files in this folder.',
  'Error handling was added to the parser.',
  'Line 404 of the file holds the bug.',
]

test.each(errors)(
  '[CX12] without a word of the model it is an error, and without any numbers probably one: %s',
  (said) => {
    expect(judgeAnswer({ ...nothingKnown, said })).toBe('probably')
    expect(judgeAnswer({ ...nothingKnown, said, usage: tokens(0, 0) })).toBe('error')
    expect(
      judgeAnswer({ ...nothingKnown, said, usage: tokens(70, 9), usageBefore: tokens(70, 9) }),
    ).toBe('error')
    expect(judgeAnswer({ ...nothingKnown, said, hasGateway: true })).toBe('error')
    expect(
      judgeAnswer({ ...nothingKnown, said, counted: { outputTokens: 0, atLeast: false } }),
    ).toBe('error')
    // The model did say it.
    expect(
      judgeAnswer({ ...nothingKnown, said, usage: tokens(90, 12), usageBefore: tokens(70, 9) }),
    ).toBe('answer')
    expect(
      judgeAnswer({
        ...nothingKnown,
        said,
        counted: { outputTokens: 7, atLeast: false },
        hasGateway: true,
      }),
    ).toBe('answer')
  },
)

test.each(answers)('[CX12] an answer is an answer: %s', (said) => {
  for (const known of [{}, { usage: tokens(90, 12) }, { ranTools: true }])
    expect(judgeAnswer({ ...nothingKnown, said, ...known })).toBe('answer')
})

test('[CX12] an answer of a model that answered nothing is doubtful, whatever its words', () => {
  expect(
    judgeAnswer({
      ...nothingKnown,
      said: 'All is well.',
      counted: { outputTokens: 0, atLeast: false },
    }),
  ).toBe('probably')
  // A model that tells no numbers, or an answer that was cut off.
  expect(
    judgeAnswer({
      ...nothingKnown,
      said: 'All is well.',
      counted: { outputTokens: 0, atLeast: true },
    }),
  ).toBe('answer')
  // A command that the agent answers by itself.
  expect(judgeAnswer({ ...nothingKnown, said: 'Model: scripted-1', hasGateway: true })).toBe(
    'answer',
  )
})

test('[CX12] an error after tools is probable only where the text is nothing else', () => {
  expect(
    judgeAnswer({
      ...nothingKnown,
      said: 'Error: 500 Internal Server Error',
      ranTools: true,
      usage: tokens(90, 12),
    }),
  ).toBe('probably')
  expect(
    judgeAnswer({
      ...nothingKnown,
      said: 'I have mended it: the server answers 500 Internal Server Error no more.',
      ranTools: true,
    }),
  ).toBe('answer')
})
