import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const repository = join(import.meta.dirname, '..', '..')
let clone: string

/** A stand-in for npm: counts its runs, and installs what the lockfile says unless told to fail. */
const fakeNpm = `
const fs = require('node:fs')
fs.appendFileSync('npm-runs', process.argv.slice(2).join(' ') + '\\n')
if (fs.existsSync('fail-with')) { process.stderr.write(fs.readFileSync('fail-with', 'utf8')); process.exit(1) }
fs.mkdirSync('node_modules/.bin', { recursive: true })
if (!fs.existsSync('node_modules/.bin/node')) fs.symlinkSync(process.execPath, 'node_modules/.bin/node')
const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'))
delete packages['']
delete packages['node_modules/other-platform']
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }))
`

const lockfile = (version: string): string =>
  JSON.stringify({
    packages: {
      '': {},
      'node_modules/a': { version, integrity: `sha512-${version}` },
      'node_modules/other-platform': { version: '1.0.0', integrity: 'sha512-o', optional: true },
    },
  })

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'holdfast-bootstrap-'))
  mkdirSync(join(clone, 'src'))
  cpSync(join(repository, 'scripts', 'bootstrap.cjs'), join(clone, 'scripts', 'bootstrap.cjs'))
  cpSync(join(repository, 'scripts', 'bootstrap'), join(clone, 'scripts', 'bootstrap'), {
    recursive: true,
  })
  writeFileSync(join(clone, 'package-lock.json'), lockfile('1.0.0'))
  writeFileSync(join(clone, 'npm-cli.js'), fakeNpm)
  writeFileSync(join(clone, 'src', 'main.ts'), '')
  // The build of this clone: leaves a mark for each run.
  writeFileSync(
    join(clone, 'scripts', 'build-server.ts'),
    "import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'\nmkdirSync('dist/server', { recursive: true })\nappendFileSync('builds', 'x')\nwriteFileSync('dist/server/main.js', '')\n",
  )
})

afterEach(() => rmSync(clone, { recursive: true, force: true }))

interface Run {
  readonly code: number | null
  readonly said: string
}

function bootstrap(...args: string[]): Promise<Run> {
  const env = {
    ...process.env,
    npm_execpath: join(clone, 'npm-cli.js'),
    npm_node_execpath: process.execPath,
  }
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(clone, 'scripts', 'bootstrap.cjs'), ...args], {
      cwd: clone,
      env,
    })
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
    })
    child.on('close', (code) => resolve({ code, said }))
  })
}

const lines = (name: string): number =>
  existsSync(join(clone, name)) ? readFileSync(join(clone, name), 'utf8').split('\n').length - 1 : 0
const builds = (): number =>
  existsSync(join(clone, 'builds')) ? readFileSync(join(clone, 'builds'), 'utf8').length : 0

test('[HS11] a fresh clone is installed and built once; afterwards nothing is done', async () => {
  const first = await bootstrap()
  expect(first).toMatchObject({
    code: 0,
    said: expect.stringMatching(/installed in .*\n.*built the server in/),
  })
  expect(readFileSync(join(clone, 'npm-runs'), 'utf8')).toMatch(/^ci --ignore-scripts /)
  expect(await bootstrap()).toEqual({ code: 0, said: '' })
  expect([lines('npm-runs'), builds()]).toEqual([1, 1])
})

test('[HS11] another lockfile is installed, a touched source built, nothing else', async () => {
  await bootstrap()
  writeFileSync(join(clone, 'package-lock.json'), lockfile('1.0.1'))
  expect((await bootstrap()).code).toBe(0)
  expect(lines('npm-runs')).toBe(2)
  const before = builds()
  utimesSync(join(clone, 'src', 'main.ts'), new Date(1000), new Date(1000))
  expect(await bootstrap()).toMatchObject({
    code: 0,
    said: expect.stringContaining('built the server'),
  })
  expect([lines('npm-runs'), builds()]).toEqual([2, before + 1])
})

test('[HS11] two starts at once install once', async () => {
  const both = await Promise.all([bootstrap(), bootstrap(), bootstrap()])
  expect(both.map(({ code }) => code)).toEqual([0, 0, 0])
  expect([lines('npm-runs'), builds()]).toEqual([1, 1])
})

test('[HS11] the lock of a process that died is taken over', async () => {
  mkdirSync(join(clone, 'dist'))
  writeFileSync(join(clone, 'dist', '.bootstrap.lock'), '4194305 1\n')
  expect(await bootstrap()).toMatchObject({ code: 0 })
  expect(existsSync(join(clone, 'dist', '.bootstrap.lock'))).toBe(false)
})

test.each([
  ['npm error code ENOTFOUND', /could not reach its registry/],
  ['npm error ENOSPC: no space left on device', /The disk is full/],
  ['npm error EACCES: permission denied', /npm may not write here/],
  ['npm error something else', /Nothing was started/],
])(
  '[HS11] when npm fails with "%s" it says what to do and does not start',
  async (output, words) => {
    writeFileSync(join(clone, 'fail-with'), output)
    const run = await bootstrap()
    expect(run).toMatchObject({ code: 1, said: expect.stringMatching(words) })
    expect(run.said).toContain(output)
    expect(builds()).toBe(0)
  },
)

test('[HS11] a build that fails is shown and tried again next time', async () => {
  const script = join(clone, 'scripts', 'build-server.ts')
  const good = readFileSync(script, 'utf8')
  writeFileSync(script, "throw new Error('a mistake in the source')")
  expect(await bootstrap()).toMatchObject({
    code: 1,
    said: expect.stringContaining('a mistake in the source'),
  })
  expect((await bootstrap()).code).toBe(1)
  writeFileSync(script, good)
  expect((await bootstrap()).code).toBe(0)
})
