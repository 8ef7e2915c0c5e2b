import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DetectedAgent } from '../../../src/protocol/agents/detected-agent.ts'
import { openInstallation } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('[CL1] an agent is added with what starts it, and its passkey is shown once', async () => {
  const { holdfast } = await openInstallation()
  const added = await holdfast([
    'agents',
    'add',
    'claude',
    '--name',
    'Claude Code',
    '--role',
    'coder',
    '--',
    'npx',
    'claude-code-acp',
    '--flag',
  ])
  const passkey = /hf_agent_[\w-]+/.exec(added.stdout)?.[0]
  expect(passkey).toBeDefined()
  expect(added.stdout).toContain('It is shown only now.')
  expect(added.stderr).toContain('holdfast projects assign PROJECT claude')
  expect(added.stderr).toMatch(/It runs without a sandbox.*agents edit claude --sandbox workplace/s)
  expect((await holdfast(['agents', 'add', 'mute'])).stderr).toContain(
    'holdfast agents edit mute -- COMMAND',
  )
  const shown = await holdfast(['agents', 'show', 'claude', '--json'])
  expect(shown.json()).toMatchObject({
    id: 'claude',
    name: 'Claude Code',
    protocol: 'acp',
    command: 'npx',
    args: ['claude-code-acp', '--flag'],
    role: 'coder',
  })
  expect(shown.stdout).not.toContain(passkey)
  await holdfast(['projects', 'create', 'shop'])
  await holdfast(['projects', 'assign', 'shop', 'claude'])
  expect((await holdfast(['agents', 'show', 'claude'])).stdout).toMatch(/Projects +shop\n/)
  expect((await holdfast(['agents'])).stdout).toMatch(
    /claude +Claude Code +acp +coder +1 +npx claude-code-acp --flag/,
  )
})

test('[CL1] an agent without a command is started by others', async () => {
  const { holdfast } = await openInstallation()
  expect(
    (await holdfast(['agents', 'add', 'helper', '--protocol', 'mcp', '--json'])).json(),
  ).toMatchObject({
    id: 'helper',
    name: 'helper',
    protocol: 'mcp',
    command: null,
  })
})

test('[SE7] variables come from here, a file or standard input, and are never shown', async () => {
  const { holdfast } = await openInstallation()
  const file = join(temporaryFolder(), 'env')
  writeFileSync(file, '# keys\nFROM_FILE="file value"\n')
  const env = { FROM_HERE: 'here value' }
  const outputs = [
    await holdfast(['agents', 'add', 'a', '--env', 'FROM_HERE', '--env-file', file], { env }),
    await holdfast(['agents', 'edit', 'a', '--env-file', '-'], { input: 'FROM_STDIN=stdin value' }),
    await holdfast(['agents', 'show', 'a', '--json']),
  ]
  expect(Object.keys(outputs[2]?.json().env).sort()).toEqual([
    'FROM_FILE',
    'FROM_HERE',
    'FROM_STDIN',
  ])
  for (const { stdout, stderr } of outputs)
    expect(stdout + stderr).not.toMatch(/(file|here|stdin) value/)
  expect(
    Object.keys(
      (await holdfast(['agents', 'edit', 'a', '--remove-env', 'FROM_FILE', '--json'])).json().env,
    ).sort(),
  ).toEqual(['FROM_HERE', 'FROM_STDIN'])
})

test('[SE1] a value in the command line is refused, since others could read it', async () => {
  const { holdfast } = await openInstallation()
  const { code, stderr } = await holdfast(['agents', 'add', 'a', '--env', 'KEY=geheim'])
  expect(code).toBe(2)
  expect(stderr).not.toContain('geheim')
  expect(await holdfast(['agents', 'add', 'a', '--env', 'NOT_SET'])).toMatchObject({ code: 2 })
  expect((await holdfast(['agents', '--json'])).json().items).toEqual([])
})

test('[CL1] an agent is changed, given a passkey, assigned, taken off and deleted', async () => {
  const { holdfast } = await openInstallation()
  await holdfast(['projects', 'create', 'p'])
  await holdfast(['agents', 'add', 'a', '--', 'one'])
  expect(
    (
      await holdfast(['agents', 'edit', 'a', '--max-processes', '4', '--json', '--', 'two', 'x'])
    ).json(),
  ).toMatchObject({
    maxProcesses: 4,
    command: 'two',
    args: ['x'],
  })
  expect((await holdfast(['agents', 'edit', 'a', '--no-command', '--json'])).json()).toMatchObject({
    command: null,
    args: [],
  })
  expect((await holdfast(['agents', 'passkey', 'a', '--yes', '--json'])).json().passkey).toMatch(
    /^hf_agent_/,
  )
  expect(await holdfast(['projects', 'assign', 'p', 'a'])).toMatchObject({
    code: 0,
    stdout: '✓ a is assigned to p\n',
  })
  expect((await holdfast(['projects', 'show', 'p', '--json'])).json().agentIds).toEqual(['a'])
  expect(await holdfast(['projects', 'unassign', 'p', 'a'])).toMatchObject({
    code: 0,
    stdout: '✓ a is off p\n',
  })
  expect((await holdfast(['agents', 'delete', 'a', '--yes', '--json'])).json()).toEqual({
    id: 'a',
    deleted: true,
  })
  expect(await holdfast(['agents', 'show', 'a', '--json'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('agent_not_found'),
  })
  expect(await holdfast(['projects', 'assign', 'p', 'a'])).toMatchObject({ code: 5 })
})

test('[HT2] an id that is taken ends with 6', async () => {
  const { holdfast } = await openInstallation()
  await holdfast(['agents', 'add', 'a'])
  expect(await holdfast(['agents', 'add', 'a'])).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('already_exists'),
  })
})

const detected = (id: string, signedIn: boolean | null = null): DetectedAgent => {
  const draft = {
    id,
    name: `The ${id}`,
    protocol: 'mcp',
    command: id,
    args: ['-p', 'go'],
    env: { LIMIT: '1' },
    holdSeconds: 600,
  } as const
  return {
    id,
    name: `The ${id}`,
    file: `/opt/bin/${id}`,
    version: '2.1.0',
    triedWith: null,
    draft: { ...draft, args: [...draft.args] },
    agent: id,
    signedIn,
    signIn: `${id} login`,
    keys: [`${id.toUpperCase()}_KEY`],
    signsIn: null,
  }
}

test('[AG5] installed agents are listed, and added with their recipe by name', async () => {
  const missing = [{ id: 'pi', name: 'pi', install: 'npm install -g pi-acp', installs: null }]
  const { holdfast } = await openInstallation({
    detectAgents: async () => ({
      items: [detected('claude', true), detected('gemini', false)],
      missing,
    }),
  })
  const before = await holdfast(['agents', 'detect'])
  expect(before.stdout).toMatch(/claude +The claude +mcp +2\.1\.0 +yes +– +\/opt\/bin\/claude/)
  expect(before.stderr).toContain('agents add --detected claude')
  expect(before.stderr).toContain(
    "The gemini: sign in once on the server's machine with `gemini login`, or add it with --env GEMINI_KEY.",
  )
  expect(before.stderr).toContain('pi was not found: npm install -g pi-acp')
  expect(before.stderr).not.toContain('claude login')
  const added = (await holdfast(['agents', 'add', '--detected', 'claude', '--json'])).json()
  expect(added).toMatchObject({
    id: 'claude',
    name: 'The claude',
    protocol: 'mcp',
    command: 'claude',
    holdSeconds: 600,
  })
  const other = await holdfast([
    'agents',
    'add',
    'gem',
    '--detected',
    'gemini',
    '--role',
    'reviewer',
  ])
  expect(other.code).toBe(0)
  expect((await holdfast(['agents', 'show', 'gem', '--json'])).json()).toMatchObject({
    command: 'gemini',
    role: 'reviewer',
  })
  expect((await holdfast(['agents', 'detect'])).stdout).toMatch(
    /gemini +The gemini +mcp +2\.1\.0 +no +gem /,
  )
  expect(await holdfast(['agents', 'add', '--detected', 'codex'])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('claude'),
  })
  expect(await holdfast(['agents', 'add'])).toMatchObject({ code: 2 })
  expect(await holdfast(['agents', 'add', 'x', '--detected', 'claude', '--', 'ls'])).toMatchObject({
    code: 2,
  })
})

test('[AG5] variables of a person join the recipe’s and replace only their own names', async () => {
  const detectAgents = async () => ({ items: [detected('claude')], missing: [] })
  const { holdfast } = await openInstallation({ detectAgents })
  const file = join(temporaryFolder(), 'env')
  writeFileSync(file, 'KEY=secret value')
  await holdfast(['agents', 'add', '--detected', 'claude', '--env-file', file])
  const { env } = (await holdfast(['agents', 'show', 'claude', '--json'])).json()
  expect(Object.keys(env).sort()).toEqual(['KEY', 'LIMIT'])
})
