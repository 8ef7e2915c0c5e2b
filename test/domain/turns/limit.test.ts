/**
 * AG6: the sentences in which agents say that a limit was reached, as they were seen, and what is
 * none.
 */
import { expect, test } from 'vitest'
import { limitInAnswer, limitInError } from '../../../src/domain/turns/vendor-limit.ts'

const heard = { now: '2026-11-15T12:00:00.000Z', zone: 'Europe/Berlin' }

const errors: readonly [agent: string, words: string, until: string][] = [
  ['Claude Code', 'Claude AI usage limit reached|1794757200', '2026-11-15T15:40:00.000Z'],
  ['Claude Code', "You've hit your limit · resets 1:30am (Asia/Dhaka)", '2026-11-15T19:30:00.000Z'],
  [
    'Claude Code',
    'You’ve hit your session limit · resets 8:30pm (Asia/Tokyo)',
    '2026-11-15T12:01:00.000Z',
  ],
  ['Claude Code', "You've hit your session limit · resets 5pm", '2026-11-15T16:00:00.000Z'],
  [
    'Claude Code',
    "You've hit your limit · resets Nov 20 at 9pm (America/New_York)",
    '2026-11-21T02:00:00.000Z',
  ],
  [
    'Claude Code',
    'Claude usage limit reached. Your limit will reset at 9am (America/Chicago).',
    '2026-11-15T15:00:00.000Z',
  ],
  ['Claude Code', '5-hour limit reached ∙ resets 12:50am', '2026-11-15T23:50:00.000Z'],
  [
    'Codex',
    "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 2 days 17 hours 14 minutes.",
    '2026-11-18T05:14:00.000Z',
  ],
  [
    'Codex',
    "You've hit your usage limit. Visit settings to purchase more credits or try again at 2:51 PM.",
    '2026-11-15T13:51:00.000Z',
  ],
  [
    'Codex',
    "You've hit your usage limit. Try again at Nov 18th, 2026 3:14 PM.",
    '2026-11-18T14:14:00.000Z',
  ],
  [
    'Codex',
    'Rate limit reached for gpt-5 on tokens per min (TPM). Please try again in 11.254s.',
    '2026-11-15T12:00:11.254Z',
  ],
  [
    'Codex',
    'Rate limit reached: Limit 200000, Used 124035. Please try again in 915ms. Visit the page.',
    '2026-11-15T12:00:00.915Z',
  ],
  [
    'Gemini',
    'You have exhausted your capacity on this model. Your quota will reset after 2h13m21s.',
    '2026-11-15T14:13:21.000Z',
  ],
  [
    'Gemini',
    'You exceeded your current quota. Please retry in 34.074824224s. (429)',
    '2026-11-15T12:00:34.074Z',
  ],
  [
    'Gemini',
    '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"42s"}]}}',
    '2026-11-15T12:00:42.000Z',
  ],
  ['opencode', 'Too Many Requests (retry-after: 120)', '2026-11-15T12:02:00.000Z'],
  [
    'opencode',
    'rate_limit_error: quota renews, retry after 2026-11-15T15:40:00Z',
    '2026-11-15T15:40:00.000Z',
  ],
]

test.each(errors)('[AG8] what %s says of its limit is understood: %s', (_, words, until) => {
  expect(limitInError(words, heard)).toBe(until)
})

test.each([
  'Rate limit exceeded. Please try again later.',
  'Resource has been exhausted (e.g. check quota).',
  'The file could not be read; try again in 5 minutes',
  'limit reached|9999999999',
  'usage limit reached, resets 25:99',
  'usage limit reached, resets 3pm (Nowhere/Land)',
])('[AG8] what names no moment, or no limit, is an error like all others: %s', (words) => {
  expect(limitInError(words, heard)).toBeUndefined()
})

test('[AG8] an answer is a limit only when it is nothing else', () => {
  expect(limitInAnswer('Claude AI usage limit reached|1794757200', heard)).toBe(
    '2026-11-15T15:40:00.000Z',
  )
  expect(limitInAnswer("You've hit your limit · resets 5pm", heard)).toBe(
    '2026-11-15T16:00:00.000Z',
  )
  expect(
    limitInAnswer('The API has a rate limit: wait 30 seconds, then try again in 5 minutes.', heard),
  ).toBeUndefined()
  expect(
    limitInAnswer(`You've hit your limit · resets 5pm${' and more'.repeat(60)}`, heard),
  ).toBeUndefined()
})
