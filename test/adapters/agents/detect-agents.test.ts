/** Which agents are installed (AG5): real programs on a PATH of the test's own. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { AgentDetection } from '../../../src/adapters/agents/detect-agents.ts'
import { filledIn } from '../../../src/coordinator/agent-environment.ts'
import { AgentDraft } from '../../../src/protocol/agents/agent.ts'
import { DetectedAgents } from '../../../src/protocol/agents/detected-agent.ts'
import {
  knownAgentOf,
  knownAgents,
  knownRecipes,
} from '../../../src/protocol/agents/known-agents.ts'
import { recipes } from '../../real-agents/recipes.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { isRunning } from '../../support/script-process.ts'
import { openTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const systemPath = `${dirname(process.execPath)}:/usr/bin:/bin`

/** Each program is a script; what it does is its text. */
function machine(
  programs: Record<string, string>,
  patienceMs?: number,
  elsewhere: readonly string[] = [],
) {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  for (const file of elsewhere) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), '#!/bin/sh\necho 1.0.0\n', { mode: 0o755 })
  }
  const clock = manualClock()
  const env = {
    HOME: folder,
    PATH: `${folder}:${systemPath}`,
    ANTHROPIC_API_KEY: 'never',
    HOLDFAST_TOKEN: 'never',
  }
  const data = join(folder, 'data')
  const patience = patienceMs === undefined ? {} : { patienceMs }
  const { detect } = new AgentDetection({ clock, env, data, ...patience })
  return { folder, clock, detect }
}

test('[AG5] agents on PATH are found with their version; what is no program is not', async () => {
  const { folder, detect } = machine({
    claude: 'echo "2.1.325 (Claude Code)"',
    codex: 'echo codex-cli 0.166.0',
  })
  mkdirSync(join(folder, 'gemini'))
  writeFileSync(join(folder, 'opencode'), 'not a program')
  const found = await detect()
  expect(found.items.map(({ id, version, file }) => [id, version, file])).toEqual([
    ['claude', '2.1.325', join(folder, 'claude')],
    ['codex', '0.166.0', join(folder, 'codex')],
  ])
  expect(DetectedAgents.parse(found)).toEqual(found)
  const known = knownAgents.map(({ id }) => id)
  expect(found.missing.map(({ id }) => id).filter((id) => known.includes(id))).toEqual([
    'gemini',
    'opencode',
    'copilot',
    'pi',
    'qwen',
    'goose',
  ])
})

test('[AG5] an agent that speaks ACP is offered both ways and asked its version once', async () => {
  const asked = join(temporaryFolder(), 'asked')
  const { detect } = machine({
    gemini: `echo x >> ${asked}; echo 0.61.0`,
    'claude-agent-acp': 'echo 0.99.0',
  })
  expect(
    (await detect()).items.map(({ draft, version }) => [
      draft.id,
      draft.protocol,
      draft.command,
      version,
    ]),
  ).toEqual([
    ['gemini', 'mcp', 'sh', '0.61.0'],
    ['claude-acp', 'acp', 'claude-agent-acp', '0.99.0'],
    ['gemini-acp', 'acp', 'gemini', '0.61.0'],
  ])
  expect(readFileSync(asked, 'utf8')).toBe('x\n')
})

test('[AG5] a program that hangs, floods or fails has no version and leaves nothing', async () => {
  const pidFile = join(temporaryFolder(), 'pid')
  const { detect } = machine(
    {
      claude: `sleep 1000 & echo $! > ${pidFile}; wait`,
      codex: 'yes 2',
      gemini: 'exit 3',
      qwen: 'echo "no number here"',
    },
    300,
  )
  const found = await detect()
  expect(found.items.map(({ id, version }) => [id, version])).toEqual([
    ['claude', null],
    ['codex', null],
    ['gemini', null],
    ['qwen', null],
    ['gemini-acp', null],
    ['qwen-acp', null],
  ])
  await expect.poll(() => isRunning(Number(readFileSync(pidFile, 'utf8')))).toBe(false)
})

test('[AG5] a finding is kept for a minute, and callers at once share one search', async () => {
  const asked = join(temporaryFolder(), 'asked')
  const { clock, detect } = machine({ claude: `echo x >> ${asked}; echo 1.0.0` })
  const times = () => readFileSync(asked, 'utf8').split('\n').length - 1
  await Promise.all([detect(), detect(), detect()])
  clock.advance(59_999)
  await detect()
  expect(times()).toBe(1)
  clock.advance(1)
  await detect()
  expect(times()).toBe(2)
})

test('[SE4] a program that was only found gets no key of the server', async () => {
  const seen = join(temporaryFolder(), 'seen')
  const { detect } = machine({ claude: `env > ${seen}; echo 1.0.0` })
  await detect()
  expect(existsSync(seen)).toBe(true)
  expect(readFileSync(seen, 'utf8')).not.toContain('never')
})

test('[AG5] a program of npm outside PATH is found and run with the Node beside it', async () => {
  const { folder, detect } = machine({}, undefined, [
    '.npm-global/bin/pi-acp',
    '.nvm/versions/node/v24.1.0/bin/copilot',
  ])
  const { items } = await detect()
  expect(
    items.map(({ id, draft }) => [id, draft.command, draft.env['PATH']?.split(':')[0]]),
  ).toEqual(
    [
      ['copilot', '.nvm/versions/node/v24.1.0/bin'],
      ['copilot-acp', '.nvm/versions/node/v24.1.0/bin'],
      ['pi-acp', '.npm-global/bin'],
    ].map(([id, at]) => [
      id,
      join(folder, at ?? '', id === 'pi-acp' ? 'pi-acp' : 'copilot'),
      join(folder, at ?? ''),
    ]),
  )
})

test('[AG5] detection tells whether somebody signed in, and claims nothing unseen', async () => {
  const { folder, detect } = machine({ codex: 'echo 1.0', claude: 'echo 1.0', copilot: 'echo 1.0' })
  mkdirSync(join(folder, '.codex'))
  writeFileSync(join(folder, '.codex/auth.json'), '{}')
  const { items } = await detect()
  const shown = Object.fromEntries(
    items.map(({ agent, signedIn, signIn }) => [agent, [signedIn, signIn]]),
  )
  expect(shown).toEqual({
    codex: [true, 'codex login'],
    claude: [false, 'claude /login'],
    copilot: [null, 'copilot login'],
  })
})

test('[AG5] the server accepts every recipe as an agent, and none contains a secret', () => {
  for (const { id, agent, protocol, program, command = program, args, env } of knownRecipes) {
    expect(
      AgentDraft.parse({ id, name: agent.name, protocol, command, args, env, holdSeconds: 600 }).id,
    ).toBe(id)
    if (protocol === 'mcp') expect(args.join(' ')).toContain('wait_seconds 600')
    expect(JSON.stringify({ args, env }), id).not.toMatch(/hf_|passkey/)
    expect(knownAgentOf({ command: `/opt/bin/${command}`, args: [...args] })?.id).toBe(agent.id)
  }
  expect(
    knownAgentOf({ command: 'npx', args: ['-y', '@google/gemini-cli@0.61.0', '--acp'] })?.id,
  ).toBe('gemini')
  expect(knownAgentOf({ command: 'sh', args: ['-c', 'something else'] })).toBeUndefined()
  expect(knownAgentOf({ command: null, args: [] })).toBeUndefined()
})

test('[AG5] each agent is a file, and each file is an agent', () => {
  const files = readdirSync(join(import.meta.dirname, '../../../src/protocol/agents/known')).map(
    (name) => name.replace('.ts', ''),
  )
  expect(knownAgents.map(({ id }) => id).sort()).toEqual(files.sort())
})

test('[AC5] a recipe said to be tried equals what the tests with real agents try', () => {
  const said = knownRecipes
    .filter(({ protocol, triedWith }) => protocol === 'acp' && triedWith !== null)
    .map(({ program, args, triedWith }) => ({ command: program, args, triedWith }))
  const tried = Object.values(recipes).map(({ program, args, packages: [wanted = ''] }) => {
    return { command: program, args, triedWith: wanted.slice(wanted.lastIndexOf('@') + 1) }
  })
  for (const each of said) expect(tried).toContainEqual(each)
  expect(said).toHaveLength(6)
})

test('[CO4] what a launch tells is filled into arguments, the token never', () => {
  const values = {
    HOLDFAST_AGENT_ID: 'ann',
    HOLDFAST_MCP_URL: 'http://h/mcp',
    HOLDFAST_LAUNCH_TOKEN: 'secret',
    HOME: '/h',
  }
  const in$ = (name: string): string => `\${${name}}`
  const args = [
    `a ${in$('HOLDFAST_AGENT_ID')} at ${in$('HOLDFAST_MCP_URL')}`,
    `${in$('HOLDFAST_LAUNCH_TOKEN')} ${in$('HOME')} $HOLDFAST_AGENT_ID`,
    in$('HOLDFAST_URL'),
  ]
  expect(filledIn(args, values)).toEqual(['a ann at http://h/mcp', ...args.slice(1)])
})

test('[AG5] GET /api/detected-agents is for who may add agents', async () => {
  const { detect } = machine({ claude: 'echo 2.1.325' })
  const server = await openTestServer({ detectAgents: detect })
  const answer = await server.ask('/api/detected-agents')
  expect([answer.status, answer.json.items]).toMatchObject([
    200,
    [{ id: 'claude', version: '2.1.325' }],
  ])
  const { token } = (
    await server.ask('/api/people', { method: 'POST', body: { name: 'm', role: 'member' } })
  ).json
  expect((await server.ask('/api/detected-agents', { token })).json).toMatchObject({
    code: 'missing_scope',
    scope: 'manage',
  })
  const [{ draft }] = answer.json.items
  const added = await server.ask('/api/agents', { method: 'POST', body: draft })
  expect([added.status, added.json]).toMatchObject([
    201,
    { id: 'claude', command: 'claude', holdSeconds: 600 },
  ])
})
