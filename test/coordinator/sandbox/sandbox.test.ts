/**
 * Agents in a sandbox, with real processes, git and sockets. Where this machine can run none, each
 * test says so and checks that the agent is not started without one. All attempts to get out, as
 * root and as an ordinary user: `npm run test:faults -- --only escapes`.
 */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AgentSandbox } from '../../../src/coordinator/sandbox/agent-sandbox.ts'
import { seccompFilter } from '../../../src/coordinator/sandbox/seccomp.ts'
import { probeSandbox } from '../../../src/platform/processes/sandbox-probe.ts'
import { attempts, escapedIn, scriptOf } from '../../faults/escapes/attempts.ts'
import { makeScene, type RunOptions, runInScene, type Scene } from '../../faults/escapes/scene.ts'
import { tried } from '../../faults/parts/escapes.ts'
import { startCoordinator, startLinkServer } from '../../support/coordinator.ts'
import { makeRepository } from '../../support/git-repository.ts'
import { hostile } from '../../support/hostile-agent.ts'
import { startModelService } from '../../support/model-service.ts'

const ability = await probeSandbox(process.env)

async function scene(): Promise<Scene> {
  const made = await makeScene()
  onTestFinished(() => made.close())
  return made
}

/** Runs it, or shows that it is refused here. */
async function run(
  place: Scene,
  mode: 'workplace' | 'strict',
  script: string,
  options?: RunOptions,
): Promise<string | undefined> {
  const started = runInScene(place, mode, script, options)
  if (ability.works) return (await started).output
  process.stderr.write(
    `no sandbox on this machine, so only the refusal is tested: ${ability.problem}\n`,
  )
  await expect(started).rejects.toThrow(/this machine has none .*Install it: /)
  return undefined
}

test('[SB4] of a small set of attempts to get out none does, in either mode', async () => {
  for (const mode of ['workplace', 'strict'] as const) {
    const place = await scene()
    const chosen = attempts
      .filter(({ name }) => !/outlive|proxy|tunnel|socks/.test(name))
      .filter(({ name }, index) => index % 3 === 0 || /hook|commondir|configuration/.test(name))
    if ((await run(place, mode, scriptOf(place, chosen))) === undefined) return
    expect(escapedIn(place, chosen)).toEqual([])
  }
})

test('[SB6] what is committed and staged in a worktree is seen outside with its branch; other branches and tags are refused', async () => {
  const place = await scene()
  const script = [
    'echo one > one.txt; git add one.txt; git commit -qm "one" && echo COMMITTED',
    'echo two > two.txt; git add two.txt; git log --oneline | head -3; git status --short',
    'git branch other || echo NO-BRANCH; git tag t || echo NO-TAG; git checkout -q main || echo NO-SWITCH',
  ].join('\n')
  const output = await run(place, 'workplace', script)
  if (output === undefined) return
  for (const word of ['COMMITTED', 'A  two.txt', 'NO-TAG']) expect(output).toContain(word)
  expect(place.git(place.worktree, 'log', '--format=%an %s', 'holdfast/u/a')).toBe(
    'Ada one\nAda first',
  )
  expect(place.git(place.worktree, 'status', '--short')).toBe('A  two.txt')
  expect(place.git(place.worktree, 'fsck', '--strict')).not.toContain('missing')
  expect(place.git(place.repository, 'tag')).toBe('')
  expect(place.git(place.repository, 'rev-parse', 'main')).toBe(
    place.git(place.repository, 'rev-parse', 'holdfast/u/b'),
  )
  // What is committed outside meanwhile is there when it is started again.
  place.git(place.worktree, 'commit', '-qm', 'from outside')
  expect(
    await run(place, 'workplace', 'git log --format=%s | head -1; git status --short'),
  ).toContain('from outside\n')
})

test('[SB6] in the project’s own checkout it commits on its branch too, and the history cannot be deleted', async () => {
  const place = await scene()
  const identity =
    'export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b'
  const script = `${identity}; echo x > x.txt; git add x.txt; git commit -qm x && echo COMMITTED; rm -rf .git/objects/* .git/refs/* .git/config 2>/dev/null; true`
  const output = await run(
    place,
    'workplace',
    `${identity}; echo x > x.txt; git add x.txt; git commit -qm x && echo COMMITTED`,
    {
      folder: place.checkout,
    },
  )
  if (output === undefined) return
  expect(output).toContain('COMMITTED')
  expect(place.git(place.checkout, 'log', '--format=%s')).toBe('x\nfirst')
  expect(place.git(place.checkout, 'status', '--short')).toBe('')
  await run(place, 'workplace', script, { folder: place.checkout })
  expect(place.git(place.checkout, 'log', '--format=%s')).toMatch(/first$/)
  expect(place.git(place.checkout, 'fsck')).not.toContain('missing')
})

test('[SB6] damaged objects are not taken over, and the branch stays', async () => {
  const place = await scene()
  // A tree with an entry named `.git` is refused by a strict check.
  const script = [
    'export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b',
    'blob=$(echo evil | git hash-object -w --stdin)',
    'tree=$(printf "100644 .git\\0$(echo $blob | sed "s/../\\\\\\\\x&/g")" >/dev/null; perl -e \'print "100644 .git\\0".pack("H*",shift)\' $blob | git hash-object -t tree --literally -w --stdin)',
    'commit=$(git commit-tree -p HEAD -m evil $tree); git update-ref refs/heads/holdfast/u/a $commit && echo MOVED',
  ].join('\n')
  const output = await run(place, 'workplace', script)
  if (output === undefined) return
  expect(output).toContain('MOVED')
  expect(output).toMatch(/Holdfast: .*damaged/)
  expect(place.git(place.worktree, 'log', '--format=%s', 'holdfast/u/a')).toBe('first')
})

test('[SB5] the endpoints of the launch and allowed hosts are reached; strict reaches no other, not even to look it up', async () => {
  const place = await scene()
  const { serverPort, allowedPort } = place
  const script = `curl -s -m 5 http://127.0.0.1:${serverPort}/mcp; curl -s -m 5 http://127.0.0.1:${allowedPort}/direct; getent hosts localhost.example.test || echo NO-LOOKUP`
  const allow = { folders: [], hosts: [`127.0.0.1:${allowedPort}`] }
  for (const mode of ['workplace', 'strict'] as const) {
    const output = await run(place, mode, script, { allow })
    if (output === undefined) return
    expect(output).toContain('endpoint of the launch')
    expect(output).toContain('the internet /direct')
    expect(output).toContain('NO-LOOKUP')
  }
})

test('[SB14] the output says of a port of this machine how it is allowed, and of a name that nobody knows that', async () => {
  const place = await scene()
  const proxied = 'curl -s -o /dev/null -m 20 --noproxy "" -x http://127.0.0.1:3128'
  const script = `${proxied} http://localhost:${place.otherPort}/; ${proxied} http://model.invalid:8080/`
  const output = await run(place, 'workplace', script)
  if (output === undefined) return
  const command = `holdfast projects assign p1 helper --allow-host 'localhost:${place.otherPort}'`
  expect(output).toContain(
    `localhost:${place.otherPort}, which is a port of this machine; to allow it: ${command}]`,
  )
  expect(output).toContain('model.invalid is not known by that name on this machine')
})

test('[SB3] an agent in a sandbox sees its workplace, its own settings and allowed folders, and what it leaves there stays', async () => {
  const place = await scene()
  const tools = join(place.root, 'tools')
  mkdirSync(tools)
  writeFileSync(join(tools, 'claude'), '#!/bin/sh\nexec /bin/sh "$@"\n', { mode: 0o755 })
  rmSync(join(place.home, '.claude'), { recursive: true })
  const script = `echo kept > "$HOME/.claude/history"; cat ${place.root}/elsewhere/file; echo no > ${place.root}/elsewhere/new || echo READ-ONLY; ls -A "$HOME"; echo t > /tmp/t && cat /tmp/t`
  const options = {
    command: join(tools, 'claude'),
    allow: { folders: [join(place.root, 'elsewhere')], hosts: [] },
  }
  const output = await run(place, 'strict', script, options)
  if (output === undefined) return
  expect(readFileSync(join(place.home, '.claude/history'), 'utf8')).toBe('kept\n')
  expect(output).toContain(place.secret)
  expect(output).toContain('READ-ONLY')
  expect(output).not.toMatch(/\.ssh|\.gemini|\.bashrc/)
  expect(existsSync(join(place.root, 'elsewhere/new'))).toBe(false)
  // The demo agent's talks are its settings.
  writeFileSync(join(tools, 'holdfast'), '#!/bin/sh\nexec /bin/sh "$@"\n', { mode: 0o755 })
  await run(place, 'strict', 'echo a talk > "$HOME/.local/state/holdfast/demo-agent/talk.json"', {
    command: join(tools, 'holdfast'),
  })
  expect(readFileSync(join(place.home, '.local/state/holdfast/demo-agent/talk.json'), 'utf8')).toBe(
    'a talk\n',
  )
})

test('[SB4] the filter is made for both machines and for none that is not known', () => {
  for (const arch of ['x64', 'arm64'])
    expect(seccompFilter(false, arch)?.length).toBeGreaterThan(
      seccompFilter(true, arch)?.length ?? 0,
    )
  expect(seccompFilter(false, 'mips')).toBeUndefined()
})

test('[SB7] a person is asked once for a host and turn, and the answer counts for all of its connections', async () => {
  let turn: string | undefined
  const asked: string[] = []
  const answers = [{ optionId: 'allow' }, { choose: 'deny' } as const, { optionId: 'allow' }]
  const notes: string[] = []
  const allow = { folders: ["/it's"], hosts: ['a.example'], state: ['/home/ada/.b'] }
  const remembered = [createHash('sha256').update('host known.example').digest('hex')]
  const isolation = {
    sandbox: 'strict',
    allow,
    wrapper: null,
    gateway: null,
    command: 'x',
    remembered,
  } as const
  const sandbox = new AgentSandbox({
    particulars: { agentId: 'a', projectId: 'p', isolation },
    runningTurn: () => turn,
    ask: async (turnId, { call, options }) => {
      asked.push(`${turnId} ${call.title} ${options.map(({ kind }) => kind)}`)
      return answers.shift() ?? { choose: 'deny' }
    },
    note: (text) => void notes.push(text),
  })
  const target = { host: 'api.example.com', port: 443 }
  expect(sandbox.explain('It failed.')).toBe('It failed.')
  // Outside a turn it is refused at once, and the person is told once what allows it.
  expect(await sandbox.askHost({ host: 'known.example', port: 443 })).toBe(true)
  for (const host of [target.host, target.host, 'x$(id)'])
    expect(await sandbox.askHost({ host, port: 443 })).toBe(false)
  const command = String.raw`holdfast projects assign p a --allow-folder '/it'\''s' --allow-state '/home/ada/.b' --allow-host 'a.example' --allow-host 'api.example.com'`
  expect(notes).toEqual([
    `outside a turn nobody is asked about api.example.com; to allow it: ${command}`,
  ])
  expect(sandbox.explain('It failed.')).toMatchObject({
    notice: {
      code: 'hostsRefused',
      params: { why: 'It failed.', hosts: 'api.example.com', command },
    },
  })
  turn = 't1'
  // The first turn asks about it.
  sandbox.beginTurn(turn)
  expect(asked).toHaveLength(1)
  expect(
    await Promise.all([sandbox.askHost(target), sandbox.askHost({ ...target, port: 80 })]),
  ).toEqual([true, true])
  expect(await sandbox.askHost({ host: 'other.example.com', port: 443 })).toBe(false)
  expect(await sandbox.askHost({ host: 'other.example.com', port: 443 })).toBe(false)
  turn = 't2'
  sandbox.beginTurn(turn)
  expect(await sandbox.askHost(target)).toBe(true)
  expect(asked).toEqual([
    't1 Reach api.example.com:443 from the sandbox allow_once,reject_once',
    't1 Reach other.example.com:443 from the sandbox allow_once,reject_once',
    't2 Reach api.example.com:443 from the sandbox allow_once,reject_once',
  ])
})

test('[SB7] an agent that asks for a host while it starts is not held, and its failure names the command that allows it', async () => {
  const server = await startLinkServer()
  startCoordinator(server)
  const goes = `const go = () => require('node:http').request({ port: 3128, method: 'CONNECT', path: 'packages.example:443' })
    .on('connect', () => process.exit(3)).on('error', () => setTimeout(go, 20)).end(); go()`
  const { file: command, args } = hostile({ onInitialize: goes })
  const isolation = {
    sandbox: 'strict',
    allow: { folders: [], hosts: [] },
    wrapper: null,
    gateway: null,
    command,
  } as const
  const acp = {
    workspace: null,
    loadAcpSessionId: null,
    lastOpenedAt: null,
    contextId: 'first',
    startWithinMs: 60_000,
    turnWithinMs: 60_000,
  }
  const launchId = server.order({
    protocol: 'acp',
    command,
    args: [...args],
    folder: makeRepository().folder,
    acp,
    isolation,
  })
  await server.until(() => server.factsOf(launchId, 'agent-failed').length > 0)
  const words = /blocked packages\.example in the meantime.*--allow-host 'packages\.example'/
  const error = expect.stringMatching(ability.works ? words : /Install it/)
  expect(server.factsOf(launchId, 'agent-failed')).toMatchObject([{ error }])
})

test('[SB1] a wrapper is put in front of the command, word by word, and runs inside a sandbox', async () => {
  const place = await scene()
  const wrapper = ['/usr/bin/env', 'IN_FRONT=two words']
  const script = 'echo "$IN_FRONT"; cat "$HOME/.netrc"'
  expect((await runInScene(place, 'off', script, { wrapper })).output).toBe(
    `two words\n${place.secret}\n`,
  )
  const output = await run(place, 'workplace', script, { wrapper })
  if (output === undefined) return
  expect(output).toContain('two words')
  expect(output).not.toContain(place.secret)
})

test('[SB3] of the agents installed in the data folder, one sees its own', async () => {
  const place = await scene()
  const [mine, other] = ['mine', 'other'].map((name) => {
    const folder = join(place.data, 'agents', name, 'node_modules/.bin')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), '#!/bin/sh\necho INSTALLED; exec "$@"\n', { mode: 0o755 })
    return join(folder, name)
  })
  const script = `ls ${other} || echo NO-OTHER; ls ${place.data}/secrets || echo NO-SECRETS`
  const output = await run(place, 'workplace', script, { wrapper: [mine ?? ''] })
  if (output === undefined) return
  expect(output).toContain('INSTALLED')
  expect(output).toContain('NO-OTHER')
  expect(output).toContain('NO-SECRETS')
})

/**
 * Asks the model, then counts how often a text is found wherever an agent can read. Output is
 * masked, so only numbers are told.
 */
const askAndSearch = (text: string): string => {
  // The pattern does not match itself in the command line.
  const pattern = `'${text.slice(0, -1)}[${text.at(-1)}]'`
  return [
    `curl -sN -m 20 -H "x-api-key: $ANTHROPIC_API_KEY" -d '{"model":"m","stream":true}' "$ANTHROPIC_BASE_URL/v1/messages" | tail -2`,
    `echo "in processes $(cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | grep -ac ${pattern})"`,
    `echo "in files $(grep -rasl ${pattern} "$HOME" "$PWD" "$(dirname "$PWD")" | wc -l)"`,
  ].join('; ')
}

test('[GW1] [GW2] in every mode a model is reached through the gateway, and its key is nowhere an agent can read', async () => {
  const model = await startModelService()
  onTestFinished(() => model.close())
  const place = await scene()
  const key = `sk-${randomUUID()}`
  const way = { model: { upstream: model.url, key } }
  const modes = ability.works ? (['off', 'workplace', 'strict'] as const) : (['off'] as const)
  for (const mode of modes) {
    const { output } = await runInScene(place, mode, askAndSearch(key), way)
    expect(output).toMatch(/"type":"message_stop"/)
    expect(output).toContain('in processes 0\nin files 0\n')
  }
  expect(model.arrived.map(({ headers }) => headers['x-api-key'])).toEqual(modes.map(() => key))
  // Control: what the agent does have is found.
  const found = (await runInScene(place, 'off', askAndSearch('HOLDFAST_GATEWAY_URL'), way)).output
  expect(found).toMatch(/in processes [1-9]/)
})

test('[SB11] data folders of other servers, what lies beside the program, and inherited descriptors are not there', async () => {
  const place = await scene()
  const shared = join(place.root, 'shared')
  const ofOther = join(shared, 'servers/two/secrets')
  mkdirSync(ofOther, { recursive: true })
  for (const path of [join(shared, 'open'), join(ofOther, 'owner-token')])
    writeFileSync(path, `${place.secret}\n`)
  const chosen = attempts.filter(({ name }) => /data folder|around the program/.test(name))
  const script = `cat ${shared}/open && echo SHOWN; cat ${ofOther}/owner-token 2>/dev/null; ls ${shared}/servers`
  const options = {
    allow: { folders: [shared, join(place.root, 'shared/servers/two/secrets')], hosts: [] },
  }
  const output = await run(place, 'strict', `${script}\n${scriptOf(place, chosen)}`, options)
  if (output === undefined) return
  expect(output.replaceAll(place.secret, 'S')).toBe('S\nSHOWN\ntwo\n')
  expect(escapedIn(place, chosen)).toEqual([])
  const inherited = await tried('strict', undefined, 'inherited')
  expect(inherited).toMatchObject({ attempts: 1, escaped: [], left: 0 })
})
