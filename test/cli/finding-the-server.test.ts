import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageGivenToNpx } from '../../src/cli/program-name.ts'
import { writeRunFile } from '../../src/platform/files/run-file.ts'
import { answering, json } from '../support/answering.ts'
import { openInstallation, runCommand } from '../support/command-line.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const list = { items: [], nextCursor: null }

test('[CL2] the server of the data folder is found with the owner token there', async () => {
  const { holdfast } = await openInstallation()
  expect(await holdfast(['projects'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('No projects yet'),
  })
})

test('[CL2] without a server it ends with 3 and says how to start one', async () => {
  const data = temporaryFolder()
  const { code, stderr } = await runCommand(['projects', '--data', data])
  expect(code).toBe(3)
  expect(stderr).toContain(`No server is running on ${data}.`)
  expect(stderr).toContain('Start it with `holdfast up`')
})

test('[CL2] in a clone the hints are what works in a clone', async () => {
  const env = { npm_lifecycle_event: 'holdfast', HOLDFAST_DATA: temporaryFolder() }
  expect((await runCommand(['projects'], { env })).stderr).toContain('Start it with `npm start`')
  expect((await runCommand(['projcts'], { env })).stderr).toContain(
    '`npm run -s holdfast -- projects`',
  )
  const away = ['projects', '--server', 'http://127.0.0.1:1', '--token-file', '-']
  const { stderr } = await runCommand(away, { env, input: 'a-token-of-twenty-characters' })
  expect(stderr).toContain('ask `npm run -s holdfast -- doctor`')
})

test('[CL2] the hints under npx, which leaves no command behind, are what was typed', async () => {
  const env = { npm_lifecycle_event: 'npx', HOLDFAST_DATA: temporaryFolder() }
  expect((await runCommand(['projects'], { env })).stderr).toContain(
    'Start it with `npx holdfast up`',
  )
  expect((await runCommand(['projcts'], { env })).stderr).toContain('`npx holdfast projects`')
  const folder = temporaryFolder()
  const given = (text: string) => {
    writeFileSync(join(folder, 'package.json'), text)
    return packageGivenToNpx(join(folder, 'node_modules', 'holdfast'))
  }
  expect(given('{"_npx":{"packages":["./holdfast-0.1.0.tgz"]}}')).toBe('./holdfast-0.1.0.tgz')
  for (const text of ['{}', 'x', '{"_npx":{"packages":["a; b"]}}', '{"_npx":[]}'])
    expect(given(text)).toBeUndefined()
})

test('[SE1] a token is not sent to a port that a dead server left behind', async () => {
  const { url, requests } = await answering((_, response) => json(response, 200, list))
  const data = temporaryFolder()
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  await writeRunFile(data, {
    pid: child.pid ?? 0,
    url,
    startedAt: '2026-03-01T09:00:00.000Z',
    version: '0.1.0',
  })
  const { code } = await runCommand(['projects'], {
    env: { HOLDFAST_DATA: data, HOLDFAST_TOKEN: 'a-token-that-must-stay-here' },
  })
  expect([code, requests]).toEqual([3, []])
  // Nor when its number is another's by now.
  await writeRunFile(data, {
    pid: process.pid,
    url,
    startedAt: '2026-03-01T09:00:00.000Z',
    version: '0.1.0',
  })
  const file = join(data, 'run', 'server.json')
  writeFileSync(
    file,
    JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), birth: 'that of the one before' }),
  )
  const later = await runCommand(['projects'], {
    env: { HOLDFAST_DATA: data, HOLDFAST_TOKEN: 'a-token-that-must-stay-here' },
  })
  expect([later.code, requests]).toEqual([3, []])
})

test('[SE1] the owner token of this machine is not sent to another one', async () => {
  const { holdfast, server } = await openInstallation()
  const { code, stderr } = await holdfast(['projects', '--server', 'https://holdfast.example.com'])
  expect(code).toBe(4)
  expect(stderr).toContain('is not sent to holdfast.example.com')
  expect(stderr).not.toContain(server.ownerToken)
})

test('[SE1] a token comes from environment, file or standard input, in that order', async () => {
  const { url, requests } = await answering((_, response) => json(response, 200, list))
  const file = join(temporaryFolder(), 'token')
  writeFileSync(file, 'from-the-file-of-the-script\n')
  const env = { HOLDFAST_URL: url, HOLDFAST_TOKEN: 'from-the-environment-of-it' }
  await runCommand(['projects'], { env })
  await runCommand(['projects', '--token-file', file], { env })
  await runCommand(['projects', '--token-file', '-'], { env, input: 'from-standard-input\n' })
  expect(requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer from-the-environment-of-it',
    'Bearer from-the-file-of-the-script',
    'Bearer from-standard-input',
  ])
})

test('[CL2] a hint tells what an older server does not know; doctor does the rest', async () => {
  const problem = {
    type: 'about:blank',
    title: 'Not found',
    status: 404,
    code: 'not_found',
    detail: 'Nothing was found at this path',
  }
  const known: Record<string, unknown> = {
    '/api/openapi.json': { paths: { '/api/conversations/{key}': { get: {} } } },
    '/healthz': {},
    '/readyz': {},
    '/api/me': { name: 'Owner', role: 'owner' },
    '/api/coordinators': list,
    '/api/agents': { items: [{ id: 'ann', command: null, args: [] }], nextCursor: null },
  }
  const { url } = await answering((request, response) => {
    const may = request.headers.authorization !== undefined || request.url?.endsWith('z')
    const answer = may && known[new URL(request.url ?? '', 'http://x').pathname]
    json(response, answer ? 200 : 404, answer || problem)
  })
  const env = { HOLDFAST_URL: url, HOLDFAST_TOKEN: 'a-token-of-twenty-characters' }
  const { code, stderr } = await runCommand(['notes'], { env })
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /is older than this command, .* GET \/api\/notes yet\.\n.*start it again/,
    ),
  ])
  const { stdout } = await runCommand(['doctor'], { env })
  expect(stdout).toMatch(/✓ Agent ann/)
  expect(stdout).toMatch(/! Notes +could not be looked at: The server at \S+ is older/)
  expect((await runCommand(['conversations', 'show', 'web:p.ann'], { env })).stderr).toContain(
    'Nothing was found at this path',
  )
})

test('[SE1] there is no option that takes a token itself', async () => {
  const { code, stderr } = await runCommand(['projects', '--token', 'hf_owner_secret'])
  expect(code).toBe(2)
  expect(stderr).toContain("Unknown option '--token'")
  expect(stderr).not.toContain('hf_owner_secret')
})

test('[HT2] a credential that is not accepted ends with 4 and the code HTTP has', async () => {
  const { holdfast } = await openInstallation()
  const { code, stderr } = await holdfast(['projects', '--json'], {
    env: { HOLDFAST_TOKEN: 'not-the-token-of-anybody' },
  })
  expect(code).toBe(4)
  expect(JSON.parse(stderr)).toMatchObject({
    code: 'authentication_failed',
    status: 401,
    exitCode: 4,
  })
})

test('[CL2] an address where nothing or something else answers ends with 3', async () => {
  const { url } = await answering(
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('hello'),
  )
  const env = { HOLDFAST_TOKEN: 'a-token-of-some-length' }
  expect(await runCommand(['projects', '--server', url], { env })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Something else than Holdfast'),
  })
  expect(await runCommand(['projects', '--server', 'http://127.0.0.1:1'], { env })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Nothing answers'),
  })
  expect(await runCommand(['projects', '--server', 'nonsense'], { env })).toMatchObject({ code: 2 })
})
