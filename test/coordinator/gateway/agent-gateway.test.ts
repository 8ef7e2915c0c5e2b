/** How agents are told of the gateway: each in the way of its data, without the real key. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { giveGateway } from '../../../src/coordinator/gateway/agent-gateway.ts'
import { knownRecipes } from '../../../src/protocol/agents/known-agents.ts'

function place() {
  const foldersRoot = mkdtempSync(join(tmpdir(), 'gateways-'))
  onTestFinished(() => rmSync(foldersRoot, { recursive: true }))
  const base = {
    url: 'http://127.0.0.1:5',
    token: 'hf-gateway-x',
    agentId: 'a',
    projectId: 'p',
    foldersRoot,
  }
  return { ...base, model: 'm-1', protocol: 'acp', command: 'agent', args: [], env: {} } as const
}

test.each(
  knownRecipes.filter(({ agent }) => agent.gateway).map((recipe) => [recipe.id, recipe] as const),
)(
  '[GW2] %s is given the address and the token',
  async (_, { program, command = program, args, env, protocol }) => {
    const at = place()
    const given = await giveGateway({ ...at, command, args: [...args], env, protocol })
    const files = readdirSync(at.foldersRoot, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.json'),
    )
    const received = JSON.stringify([
      given,
      ...files.map((name) => readFileSync(join(at.foldersRoot, name), 'utf8')),
    ])
    expect(received).toContain('http://127.0.0.1:5')
    expect(received).not.toMatch(/\{(url|key|model|folder)\}/)
    expect(given.env).toMatchObject({ HOLDFAST_GATEWAY_KEY: 'hf-gateway-x', NO_PROXY: '127.0.0.1' })
    expect(given.args.slice(-args.length || given.args.length)).toEqual(args)
  },
)

test('[GW2] settings of the entry stay beside ours, and one that pulls Codex is told by arguments', async () => {
  const at = place()
  const before = { mcp: { holdfast: { url: 'x' } }, model: 'other' }
  const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(before), NO_PROXY: 'intra' }
  const given = await giveGateway({ ...at, command: '/usr/bin/opencode', env })
  const { OPENCODE_CONFIG_CONTENT: content = '' } = given.env
  expect(JSON.parse(content)).toMatchObject({
    mcp: before.mcp,
    model: 'holdfast/m-1',
    provider: { holdfast: {} },
  })
  expect(given.env['NO_PROXY']).toBe('intra,127.0.0.1')
  const codex = await giveGateway({
    ...at,
    command: 'codex',
    protocol: 'mcp',
    args: ['exec', 'do'],
    model: null,
  })
  expect(codex.args).toEqual(
    expect.arrayContaining([
      'model_providers.holdfast.base_url="http://127.0.0.1:5/v1"',
      'exec',
      'do',
    ]),
  )
  const unknown = await giveGateway({ ...at, command: './own-agent', model: null })
  expect(unknown.env).toMatchObject({
    OPENAI_BASE_URL: 'http://127.0.0.1:5/v1',
    ANTHROPIC_API_KEY: 'hf-gateway-x',
  })
})

test('[GW2] an agent that must be told a model and is not does not start; a link that an agent planted is not followed', async () => {
  const at = place()
  await expect(giveGateway({ ...at, command: 'pi-acp', model: null })).rejects.toThrow(
    /which model/,
  )
  await giveGateway({ ...at, command: 'pi-acp' })
  const [folder = ''] = readdirSync(at.foldersRoot)
  const victim = join(at.foldersRoot, 'victim')
  writeFileSync(victim, 'mine')
  mkdirSync(join(at.foldersRoot, folder, 'sessions'))
  symlinkSync(victim, join(at.foldersRoot, folder, 'models.json.new'))
  const { env } = await giveGateway({ ...at, command: 'pi-acp', url: 'http://127.0.0.1:6' })
  expect([readFileSync(victim, 'utf8'), env['PI_CODING_AGENT_DIR']]).toEqual([
    'mine',
    join(at.foldersRoot, folder),
  ])
  const models = join(at.foldersRoot, folder, 'models.json')
  expect([lstatSync(models).isFile(), lstatSync(models).mode & 0o777]).toEqual([true, 0o600])
  expect(readFileSync(models, 'utf8')).toMatch(/127\.0\.0\.1:6.*"\$HOLDFAST_GATEWAY_KEY"/)
  expect(readFileSync(models, 'utf8')).not.toContain('hf-gateway-x')
})
