/**
 * Signing in (AC9): by a key of the environment where that needs nobody, otherwise in words that
 * say what a person can do.
 */
import { expect, test } from 'vitest'
import { signInWaysOf, unattendedWay } from '../../../src/coordinator/acp/sign-in.ts'
import { AcpAgent } from '../../support/acp-agent.ts'
import { hostile } from '../../support/hostile-agent.ts'

/** As recorded with real agents. */
const ofCodex = [
  {
    id: 'api-key',
    name: 'API Key',
    description: 'Use an API key to authenticate',
    _meta: { 'api-key': { provider: 'openai' } },
  },
]
const ofGemini = [
  {
    id: 'oauth-personal',
    name: 'Log in with Google',
    description: 'Log in with your Google account',
  },
  { id: 'gemini-api-key', name: 'Gemini API key', _meta: { 'api-key': { provider: 'google' } } },
  { id: 'vertex-ai', name: 'Vertex AI', description: 'Use an API key with Vertex AI GenAI API' },
]
const ofCopilot = [
  {
    id: 'copilot-login',
    name: 'Log in with Copilot CLI',
    description: 'Run `copilot login` in the terminal',
    _meta: { 'terminal-auth': { command: '/opt/copilot', args: ['login'], label: 'Copilot' } },
  },
]

test.each([
  ['codex with its key', '@agentclientprotocol/codex-acp', ofCodex, ['OPENAI_API_KEY'], 'api-key'],
  [
    'codex with another key',
    '@agentclientprotocol/codex-acp',
    ofCodex,
    ['GITHUB_TOKEN'],
    undefined,
  ],
  ['codex without a key', '@agentclientprotocol/codex-acp', ofCodex, [], undefined],
  ['gemini', 'gemini-cli', ofGemini, ['GEMINI_API_KEY'], 'gemini-api-key'],
  ['copilot, which needs a terminal', 'Copilot', ofCopilot, ['GITHUB_TOKEN'], undefined],
  [
    'one never seen',
    'other',
    [{ id: 'a', name: 'Key', description: 'from OTHER_API_KEY' }],
    ['OTHER_API_KEY'],
    'a',
  ],
  [
    'one never seen whose variable is missing',
    'other',
    [{ id: 'a', name: 'from OTHER_API_KEY' }],
    ['SOME_API_KEY'],
    undefined,
  ],
] as const)('[AC9] the way that needs nobody: %s', (_, agent, methods, variables, chosen) => {
  expect(unattendedWay(agent, signInWaysOf(methods), new Set(variables))?.id).toBe(chosen)
})

const started = {
  agentId: 'mine',
  command: 'my agent',
  args: ['acp'],
  variables: new Set<string>(),
}
const ways = [
  { id: 'browser', name: 'Browser', description: 'Opens a page' },
  {
    type: 'terminal',
    id: 'terminal',
    name: 'Terminal',
    args: ['--login'],
    env: { MODE: 'a b', 'X;touch y;Z': '1' },
  },
  ...ofCopilot,
]
const refuses = (data: object) =>
  `send({ id, error: { code: -32000, message: '\\u001b[31mAuthentication required\\u001b[0m', data: ${JSON.stringify(data)} } })`
const offers = (authMethods: object[]) =>
  `send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: ${JSON.stringify(authMethods)} } })`

test('[AC9] who cannot sign in alone says how a person can, with the commands and without JSON; the whole error is kept', async () => {
  const command = hostile({ onInitialize: offers(ways), onNew: refuses({ authMethods: ways }) })
  const agent = new AcpAgent({ command, started })
  const failure = await agent.ready().catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'sign_in', detail: { notice: { code: 'signInWays' } } })
  const { detail } = failure as { detail: { text: string } }
  expect(detail.text.split('\n')).toEqual([
    'session/new: Authentication required',
    'It offers these ways to sign in, on its page and by holdfast agents login mine:',
    '- Browser: Opens a page',
    "- Terminal – `MODE='a b' 'my agent' acp --login`",
    '- Log in with Copilot CLI: Run `copilot login` in the terminal – `/opt/copilot login`',
  ])
  expect(agent.wholeErrors).toEqual([expect.stringContaining('authMethods')])
})

test('[AC9] a key that is refused is tried once, and the person is told', async () => {
  const command = hostile({
    onInitialize: offers([{ id: 'key', name: 'API key' }]),
    onNew: refuses({}),
    atStart: `let tries = 0; act.authenticate = ({ id }) => { console.error('try', ++tries); send({ id, result: {} }) }`,
  })
  const agent = new AcpAgent({
    command,
    started: { ...started, variables: new Set(['SOME_API_KEY']) },
  })
  await expect(agent.ready()).rejects.toMatchObject({
    code: 'sign_in',
    detail: { text: expect.stringContaining('- API key') },
  })
  expect(agent.stderr.trim()).toBe('try 1')
})

test.each([
  ['@agentclientprotocol/codex-acp', ['authenticate api-key', 'session/new']],
  ['other', ['session/new']],
])(
  '[AC9] an agent that is known to want it is signed in before anything else, others when they refuse: %s',
  async (name, asked) => {
    const answer = {
      protocolVersion: 1,
      agentCapabilities: {},
      agentInfo: { name, version: '1' },
      authMethods: ofCodex,
    }
    const command = hostile({
      onInitialize: `send({ id, result: ${JSON.stringify(answer)} })`,
      onNew: `console.error('session/new'); send({ id, result: { sessionId: 's1' } })`,
      atStart: `act.authenticate = ({ id, params }) => { console.error('authenticate', params.methodId); send({ id, result: {} }) }`,
    })
    const agent = new AcpAgent({
      command,
      started: { ...started, variables: new Set(['OPENAI_API_KEY']) },
    })
    await agent.ready()
    await expect.poll(() => agent.stderr.trim().split('\n')).toEqual(asked)
  },
)
