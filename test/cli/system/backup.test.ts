import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { ownerId } from '../../../src/domain/access/caller.ts'
import { prepareDataFolder } from '../../../src/platform/files/data-folder.ts'
import { lockDataFolder } from '../../../src/platform/files/data-lock.ts'
import { writeRunFile } from '../../../src/platform/files/run-file.ts'
import { createAgent } from '../../../src/services/agents/change-agent.ts'
import { createProject } from '../../../src/services/projects/change-project.ts'
import { runCommand, type Typed } from '../../support/command-line.ts'
import { sealedEnvironment } from '../../support/seals.ts'
import { openTestStore } from '../../support/store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const at = (data: string, typed: Typed = {}): Typed => ({
  ...typed,
  env: { HOLDFAST_DATA: data, HOLDFAST_PORT: '0', ...typed.env },
})

/** A data folder with projects of these names, its store closed again. */
async function folderWith(...names: string[]): Promise<string> {
  const folder = temporaryFolder()
  const { store } = await openTestStore({ folder })
  for (const name of names) await store.run(createProject, { name, by: ownerId })
  await store.close()
  return folder
}

async function backupOf(...names: string[]): Promise<string> {
  const file = join(temporaryFolder(), 'x.backup')
  const { code } = await runCommand(['backup', file], at(await folderWith(...names)))
  expect(code).toBe(0)
  return file
}

function projectsIn(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true })
  const names = database.prepare('select name from projects order by name').all()
  database.close()
  return names.map((row) => String(row['name']))
}

test('[RE10] a backup of an open store says where it is, its size and its events', async () => {
  const { store, folder } = await openTestStore()
  await store.run(createProject, { name: 'kept', by: ownerId })
  const cwd = temporaryFolder()
  const made = await runCommand(['backup', '--json'], at(folder, { cwd }))
  expect(made.code).toBe(0)
  const [name = ''] = readdirSync(cwd)
  expect(name).toMatch(/^holdfast-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.backup$/)
  const file = join(cwd, name)
  expect(made.json()).toMatchObject({
    file,
    bytes: statSync(file).size,
    events: 2,
    projects: 1,
    verified: true,
  })
  expect(projectsIn(file)).toEqual(['kept'])

  const words = await runCommand(['backup', 'again.backup'], at(folder, { cwd }))
  expect(words.stdout).toMatch(
    /^✓ Backed up, and checked\n +File +\S+again\.backup\n +Size +[\d.]+ MB\n +Holds +2 events, 1 project\n/,
  )
  const twice = await runCommand(['backup', 'again.backup'], at(folder, { cwd }))
  expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining('is there already')])
})

test('[CL2] on a terminal a backup says what it is doing, and wipes it', async () => {
  const { stderr } = await runCommand(
    ['backup'],
    at(await folderWith('p'), { cwd: temporaryFolder(), terminal: true }),
  )
  expect(stderr).toContain('Copying and checking')
  expect(stderr.lastIndexOf('\r\u001b[K')).toBeGreaterThan(stderr.lastIndexOf('Copying'))
})

test('[CL2] a backup of or into nothing says what to do and leaves nothing', async () => {
  const empty = temporaryFolder()
  const nothing = await runCommand(['backup', join(empty, 'b')], at(empty))
  expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('--data')])
  expect(readdirSync(empty)).toEqual([])
  const nowhere = await runCommand(['backup', join(empty, 'no', 'b')], at(await folderWith('p')))
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('There is no folder')])
})

test('[RE10] a restore into an empty folder is its owner’s, with a new incarnation', async () => {
  const file = await backupOf('a', 'b')
  const data = join(temporaryFolder(), 'new')
  const { code, stdout } = await runCommand(['restore', file, '--yes'], at(data))
  expect(code).toBe(0)
  expect(stdout).toMatch(/Holds +4 events, 2 projects\n/)
  expect(stdout).toMatch(/Incarnation +[0-9a-f-]{36} \(new/)
  expect(stdout).toMatch(/Before +nothing was there/)
  for (const name of ['holdfast.db', 'run/lock.db'])
    expect([name, statSync(join(data, name)).mode & 0o777]).toEqual([name, 0o600])
})

test('[SE12] a backup holds no key and says where it is; a restore asks for it', async () => {
  const { store, folder } = await openTestStore()
  const env = sealedEnvironment({ OPENAI_API_KEY: 'sk-live', ORG: 'mine' })
  await store.run(createAgent, { id: 'codex', name: 'Codex', protocol: 'acp', env, by: ownerId })
  const file = join(temporaryFolder(), 'x.backup')
  const made = await runCommand(['backup', file], at(folder))
  expect(made.stderr).toContain(join(folder, 'secrets', 'sealing-key'))
  const data = temporaryFolder()
  const key = join(data, 'secrets', 'sealing-key')
  const { stderr } = await runCommand(['restore', file, '--yes'], at(data))
  expect(stderr).toContain('they cannot be started: codex (OPENAI_API_KEY, ORG).')
  expect(stderr).toContain(`Put it in ${key} before you start`)
  expect(stderr).toContain('`holdfast agents edit codex --env OPENAI_API_KEY --env ORG`')
  const lacking = (await runCommand(['restore', file, '--yes', '--json'], at(data))).json()
  expect(lacking.agentsWithoutKeys).toEqual([
    { id: 'codex', name: 'Codex', variables: ['OPENAI_API_KEY', 'ORG'] },
  ])
  const named = join(temporaryFolder(), 'key')
  writeFileSync(named, Buffer.alloc(32, 7).toString('base64'))
  const whole = await runCommand(
    ['restore', file, '--yes', '--json'],
    at(data, { env: { HOLDFAST_SEALING_KEY_FILE: named } }),
  )
  expect(whole.json().agentsWithoutKeys).toEqual([])
})

test('[RE10] what is there is kept beside with a date, or lost only if that was said', async () => {
  const file = await backupOf('from the backup')
  const data = await folderWith('old', 'older')
  const kept = await runCommand(['restore', file, '--yes', '--json'], at(data))
  expect(kept.code).toBe(0)
  expect(kept.stderr).toContain('What is there now: 4 events, 2 projects')
  expect(kept.json().keptAt).toMatch(/holdfast\.db\.before-restore-\d{17}$/)
  expect(kept.json()).toMatchObject({ before: { events: 4, projects: 2 }, filesMayHoldMore: false })
  expect(kept.stderr).not.toContain('rebuild')
  expect([projectsIn(kept.json().keptAt), projectsIn(join(data, 'holdfast.db'))]).toEqual([
    ['old', 'older'],
    ['from the backup'],
  ])

  const other = await folderWith('gone')
  // CK4: they may be all that is left of what came after the backup.
  mkdirSync(join(other, 'conversations'))
  const replaced = await runCommand(['restore', file, '--replace', '--yes', '--json'], at(other))
  expect(replaced.stderr).toContain('LOST')
  expect(replaced.stderr).toContain('To keep it, run `holdfast rebuild` first')
  expect(replaced.json()).toMatchObject({ keptAt: null, filesMayHoldMore: true })
  expect(readdirSync(other).filter((name) => name.includes('before'))).toEqual([])
  expect(projectsIn(join(other, 'holdfast.db'))).toEqual(['from the backup'])
})

test('[CL2] a restore asks once on a terminal, and needs --yes without one', async () => {
  const file = await backupOf('new')
  const data = await folderWith('old')
  const no = await runCommand(['restore', file], at(data, { terminal: true, input: 'n\n' }))
  expect([no.code, no.stdout]).toEqual([1, ''])
  expect(no.stderr).toContain('What is there now: 2 events, 1 project')
  expect(await runCommand(['restore', file], at(data, { input: 'y\n' }))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  })
  expect(projectsIn(join(data, 'holdfast.db'))).toEqual(['old'])
  expect(
    (await runCommand(['restore', file], at(data, { terminal: true, input: 'y\n' }))).code,
  ).toBe(0)
  expect(projectsIn(join(data, 'holdfast.db'))).toEqual(['new'])
})

test('[CF2] a folder that a server uses is not restored into, said or not', async () => {
  const file = await backupOf('new')
  const data = await folderWith('old')
  await prepareDataFolder(data, () => {})
  const lock = lockDataFolder(data)
  const locked = await runCommand(['restore', file, '--yes'], at(data))
  expect([locked.code, locked.stderr]).toEqual([1, expect.stringContaining(`pid ${process.pid}`)])
  lock.release()
  await writeRunFile(data, {
    pid: process.pid,
    url: 'http://127.0.0.1:1',
    startedAt: '2026-03-01T09:00:00.000Z',
    version: '0',
  })
  const running = await runCommand(['restore', file, '--yes'], at(data))
  expect([running.code, running.stderr]).toEqual([1, expect.stringContaining('Stop it first')])
  expect(projectsIn(join(data, 'holdfast.db'))).toEqual(['old'])
})

test('[RE10] a file that is no backup is refused before anything is asked', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'noise'), 'no database '.repeat(1000))
  mkdirSync(join(folder, 'folder'))
  const live = await openTestStore()
  await live.store.run(createProject, { name: 'only in the log', by: ownerId })
  const data = await folderWith('old')
  for (const [name, exit, said] of [
    ['missing', 2, 'There is no backup'],
    ['folder', 2, 'There is no backup'],
    ['noise', 1, 'no backup of Holdfast’s'],
    [join(live.folder, 'holdfast.db'), 1, 'a database in use'],
  ] as const) {
    const { code, stderr } = await runCommand(['restore', name, '--yes'], at(data, { cwd: folder }))
    expect([name, code, stderr]).toEqual([name, exit, expect.stringContaining(said)])
  }
  expect(projectsIn(join(data, 'holdfast.db'))).toEqual(['old'])
})

test('[RE10] doctor --deep passes what is whole, and lists faults with exit code 1', async () => {
  const { store, folder } = await openTestStore()
  for (const name of ['a', 'b', 'c']) await store.run(createProject, { name, by: ownerId })
  const whole = await runCommand(['doctor', '--deep', '--json'], at(folder))
  expect([whole.code, whole.json().deep.findings]).toEqual([0, []])
  await store.close()

  const database = new DatabaseSync(join(folder, 'holdfast.db'))
  database.exec(
    `delete from events where stream = 'home' and seq = 2; update projects set name = 'other' where name = 'c'`,
  )
  database.close()
  const broken = await runCommand(['doctor', '--deep', '--json'], at(folder))
  expect(broken.code).toBe(1)
  const report = JSON.parse(broken.stdout)
  expect(report.deep.findings).toContainEqual({
    check: 'streams',
    where: expect.stringMatching(/^home 3/),
    what: 'stands where 2 must be',
  })
  expect(report.deep.findings).toContainEqual(expect.objectContaining({ check: 'state' }))
  const words = await runCommand(['doctor', '--deep'], at(folder))
  expect(words.stdout).toMatch(
    /✗ Deep check +\d+ things found in [\d,]+ rows, listed below\n +→ Make a copy/,
  )
  expect(words.stdout).toMatch(/^streams +home 3.* stands where 2 must be$/m)
})

test('[CL3] doctor --deep without a database, or through a server, says what to do', async () => {
  const none = await runCommand(['doctor', '--deep', '--json'], at(temporaryFolder()))
  expect([none.code, JSON.parse(none.stdout).deep]).toEqual([1, null])
  const remote = await runCommand(
    ['doctor', '--deep', '--server', 'http://127.0.0.1:1'],
    at(temporaryFolder()),
  )
  expect([remote.code, remote.stderr]).toEqual([2, expect.stringContaining('--server')])
})
