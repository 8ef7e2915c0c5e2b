import { chmodSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkNode } from '../../../src/cli/system/doctor.ts'
import { createProject } from '../../../src/services/projects/change-project.ts'
import { importApproaches } from '../../../src/services/work/change-approach.ts'
import { openInstallation, runCommand } from '../../support/command-line.ts'
import { playCoordinator } from '../../support/played-coordinator.ts'
import { openTestStore } from '../../support/store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

interface Check {
  readonly name: string
  readonly state: string
  readonly detail: string
  readonly next?: string
}

const examine = async (
  env: Record<string, string>,
  cwd = '/',
): Promise<{ code: number; of: (name: string) => Check | undefined }> => {
  const { code, stdout } = await runCommand(['doctor', '--json'], { env, cwd })
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  return { code, of: (name) => checks.find((check) => check.name === name) }
}

test('[CL3] doctor checks Node, git, folder, port and database without a server', async () => {
  const data = join(temporaryFolder(), 'new')
  const { code, of } = await examine({ HOLDFAST_DATA: data, HOLDFAST_PORT: '0' })
  expect(code).toBe(0)
  expect(
    ['Node', 'git', 'Configuration', 'Data folder', 'Port', 'Database'].map(
      (name) => of(name)?.state,
    ),
  ).toEqual(Array(6).fill('good'))
  expect(of('Server')).toMatchObject({
    state: 'warning',
    next: expect.stringContaining('holdfast up'),
  })
  expect(() => readdirSync(data)).toThrow('ENOENT')
})

test('[SE20] a git is named that is newer than the one that traps were tried with', async () => {
  const bin = temporaryFolder()
  const gitThatSays = (version: string): void =>
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho git version ${version}\n`, { mode: 0o755 })
  const env = {
    HOLDFAST_DATA: join(temporaryFolder(), 'new'),
    HOLDFAST_PORT: '0',
    PATH: `${bin}:${process.env['PATH']}`,
  }
  gitThatSays('2.55.1')
  expect((await examine(env)).of('git')).toMatchObject({ state: 'good', detail: '2.55.1' })
  gitThatSays('2.56.0')
  expect((await examine(env)).of('git')).toMatchObject({
    state: 'warning',
    detail: '2.56.0 is newer than 2.55',
    next: expect.stringContaining('Look for a newer Holdfast'),
  })
})

test('[CL3] doctor checks store, credential and agents’ programs with a server', async () => {
  const { holdfast, server } = await openInstallation()
  await holdfast(['agents', 'add', 'there', '--', process.execPath])
  await holdfast(['agents', 'add', 'missing', '--', 'no-such-program-anywhere'])
  await holdfast(['agents', 'add', 'pulls', '--protocol', 'mcp'])
  await holdfast(['agents', 'add', 'ours', '--protocol', 'mcp', '--', 'holdfast', 'demo-mcp'])
  const { code, stdout, stderr } = await holdfast(['doctor'])
  expect(code).toBe(1)
  expect(stdout).toMatch(/✓ Store +can be read and written/)
  expect(stdout).toMatch(/✓ Credential +Owner \(owner\)/)
  expect(stdout).toMatch(/✓ Agent there/)
  expect(stdout).toMatch(/✓ Agent ours +holdfast demo-mcp/)
  expect(stdout).toMatch(/✓ Agent pulls +started by others/)
  expect(stdout).toMatch(
    /✗ Agent missing +no-such-program-anywhere is not on this machine\n +→ Install it/,
  )
  expect(stdout).toMatch(/! Server +running at .*version 0\.0\.0-test/)
  expect(stderr).toContain('One thing is wrong.')
  // Agents that are started on another machine are not looked for on this one.
  const machine = await playCoordinator(
    { url: server.url, token: server.ownerToken },
    'another-machine',
  )
  const elsewhere = await holdfast(['doctor'])
  expect(elsewhere.stdout).toMatch(
    /✓ Agent missing +no-such-program-anywhere; started on another-machine, not looked for on this machine\n/,
  )
  expect(elsewhere.code).toBe(0)
  await machine.goodbye()
})

test('[CF1] every value is printed with where it came from, and a password is not', async () => {
  const env = {
    HOLDFAST_DATA: temporaryFolder(),
    HOLDFAST_PORT: '0',
    DATABASE_URL: 'postgres://me:geheim@db/x',
  }
  const { stdout } = await runCommand(['doctor'], { env })
  expect(stdout).toMatch(/^port +0 +HOLDFAST_PORT$/m)
  expect(stdout).toMatch(/^cutover\.hour +4 +default$/m)
  expect(stdout).toMatch(/^database_url +postgres:\/\/me:\[masked\]@db\/x +DATABASE_URL$/m)
  expect(stdout).not.toContain('geheim')
})

test('[CL3] a bad configuration is shown, and everything else is still looked at', async () => {
  const { code, of } = await examine({
    HOLDFAST_DATA: temporaryFolder(),
    HOLDFAST_PORT: '0',
    HOLDFAST_LOG_LEVEL: 'infos',
  })
  expect([code, of('Configuration')?.detail]).toEqual([
    1,
    'log.level cannot be "infos"; did you mean info? (HOLDFAST_LOG_LEVEL)',
  ])
  expect(of('Port')?.state).toBe('good')
})

test('[CL3] doctor points out a configuration file that lies where it is not read', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'holdfast.config.json'), '{}')
  const { of } = await examine({ HOLDFAST_DATA: temporaryFolder(), HOLDFAST_PORT: '0' }, cwd)
  expect(of('Configuration')).toMatchObject({
    state: 'warning',
    next: expect.stringContaining('--config'),
  })
})

test('[CL3] a port in use, a read-only folder and a damaged database say what to do', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = taken.address() as AddressInfo

  const readOnly = temporaryFolder()
  chmodSync(readOnly, 0o555)
  const first = await examine({ HOLDFAST_DATA: readOnly, HOLDFAST_PORT: String(port) })
  expect(first.code).toBe(1)
  expect(first.of('Port')).toMatchObject({ state: 'bad', next: expect.stringContaining('--port') })
  expect(first.of('Data folder')).toMatchObject({
    state: 'bad',
    next: expect.stringContaining('chmod'),
  })

  const broken = temporaryFolder()
  writeFileSync(join(broken, 'holdfast.db'), 'this is no database'.repeat(100))
  const second = await examine({ HOLDFAST_DATA: broken, HOLDFAST_PORT: '0' })
  expect(second.of('Database')).toMatchObject({
    state: 'bad',
    next: expect.stringContaining('backup'),
  })
})

test('[CL3] a sound database is found sound, also while it is open', async () => {
  const { folder } = await openTestStore()
  const { of } = await examine({ HOLDFAST_DATA: folder, HOLDFAST_PORT: '0' })
  expect(of('Database')).toMatchObject({ state: 'good', detail: expect.stringContaining('sound') })
})

test('[CL3] a file where the folder should be, and a Node that is too old', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  expect(
    (await examine({ HOLDFAST_DATA: join(folder, 'file'), HOLDFAST_PORT: '0' })).of('Data folder'),
  ).toMatchObject({
    state: 'bad',
  })
  expect(checkNode('20.20.2')).toMatchObject({ state: 'bad', next: expect.stringContaining('24') })
})

test('[SE10] doctor points out secrets in an earlier place or open to others', async () => {
  const data = temporaryFolder()
  const env = { HOLDFAST_DATA: data, HOLDFAST_PORT: '0' }
  writeFileSync(join(data, 'owner-token'), 'x', { mode: 0o600 })
  expect((await examine(env)).of('Secrets')).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining('owner-token should be in'),
  })
  rmSync(join(data, 'owner-token'))
  mkdirSync(join(data, 'secrets'))
  chmodSync(join(data, 'secrets'), 0o750)
  expect((await examine(env)).of('Secrets')).toMatchObject({
    state: 'warning',
    next: expect.stringContaining('chmod 700'),
  })
  chmodSync(join(data, 'secrets'), 0o700)
  expect((await examine(env)).of('Secrets')).toMatchObject({ state: 'good' })
})

test('[SE11] doctor looks at every project’s folder: forbidden, missing, shared', async () => {
  const { holdfast, server } = await openInstallation()
  const fine = await holdfast(['projects', 'create', 'fine', '--path', temporaryFolder()])
  expect(fine.code).toBe(0)
  expect((await holdfast(['doctor'])).stdout).toMatch(
    /✓ Projects +1, each with a folder that it may have/,
  )
  // As an earlier build let them be made.
  const data = realpathSync(server.folder)
  const older = {
    inside: join(data, 'projects'),
    above: join(data, '..'),
    etc: '/etc',
    gone: '/srv/long-gone',
    twin: '/srv/long-gone/',
  }
  for (const [name, path] of Object.entries(older))
    await server.store.run(createProject, { name, path, by: 'owner' })
  const { items } = (await server.ask('/api/projects')).json
  const [{ path }] = items.filter(({ name }: { name: string }) => name === 'fine')
  await server.store.run(createProject, { name: 'again', path: `${path}/.`, by: 'owner' })
  const { stdout, code } = await holdfast(['doctor'])
  expect(code).toBe(1)
  expect(stdout).toMatch(
    /✗ Project inside +\S+ lies in the data folder.*\n +→ Move the project: holdfast projects edit proj_/,
  )
  expect(stdout).toMatch(/✗ Project above +\S+ holds the data folder.*\n +→ .*--data DIR/)
  expect(stdout).toMatch(/✗ Project etc +\/etc belongs to the system/)
  expect(stdout).toMatch(/✗ Project gone +\/srv\/long-gone is missing/)
  expect(stdout).toMatch(/! Project (gone|twin) +\S+ is the folder of (gone|twin) too/)
  expect(stdout).toMatch(/! Project (fine|again) +\S+ is the folder of (fine|again) too/)
  expect((await holdfast(['projects'])).stdout).toMatch(/\/srv\/long-gone \(missing\)/)
})

test('[CL3] [AR3] doctor names a work session’s file that could not be taken in', async () => {
  const { holdfast, server } = await openInstallation()
  const post = async (path: string, body: unknown) =>
    (await server.ask(path, { method: 'POST', body })).json
  const { id: projectId } = await post('/api/projects', { name: 'game' })
  const { id: workSessionId } = await post(`/api/projects/${projectId}/sessions`, {})
  expect((await holdfast(['doctor'])).stdout).not.toContain(workSessionId)
  const problem = 'approaches.json: approach_u001 was changed or removed'
  await server.store.run(importApproaches, {
    projectId,
    workSessionId,
    added: [],
    problem,
    by: 'owner',
  })
  const { stdout } = await holdfast(['doctor', '--json'])
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  expect(checks.find(({ name }) => name === `Work session ${workSessionId}`)).toEqual({
    name: expect.any(String),
    state: 'warning',
    detail: problem,
    next: 'Correct the file in the project game.',
  })
})

test('[SB2] doctor tries the sandbox, and says what installs one if there is none', async () => {
  const env = { HOLDFAST_DATA: join(temporaryFolder(), 'new'), HOLDFAST_PORT: '0' }
  const sandboxOf = async (PATH: string) =>
    JSON.parse((await runCommand(['doctor', '--json'], { env: { ...env, PATH } })).stdout)
  const empty = temporaryFolder()
  const { sandbox, checks } = await sandboxOf(empty)
  expect(sandbox).toMatchObject({
    works: false,
    version: null,
    install: expect.stringContaining('install bubblewrap'),
  })
  const check = (checks as Check[]).find(({ name }) => name === 'Sandbox')
  expect(check).toMatchObject({ state: 'warning', next: expect.stringContaining(sandbox.install) })
  // One that is there and does not work: its own words are said.
  const tool =
    '#!/bin/sh\n[ "$1" = --version ] && echo "bubblewrap 9.9.9" && exit\necho "bwrap: no namespaces here" >&2; exit 1\n'
  writeFileSync(join(empty, 'bwrap'), tool, { mode: 0o755 })
  const broken = (await sandboxOf(empty)).sandbox
  expect(broken).toMatchObject({
    works: false,
    version: '9.9.9',
    problem: 'bwrap: no namespaces here',
  })
  writeFileSync(join(empty, 'bwrap'), tool.replace('exit 1', 'exit 0'), { mode: 0o755 })
  expect((await sandboxOf(empty)).sandbox).toMatchObject({
    works: true,
    tool: 'bubblewrap',
    userNamespaces: true,
    problem: null,
  })
})
