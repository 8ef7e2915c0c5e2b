/**
 * How the keys of agents are kept: sealed with a key outside of the database, on both engines, with
 * folders of earlier builds and lost keys.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Writable } from 'node:stream'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openSealedStore } from '../../src/compose/open-sealed-store.ts'
import { loadConfig } from '../../src/platform/config/config.ts'
import { databaseFile } from '../../src/platform/files/data-folder.ts'
import { createLogger } from '../../src/platform/log/logger.ts'
import { newSealingKey, Seals } from '../../src/platform/secrets/seals.ts'
import type { ConfigValues } from '../../src/protocol/config.ts'
import { createAgent, sealEnvironments } from '../../src/services/agents/change-agent.ts'
import { findEnvironments } from '../../src/services/agents/queries.ts'
import { migrations } from '../../src/store/migrations/migrations.ts'
import { sqliteDialect } from '../../src/store/sqlite/connection.ts'
import type { Store } from '../../src/store/store.ts'
import { refusalOf } from '../services/agent-sessions/agent-office.ts'
import { openPad, ordered } from '../services/processes/launch-pad.ts'
import { by } from '../services/projects/installation.ts'
import { newPostgresStoreUrl, usePostgres } from '../support/postgres.ts'
import { openPostgres } from '../support/postgres-store.ts'
import { sealedEnvironment, testSeals } from '../support/seals.ts'
import { openTestStore } from '../support/store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

usePostgres()

const plain = 'sk-plain-0123456789abcdef'
const before = 'sk-before-0123456789abcdef'

const openStore = async ({ data: folder, database_url: url }: ConfigValues): Promise<Store> =>
  url ? openPostgres({ url }) : (await openTestStore({ folder })).store

const configOf = (data: string, env: Record<string, string> = {}): ConfigValues =>
  loadConfig({ flags: { data }, env, cwd: '/', logToTerminal: false }).values

async function open(config: ConfigValues) {
  const lines: string[] = []
  const destination = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const logger = createLogger({ level: 'info', format: 'json', destination })
  const opened = await openSealedStore(config, logger, () => openStore(config))
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await opened.store.close()
    isOpen = false
  }
  onTestFinished(close)
  return { ...opened, close, log: () => lines.join('') }
}

const refused = (config: ConfigValues): Promise<{ message: string; next: string }> =>
  open(config).then(
    () => ({ message: 'it was opened', next: '' }),
    (error) => error,
  )

const sealedValues = migrations.find(({ version }) => version === 20)

/**
 * As the build before has left it: plain text in the row, and another in what the database has let
 * go of.
 */
async function folderOfEarlierBuild(): Promise<ConfigValues> {
  const config = configOf(temporaryFolder())
  const store = await openStore(config)
  await store.run(createAgent, {
    id: 'codex',
    name: 'Codex',
    protocol: 'acp',
    env: sealedEnvironment({ OPENAI_API_KEY: 'x' }),
    by,
  })
  await store.close()
  const database = new DatabaseSync(databaseFile(config.data))
  const write = database.prepare("update agents set env = ? where id = 'codex'")
  for (const value of [before, plain])
    write.run(
      JSON.stringify({ OPENAI_API_KEY: value, PAD: 'p'.repeat(value === before ? 9000 : 1) }),
    )
  for (const sql of sealedValues?.statements(sqliteDialect) ?? []) database.exec(sql)
  database.close()
  return config
}

/** Which of these texts some file of the folder holds. */
function foundIn(folder: string, texts: readonly string[]): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(folder, name),
  )
  const bytes = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file))
  return texts.filter((text) => bytes.some((each) => each.includes(text)))
}

test('[SE12] plain values of an earlier build are sealed at start, left in no file', async () => {
  const config = await folderOfEarlierBuild()
  expect(foundIn(config.data, [plain, before])).toEqual([plain, before])
  const { store, seals, log } = await open(config)
  expect(foundIn(config.data, [plain, before])).toEqual([])
  const { agents, plainValues } = await store.query(findEnvironments, {})
  expect(seals.open(agents[0]?.env ?? {})).toEqual({ OPENAI_API_KEY: plain, PAD: 'p' })
  expect(plainValues).toBeUndefined()
  expect(log()).toContain('earlier backups hold agent keys in plain text')
  expect(log()).not.toContain(plain)
  expect(statSync(join(config.data, 'secrets', 'sealing-key')).mode & 0o777).toBe(0o600)
})

test('[SE12] a start cut off between sealing and erasing erases at the next one', async () => {
  const config = await folderOfEarlierBuild()
  const store = await openStore(config)
  const { agents } = await store.query(findEnvironments, {})
  const to = JSON.stringify(sealedEnvironment({ OPENAI_API_KEY: plain }))
  await store.run(sealEnvironments, {
    agents: agents.map(({ id, text }) => ({ id, from: text, to })),
  })
  // What has changed meanwhile stays as it is.
  await store.run(sealEnvironments, {
    agents: agents.map(({ id, text }) => ({ id, from: text, to: '{}' })),
  })
  await store.close()
  expect(foundIn(config.data, [before])).toEqual([before])
  const { store: next } = await open(config)
  expect(foundIn(config.data, [plain, before])).toEqual([])
  expect((await next.query(findEnvironments, {})).agents).toMatchObject([{ text: to }])
})

test('[SE12] a new folder gets a key that the next start finds; a bad one is refused', async () => {
  const config = configOf(temporaryFolder())
  const first = await open(config)
  await first.close()
  const second = await open(config)
  expect(second.seals.keyId).toBe(first.seals.keyId)
  await second.close()
  const file = join(config.data, 'secrets', 'sealing-key')
  writeFileSync(file, 'not a key')
  expect((await refused(config)).message).toContain(`${file} does not hold a sealing key`)
  expect(readFileSync(file, 'utf8')).toBe('not a key')
})

test('[SE12] a key that is named is used and never made; the folder gets none', async () => {
  const folder = temporaryFolder()
  const named = join(folder, 'key')
  const config = configOf(join(folder, 'data'), { HOLDFAST_SEALING_KEY_FILE: named })
  expect((await refused({ ...config, data: temporaryFolder() })).message).toContain(
    `${named} cannot be read (ENOENT)`,
  )
  expect(existsSync(named)).toBe(false)
  writeFileSync(named, `${newSealingKey()}\n`)
  const data = temporaryFolder()
  await open({ ...config, data })
  expect(existsSync(join(data, 'secrets', 'sealing-key'))).toBe(false)
})

test('[SE12] with the key lost, the start names the agents that lack theirs', async () => {
  const config = await folderOfEarlierBuild()
  await (await open(config)).close()
  rmSync(join(config.data, 'secrets', 'sealing-key'))
  const { log, close } = await open(config)
  const warning = log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find(({ agentId }) => agentId === 'codex')
  expect(warning).toMatchObject({
    variables: ['OPENAI_API_KEY', 'PAD'],
    msg: expect.stringContaining('sealed with a different key'),
  })
  await close()
})

test('[SE12] an agent whose variables cannot be opened fails to start and says why', async () => {
  const { store, clock } = await openTestStore()
  const pad = await openPad(store, clock, undefined, new Seals(Buffer.alloc(32, 9)))
  await pad.openPanel()
  const { launchId } = await ordered(pad)
  expect(await refusalOf(pad.coordinator.take(launchId))).toMatchObject({
    code: 'launch_withdrawn',
  })
  expect(await pad.process(launchId)).toMatchObject({
    state: 'ended',
    reason: 'start_failed',
    detail: expect.stringMatching(
      /^KEY of .* cannot be opened: they were sealed with a different key/,
    ),
  })
})

test('[SE12] a PostgreSQL node with another key, or none, is refused in words', async () => {
  const url = await newPostgresStoreUrl()
  const node = () => ({ ...configOf(temporaryFolder()), database_url: url })
  const first = node()
  await (await open(node())).close()
  const { seals, store } = await open(first)
  await store.run(createAgent, {
    name: 'a',
    protocol: 'acp',
    env: { KEY: seals.seal('KEY', plain) },
    by,
  })
  const none = node()
  expect(await refused(none)).toMatchObject({
    message: expect.stringContaining('sealed with a key that this node does not have; it has none'),
    next: expect.stringContaining('HOLDFAST_SEALING_KEY_FILE'),
  })
  expect(existsSync(join(none.data, 'secrets', 'sealing-key'))).toBe(false)
  const another = join(temporaryFolder(), 'key')
  writeFileSync(another, newSealingKey())
  expect((await refused({ ...node(), sealing_key_file: another })).message).toContain(
    'it has another',
  )
  const same = await open({
    ...node(),
    sealing_key_file: join(first.data, 'secrets', 'sealing-key'),
  })
  expect(same.seals.keyId).toBe(seals.keyId)
  // A node that came while nothing was sealed seals nothing that the others could not open.
  const foreign = {
    name: 'b',
    protocol: 'acp',
    env: sealedEnvironment({ KEY: plain }),
    by,
  } as const
  expect(await refusalOf(store.run(createAgent, foreign))).toMatchObject({ code: 'wrong_state' })
})

test('[SE12] on PostgreSQL plain values are sealed once, also by two nodes at once', async () => {
  const url = await newPostgresStoreUrl()
  const config = { ...configOf(temporaryFolder()), database_url: url }
  const first = await open(config)
  await first.store.run(createAgent, {
    name: 'a',
    protocol: 'acp',
    env: { KEY: first.seals.seal('KEY', 'x') },
    by,
  })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('update agents set env = $1', [JSON.stringify({ KEY: plain })])
  await first.close()
  const fileOf = async () =>
    (await client.query("select pg_relation_filenode('agents') as file")).rows[0].file
  const was = await fileOf()
  const nodes = await Promise.all([open(config), open(config)])
  for (const { seals, store } of nodes) {
    const { agents, plainValues } = await store.query(findEnvironments, {})
    expect([seals.open(agents[0]?.env ?? {}), plainValues]).toEqual([{ KEY: plain }, undefined])
  }
  expect(await fileOf()).not.toBe(was)
  expect(testSeals.keyId).not.toBe(nodes[0].seals.keyId)
})
