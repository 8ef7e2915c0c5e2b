/**
 * CX5: what real agents said of their model's errors when they ended their turns as if all were
 * well, recorded with a model that fails.
 */
import { expect, test } from 'vitest'
import { endedInSilence, notAnAnswer } from '../../../src/domain/turns/vendor-limit.ts'

const codex = '@agentclientprotocol/codex-acp'
const warning =
  'Warning: Model metadata for `scripted-1` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.\n\n'
const retrying = 'Info: Request failed due to a transient API error. Retrying...'
const interrupted = 'Info: Response was interrupted due to a server error. Retrying...'
const attempts = [2, 4, 8]
  .map((seconds, n) => `Retrying (attempt ${n + 1}/3, waiting ${seconds}s)...`)
  .join('')

/** The agent, what the model answered, the text of the turn, the words of the error. */
const recorded: readonly [agent: string, model: string, text: string, words: string][] = [
  [
    codex,
    '400',
    `${warning}{"error":{"message":"scripted 400","type":"invalid_request_error","code":null}}\n\n`,
    '{"error":{"message":"scripted 400","type":"invalid_request_error","code":null}}',
  ],
  [
    codex,
    '429',
    `${warning}exceeded retry limit, last status: 429 Too Many Requests\n\n`,
    'exceeded retry limit, last status: 429 Too Many Requests',
  ],
  [
    codex,
    '500',
    'We’re currently experiencing high demand, which may cause temporary errors.\n\n',
    'We’re currently experiencing high demand, which may cause temporary errors.',
  ],
  [
    codex,
    '529',
    `${warning}unexpected status 529 <unknown status code>: scripted 529, url: http://127.0.0.1:39919/v1/responses\n\n`,
    'unexpected status 529 <unknown status code>: scripted 529, url: http://127.0.0.1:39919/v1/responses',
  ],
  ['Copilot', '400', 'Error: 400 scripted 400', 'Error: 400 scripted 400'],
  [
    'Copilot',
    '401',
    `${retrying}${retrying}Error: Authentication failed with provider at http://127.0.0.1:35921/v1 (HTTP 401).\n  Check your COPILOT_PROVIDER_API_KEY.`,
    'Error: Authentication failed with provider at http://127.0.0.1:35921/v1 (HTTP 401).\n  Check your COPILOT_PROVIDER_API_KEY.',
  ],
  [
    'Copilot',
    '500',
    `${retrying.repeat(5)}Error: Failed to get response from the AI model; retried 5 times (total retry wait time: 16.36 seconds) Last error: 500 scripted 500`,
    'Error: Failed to get response from the AI model; retried 5 times (total retry wait time: 16.36 seconds) Last error: 500 scripted 500',
  ],
  [
    'Copilot',
    'nobody there',
    `${interrupted.repeat(5)}Error: Could not connect to local model provider at http://127.0.0.1:39175/v1.\n  Check that the service is running and the port is correct.`,
    'Error: Could not connect to local model provider at http://127.0.0.1:39175/v1.\n  Check that the service is running and the port is correct.',
  ],
  [
    'pi-acp',
    '429, 500, 529',
    `${attempts}Retry finished, resuming.`,
    `${attempts}Retry finished, resuming.`,
  ],
]

test.each(recorded)(
  '[CX12] what %s says when its model answers %s is an error',
  (agent, _, text, words) => {
    expect(notAnAnswer('error', agent, text)).toBe(words)
    // From an agent that nobody has recorded it is an answer, shown as it is.
    expect(notAnAnswer('error', 'another', text)).toBeUndefined()
    expect(notAnAnswer('error', null, text)).toBeUndefined()
  },
)

test.each([
  [codex, `${warning}It works now.`],
  [codex, 'The server answers: unexpected status 529 means that it is overloaded.'],
  [codex, 'unexpected status 529 was mended.\n\nThe test is in http.test.ts.'],
  ['Copilot', 'Error: handling was added to the parser.'],
  ['Copilot', `${retrying}Done: the file is written.`],
  ['Copilot', `${retrying.repeat(30)}Done`],
  [codex, `${'Warning: a '.repeat(180)}`],
  ['pi-acp', `${attempts}Retry finished, resuming.The file is written.`],
])('[CX12] an answer of %s that has such words in it is an answer: %s', (agent, text) => {
  expect(notAnAnswer('error', agent, text)).toBeUndefined()
})

test('[CX12] an agent silent after a tool call when its model fails has not answered', () => {
  expect(endedInSilence('pi-acp', ' \n')).toBe(true)
  expect(endedInSilence('pi-acp', 'done')).toBe(false)
  expect(endedInSilence(codex, '')).toBe(false)
  expect(endedInSilence(null, '')).toBe(false)
})
