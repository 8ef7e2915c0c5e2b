/**
 * Whose the transcripts of sandboxed agents are, with real processes. Where this machine can run no
 * sandbox, nothing is tested inside.
 */
import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { SandboxMode } from '../../../src/domain/agents/isolation.ts'
import { probeSandbox } from '../../../src/platform/processes/sandbox-probe.ts'
import type { TranscriptOwner } from '../../../src/protocol/processes/link.ts'
import { makeScene, runInScene, type Scene } from '../../faults/escapes/scene.ts'
import { startCoordinator, startLinkServer } from '../../support/coordinator.ts'
import { makeRepository } from '../../support/git-repository.ts'
import { hostile } from '../../support/hostile-agent.ts'

const { works, problem } = await probeSandbox(process.env)
if (!works)
  process.stderr.write(`no sandbox on this machine, so nothing is tested inside: ${problem}\n`)

const ownerOf = (id: string, ...acpSessions: string[]): TranscriptOwner => ({ id, acpSessions })
const [ada, ben, team] = ['person-ada', 'person-ben', 'project-p1']

interface Home {
  readonly place: Scene
  put(name: string, text: string): void
  textOf(name: string): string
  /** As the known agent of this name, for one owner. */
  as(
    agent: string,
    owner: TranscriptOwner,
    script: string,
    mode?: SandboxMode,
    state?: readonly string[],
  ): Promise<string>
}

async function home(): Promise<Home> {
  const place = await makeScene()
  onTestFinished(() => place.close())
  const at = (name: string): string => join(place.home, name)
  return {
    place,
    put(name, text) {
      mkdirSync(dirname(at(name)), { recursive: true })
      writeFileSync(at(name), text)
    },
    textOf: (name) => readFileSync(at(name), 'utf8'),
    async as(agent, owner, script, mode = 'workplace', state = []) {
      const allow = { folders: [], hosts: [], state: state.map(at) }
      const command = join(place.root, 'tools', agent)
      mkdirSync(dirname(command), { recursive: true })
      writeFileSync(command, '#!/bin/sh\nexec /bin/sh "$@"\n', { mode: 0o755 })
      return (await runInScene(place, mode, `cd "$HOME"\n${script}`, { command, owner, allow }))
        .output
    },
  }
}

test('[SB12] the transcripts that one person’s agent writes are read by nobody else’s; the settings and the sign-in stay shared', async () => {
  if (!works) return
  const { put, textOf, as } = await home()
  const [old, other] = [randomUUID(), randomUUID()]
  for (const id of [old, other]) put(`.claude/projects/-p/${id}.jsonl`, `said in ${id}\n`)
  put(`.claude/projects/-p/${other}/subagents/agent-1.jsonl`, 'said by a sub-agent\n')
  put('.claude/history.jsonl', 'typed in a terminal\n')
  put('.claude/.credentials.json', 'token-1\n')
  const all = 'cat $(find .claude -name "*.jsonl" | sort)'
  // Ada's begins with the session that a conversation of hers names.
  const write =
    'echo "said by ada" > .claude/projects/-p/new.jsonl; echo "typed by ada" >> .claude/history.jsonl'
  expect(
    await as(
      'claude',
      ownerOf(ada, old),
      `${all}; ${write}; echo token-2 > .claude/.credentials.json`,
    ),
  ).toBe(`said in ${old}\n`)
  for (const [owner, mode] of [
    [ownerOf(ben), 'workplace'],
    [ownerOf(ben), 'strict'],
    [ownerOf(team), 'strict'],
  ] as const)
    expect(
      await as(
        'claude',
        owner,
        `cat .claude/.credentials.json; ${all}; grep -rs ada . | wc -l`,
        mode,
      ),
    ).toBe('token-2\n0\n')
  // Once begun it is what the owner made of it.
  const again = await as('claude', ownerOf(ada, old, other), all)
  expect(again.trim().split('\n').sort()).toEqual(['said by ada', `said in ${old}`, 'typed by ada'])
  // The machine's own is as it was.
  expect(textOf('.claude/history.jsonl')).toBe('typed in a terminal\n')
  expect(textOf('.claude/.credentials.json')).toBe('token-2\n')
  expect(textOf(`.claude/projects/-p/${other}.jsonl`)).toBe(`said in ${other}\n`)
})

test('[SB12] where a database is beside the sign-in the folder is the owner’s, and begins with the rows of its sessions', async () => {
  if (!works) return
  const { place, put, textOf, as } = await home()
  put('.codex/auth.json', 'codex-token\n')
  put('.codex/state_5.sqlite', 'of others')
  expect(
    await as('codex', ownerOf(ada), 'cat .codex/auth.json; ls .codex; echo new > .codex/auth.json'),
  ).toBe('codex-token\nauth.json\n')
  expect(textOf('.codex/auth.json')).toBe('new\n')

  put('.local/share/opencode/auth.json', 'opencode-token\n')
  const data = new DatabaseSync(join(place.home, '.local/share/opencode/opencode.db'))
  data.exec(`pragma journal_mode = wal;
    create table project (id text primary key, worktree text); create table session (id text primary key, project_id text, title text);
    create table message (id text primary key, session_id text references session(id), data text);
    create table credential (id text primary key, value text); create table migration (id text primary key);
    create index message_of on message (session_id);
    insert into project values ('p', '/here'), ('q', '/elsewhere'); insert into migration values ('1');
    insert into session values ('ses_a', 'p', 'of ada'), ('ses_b', 'q', 'of ben');
    insert into message values ('1', 'ses_a', 'said by ada'), ('2', 'ses_b', 'said by ben'); insert into credential values ('1', 'key')`)
  const look =
    'cat .local/share/opencode/auth.json; grep -ac "ben\\|elsewhere\\|key1" .local/share/opencode/opencode.db'
  expect(await as('opencode', ownerOf(ada, 'ses_a'), look)).toBe('opencode-token\n0\n')
  data.close()
  const copy = join(
    place.data,
    'transcripts/person-ada/opencode/.local%2Fshare%2Fopencode/opencode.db',
  )
  const own = new DatabaseSync(copy)
  const rows = (table: string): unknown[] =>
    own
      .prepare(`select * from ${table}`)
      .all()
      .map((row) => Object.values(row).join(' '))
  expect(['project', 'session', 'message', 'credential', 'migration'].map(rows)).toEqual([
    ['p /here'],
    ['ses_a p of ada'],
    ['1 ses_a said by ada'],
    [],
    ['1'],
  ])
  own.close()
  expect(await as('opencode', ownerOf(ben), 'ls .local/share/opencode')).toBe('auth.json\n')
})

test('[SB14] an agent that nobody knows has a home of its own, kept between processes, for each owner', async () => {
  if (!works) return
  const { place, as } = await home()
  expect(
    await as('unheard-of', ownerOf(ada), 'ls -A; mkdir -p .thing; echo kept > .thing/state'),
  ).toBe('')
  expect(await as('unheard-of', ownerOf(ada), 'cat .thing/state', 'strict')).toBe('kept\n')
  expect(await as('unheard-of', ownerOf(ben), 'ls -A')).toBe('')
  expect(existsSync(join(place.home, '.thing'))).toBe(false)
})

test('[SB14] the home of an unknown agent begins with copies of what is named of the account’s home, once, and with nothing else', async () => {
  if (!works) return
  const { place, put, textOf, as } = await home()
  put('.thing/config', 'chosen\n')
  put('.thing/deep/er/key', 'key\n')
  put('.thing.json', '{}\n')
  put('.thing-cache/large', 'not named\n')
  symlinkSync(join(place.home, '.ssh'), join(place.home, '.thing/link'))
  const state = ['.thing', '.thing/deep', '.thing.json']
  const look =
    'ls -A; cat .thing/config .thing/deep/er/key .thing.json; cat .thing/link/id_rsa || echo NO-LINK'
  const begun = '.thing\n.thing.json\nchosen\nkey\n{}\nNO-LINK\n'
  expect(
    await as(
      'unheard-of',
      ownerOf(ada),
      `(${look}) 2>/dev/null; echo its own > .thing/config`,
      'workplace',
      state,
    ),
  ).toBe(begun)
  expect(textOf('.thing/config')).toBe('chosen\n')
  // Once begun it is what the owner's agent made of it; another owner's begins for itself.
  put('.thing/config', 'changed\n')
  expect(await as('unheard-of', ownerOf(ada), 'cat .thing/config', 'workplace', state)).toBe(
    'its own\n',
  )
  expect(await as('unheard-of', ownerOf(ben), 'cat .thing/config', 'strict', state)).toBe(
    'changed\n',
  )
})

test('[AG17] in a sandbox it is the agent that it answered to be, not the one its file is named after', async () => {
  if (!works) return
  const { place, put } = await home()
  put('.gemini/settings.json', 'of gemini\n')
  const [own, qwen] = [join(place.root, 'tools/gemini'), join(place.root, 'tools/qwen')]
  mkdirSync(dirname(own))
  for (const path of [own, qwen])
    writeFileSync(path, '#!/bin/sh\nexec /bin/sh "$@"\n', { mode: 0o755 })
  const seen = async (command: string, name?: string): Promise<string> => {
    const agentInfo = name === undefined ? {} : { agentInfo: { name, version: '1' } }
    return (
      await runInScene(place, 'workplace', 'cd; ls -A', {
        command,
        owner: ownerOf(ada),
        ...agentInfo,
      })
    ).output
  }
  expect(await seen(own)).toBe('.gemini\n')
  expect(await seen(own, 'something-else')).toBe('')
  expect(await seen('/bin/sh', 'gemini-cli')).toBe('.gemini\n')
  // Nobody knows what this one answers.
  expect(await seen(qwen, 'something-else')).toBe('.qwen\n')
})

test('[SB14] with what it cannot begin with a home is not made, and the start fails in words', async () => {
  if (!works) return
  const { place, put, as } = await home()
  symlinkSync(join(place.home, '.ssh'), join(place.home, '.link'))
  put('.large/file', '')
  truncateSync(join(place.home, '.large/file'), 257 * 1024 ** 2)
  for (const file of ['.holdfast/secrets/owner-token', '.holdfast/holdfast.db'])
    put(file, 'secret\n')
  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /never with all of it/],
    ['../elsewhere/file', /it can with what lies in/],
    ['../data/secrets', /it can with what lies in/],
    ['.holdfast/secrets', /data of a server/],
    ['.missing', /it is not there/],
    ['.link', /is a link or behind one/],
    ['.link/id_rsa', /is a link or behind one/],
    ['.large', /more than 256 MB or 20000 files/],
  ]
  for (const [name, words] of refused)
    await expect(
      as('unheard-of', ownerOf(ada), 'ls -A', 'workplace', ['.gemini', name]),
    ).rejects.toThrow(words)
  expect(await as('unheard-of', ownerOf(ada), 'ls -A', 'workplace', ['.netrc'])).toBe('.netrc\n')
})

test('[SB12] a file named after the beginning of an id is taken by what it says; a link in the place is refused in words', async () => {
  if (!works) return
  const { place, put, as } = await home()
  const [own, other] = [
    '83390844-1111-4111-8111-111111111111',
    '83390844-2222-4222-8222-222222222222',
  ]
  put('.gemini/tmp/work/chats/session-2026-11-18T22-22-83390844.jsonl', `{"sessionId":"${own}"}\n`)
  put(
    '.gemini/tmp/work/chats/session-2026-11-18T22-23-83390844.jsonl',
    `{"sessionId":"${other}"}\n`,
  )
  put('.gemini/tmp/work/logs.json', 'typed by all\n')
  expect(await as('gemini', ownerOf(ada, own), 'cat $(find .gemini/tmp -type f)')).toBe(
    `{"sessionId":"${own}"}\n`,
  )
  rmSync(join(place.home, '.gemini/tmp'), { recursive: true })
  symlinkSync(place.root, join(place.home, '.gemini/tmp'))
  await expect(as('gemini', ownerOf(ben), 'true')).rejects.toThrow(/\.gemini\/tmp is a link/)
  expect(existsSync(join(place.data, 'transcripts/person-ben'))).toBe(false)
})

test('[SB12] a process that is one owner’s opens no conversation of another: it says so, and the turn did not run', async () => {
  if (!works) return
  const server = await startLinkServer()
  startCoordinator(server)
  const { file: command, args } = hostile({ onPrompt: "say('ran'); done()" })
  const acp = {
    workspace: null,
    loadAcpSessionId: null,
    lastOpenedAt: null,
    contextId: 'first',
    startWithinMs: 60_000,
    turnWithinMs: 60_000,
  }
  const allow = { folders: [], hosts: [] }
  const isolation = {
    sandbox: 'workplace',
    allow,
    wrapper: null,
    gateway: null,
    command,
    owner: ownerOf(ada),
  } as const
  const folder = makeRepository().folder
  const launchId = server.order({
    protocol: 'acp',
    command,
    args: [...args],
    folder,
    acp,
    isolation,
  })
  await server.until(() => server.factsOf(launchId, 'agent-ready').length > 0)
  const open = { acpSessionId: null, lastOpenedAt: null, primer: null, news: null }
  for (const owner of [ben, ada])
    server.orderTurn(launchId, owner, 'go', {
      context: { contextId: owner, open: { ...open, owner } },
    })
  await server.until(() => server.factsOf(launchId, 'turn-ended').length === 2)
  const ended = server.factsOf(launchId, 'turn-ended').map((fact) => ('turnId' in fact ? fact : {}))
  expect(ended.find((each) => 'turnId' in each && each.turnId === ben)).toMatchObject({
    notRun: 'no_context',
    error: expect.stringContaining('transcripts of another user'),
  })
  expect(ended.find((each) => 'turnId' in each && each.turnId === ada)).toMatchObject({
    outcome: 'answered',
  })
})
