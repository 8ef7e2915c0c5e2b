/** Starting an agent's process: what it gets, what is heard of it, and that nothing of it stays. */
import { existsSync, realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { AgentOutput } from '../../src/coordinator/agent-output.ts'
import { CannotStart } from '../../src/coordinator/agent-process.ts'
import { KnownSecrets } from '../../src/platform/log/known-secrets.ts'
import { startAgent } from '../support/agent-process.ts'
import { script } from '../support/launch-particulars.ts'
import { manualClock } from '../support/manual-clock.ts'
import { isRunning } from '../support/script-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('[SE4] an agent gets the variables of the allow-list and of its entry, and no others', async () => {
  const ours = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent/.config',
    https_proxy: 'http://proxy.example:3128',
    SSH_AUTH_SOCK: '/tmp/agent.sock',
    DATABASE_URL: 'postgres://x',
    HOLDFAST_TOKEN: 'hf_owner_never',
    AWS_SECRET_ACCESS_KEY: 'never',
    NODE_OPTIONS: '--never',
  }
  const { output, exit } = await startAgent(
    { ...script('env'), env: { MODEL: 'm1', LANG: 'ja_JP.UTF-8' } },
    ours,
  )
  await exit
  const names = output()
    .split('\n')
    .map((line) => line.split('=')[0])
    .filter((name) => name && !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))
  expect(names.toSorted()).toEqual(
    [
      ...[
        'HOLDFAST_AGENT_ID',
        'HOLDFAST_LAUNCH_ID',
        'HOLDFAST_LAUNCH_KEEPER',
        'HOLDFAST_LAUNCH_TOKEN',
      ],
      ...['HOLDFAST_MCP_URL', 'HOLDFAST_PROJECT_ID', 'HOLDFAST_URL'],
      ...['HOME', 'LANG', 'MODEL', 'PATH', 'SSH_AUTH_SOCK', 'XDG_CONFIG_HOME', 'https_proxy'],
    ].toSorted(),
  )
})

test('[CO4] an agent runs in the folder of its project, in a group of its own, and what it is told is true', async () => {
  const folder = realpathSync(temporaryFolder())
  const { output, exit, agent } = await startAgent({
    ...script(
      'pwd; ps -o pgid= -p $$; echo "$HOLDFAST_MCP_URL $HOLDFAST_AGENT_ID $HOLDFAST_PROJECT_ID"',
    ),
    folder,
  })
  expect(await exit).toEqual({ exitCode: 0, signal: null })
  expect(
    output()
      .split('\n')
      .map((line) => line.trim()),
  ).toEqual([folder, String(agent.pid), 'http://127.0.0.1:1/mcp helper p1', ''])
})

test('[CO4] without a project folder it gets one of its own, which goes with it when nothing is left in it', async () => {
  const first = await startAgent(script('pwd'))
  await first.exit
  await first.agent.gone
  expect(basename(first.output().trim())).toMatch(/^launch-/)
  expect(existsSync(first.output().trim())).toBe(false)
  const second = await startAgent(script('pwd; echo kept > notes.txt'))
  await second.agent.gone
  await second.exit
  expect(existsSync(`${second.output().trim()}/notes.txt`)).toBe(true)
})

test('[SE4] nothing is read by a shell: arguments arrive as they are', async () => {
  const args = [
    '-e',
    'console.log(JSON.stringify(process.argv.slice(1)))',
    '--',
    '$(echo bad)',
    '; touch x',
    '*',
    "'",
  ]
  const { output, exit } = await startAgent({ command: process.execPath, args })
  await exit
  expect(JSON.parse(output())).toEqual(args.slice(3))
})

test('[CO4] what the launch tells is filled into arguments that name it; the token never is', async () => {
  const code = 'console.log(JSON.stringify(process.argv.slice(1)))'
  const words = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what is typed into an entry
    '${HOLDFAST_AGENT_ID} in ${HOLDFAST_PROJECT_ID}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what is typed into an entry
    '${HOLDFAST_LAUNCH_TOKEN}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what is typed into an entry
    '${HOME}',
  ]
  const { output, exit } = await startAgent({
    command: process.execPath,
    args: ['-e', code, '--', ...words],
  })
  await exit
  expect(JSON.parse(output())).toEqual(['helper in p1', ...words.slice(1)])
})

test('[CO4] the command holdfast means this program itself', async () => {
  const { output, exit } = await startAgent({ command: 'holdfast', args: ['demo-mcp', '--stay'] })
  await exit
  expect(output()).toBe('it is I: demo-mcp --stay\n')
})

test.each([
  [
    'no-such-program-anywhere',
    null,
    "There is no program no-such-program-anywhere on this machine's PATH.",
  ],
  ['/no/such/program', null, 'There is no program /no/such/program on this machine.'],
  ['/etc/passwd', null, 'The user that runs Holdfast may not run /etc/passwd.'],
  [
    '/bin/sh',
    '/no/such/folder',
    expect.stringContaining("The project's folder /no/such/folder is not on this machine."),
  ],
  ['bad\0name', null, expect.stringContaining('could not be started')],
])('[CO4] what cannot be started says why in words: %j in %j', async (command, folder, words) => {
  const failure = await startAgent({ command, folder }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(CannotStart)
  expect((failure as CannotStart).message).toEqual(words)
})

test('[CO4] an agent that ends at once is known by its birth, and its last words are heard', async () => {
  const { agent, exit, output } = await startAgent(script('echo out; echo err >&2; exit 3'))
  expect(await exit).toEqual({ exitCode: 3, signal: null })
  expect(agent.birth).not.toBe('')
  expect(output().split('\n').toSorted()).toEqual(['', 'err', 'out'])
})

test('[SE7] the output of an agent is masked: its token, the values of its entry, and what looks like a secret', async () => {
  const { output, exit } = await startAgent({
    ...script(
      'echo "$HOLDFAST_LAUNCH_TOKEN $KEY sk-abcdefghijklmnopqrstuv plain"; printf "%s" "$KEY"; sleep 0.1; echo "$KEY"',
    ),
    env: { KEY: 'correct horse battery' },
  })
  await exit
  expect(output()).toBe('[masked] [masked] [masked] plain\n[masked][masked]\n')
})

test('[SE7] a secret that is written in two halves is masked when the line is whole', async () => {
  const { output, exit } = await startAgent({
    ...script('printf "key: correct ho"; sleep 0.3; echo "rse battery"'),
    env: { KEY: 'correct horse battery' },
  })
  await exit
  expect(output()).toBe('key: [masked]\n')
})

test.each(['correcthorsebattery', 'correct horse battery', 'line one\nline two'])(
  '[SE7] what is left of a secret where a flood was cut is not shown: %j',
  (secret) => {
    const clock = manualClock()
    const pieces: string[] = []
    const output = new AgentOutput({
      clock,
      secrets: new KnownSecrets([secret]),
      onPiece: (text) => pieces.push(text),
    })
    const [stream, half] = [new PassThrough(), secret.length / 2]
    output.read(stream)
    // The first half goes with what is too much, the second begins what is kept.
    stream.emit('data', Buffer.from(`${'x'.repeat(64 * 1024)} ${secret.slice(0, half)}`))
    stream.emit('data', Buffer.from(`${secret.slice(half)} next\nand ${secret} too\n`))
    clock.advance(1000)
    expect(pieces.join('')).toMatch(/left out\](?:\nnext)?\nand \[masked\] too\n$/)
  },
)

test('[RE9] an agent that floods is not held up, and costs a piece a second', async () => {
  const bytes = 300_000_000
  const { pieces, exit, output } = await startAgent({
    command: process.execPath,
    args: [
      '-e',
      `const piece = 'line of noise\\n'.repeat(5000)
      for (let left = ${bytes}; left > 0; left -= piece.length) require('fs').writeSync(1, piece)
      require('fs').writeSync(1, 'the end\\n')`,
    ],
  })
  const startedAt = performance.now()
  expect(await exit).toEqual({ exitCode: 0, signal: null })
  const seconds = (performance.now() - startedAt) / 1000
  expect(pieces.length).toBeLessThanOrEqual(seconds + 2)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(16 * 1024)
  expect(output().endsWith('line of noise\nthe end\n')).toBe(true)
  expect(output()).toContain('was left out')
})

test('[CO5] when it goes by itself, what it has started goes too, and its exit is told at once', async () => {
  const { exit, output, agent } = await startAgent(
    script('sh -c \'trap "" TERM; echo $$; while :; do sleep 0.05; done\' & sleep 0.2; exit 4'),
  )
  expect(await exit).toEqual({ exitCode: 4, signal: null })
  const child = Number(output())
  expect(isRunning(child)).toBe(true)
  agent.kill()
  expect(await agent.gone).toEqual([])
  expect(isRunning(child)).toBe(false)
})

test('[CO2] stopping one ends it and touches no other', async () => {
  const [first, second] = [
    await startAgent(script('echo up; exec sleep 1000')),
    await startAgent(script('echo up; exec sleep 1000')),
  ]
  await Promise.all([first.wrote('up'), second.wrote('up')])
  first.agent.stop()
  expect(await first.exit).toEqual({ exitCode: null, signal: 'SIGTERM' })
  await first.agent.gone
  expect(isRunning(second.agent.pid)).toBe(true)
})

test('[CO5] an agent over ACP is first told by the end of its input, and signalled when it ignores that', async () => {
  const acp = {
    workspace: null,
    loadAcpSessionId: null,
    lastOpenedAt: null,
    contextId: 'first',
    startWithinMs: 1,
    turnWithinMs: 1,
  }
  const started = async (text: string) => {
    const agent = await startAgent({
      ...script(`trap 'echo signalled >&2; exit 1' TERM; echo up >&2; ${text}`),
      protocol: 'acp',
      acp,
    })
    await agent.wrote('up')
    agent.agent.stop()
    // Stopping it again changes nothing.
    agent.agent.stop()
    return { exit: await agent.exit, output: agent.output() }
  }
  expect(await started('cat; echo gone >&2')).toEqual({
    exit: { exitCode: 0, signal: null },
    output: 'up\ngone\n',
  })
  // The shell may tell of the end of its sleep, too.
  expect(await started('while :; do sleep 0.02; done')).toEqual({
    exit: { exitCode: 1, signal: null },
    output: expect.stringMatching(/^up\n[\s\S]*signalled\n$/),
  })
})
