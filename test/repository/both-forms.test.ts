import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { named } from '../../scripts/build/groups.ts'
import { findPackageRoot } from '../../src/platform/files/package-root.ts'
import { amount } from '../support/extent.ts'

const { folder: root, version } = findPackageRoot()

/**
 * Starts one form of the server, asks it for what lies beside the code and behind the writer
 * thread, and stops it.
 */
async function tryOut(entry: string, command: 'up' | 'server'): Promise<unknown> {
  const data = mkdtempSync(join(tmpdir(), 'holdfast-forms-'))
  const token = 'a-token-for-this-test-only'
  const env = { ...process.env, HOLDFAST_TOKEN: token }
  const child = spawn(
    process.execPath,
    [join(root, entry), command, '--port', '0', '--data', data],
    { env, cwd: data },
  )
  const exited = once(child, 'exit')
  try {
    const url = await readyAt(child)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const health = (await (await fetch(`${url}/healthz`)).json()) as { version: string }
    const made = await fetch(`${url}/api/projects`, {
      method: 'POST',
      headers,
      body: '{"name": "both forms"}',
    })
    const page = await fetch(`${url}/`)
    const openApi = await fetch(`${url}/api/openapi.json`, { headers })
    child.kill('SIGTERM')
    const [exitCode] = (await exited) as [number | null]
    return {
      version: health.version,
      made: made.status,
      page: page.headers.get('content-type'),
      openApi: openApi.status,
      exitCode,
    }
  } finally {
    child.kill('SIGKILL')
    rmSync(data, { recursive: true, force: true })
  }
}

async function readyAt(child: ReturnType<typeof spawn>): Promise<string> {
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  for await (const chunk of child.stdout ?? []) {
    said += chunk
    const url = /ready at (\S+)\n/.exec(said)?.[1]
    if (url) return url
  }
  throw new Error(`It ended before it was ready:\n${said}`)
}

/** Each command from source takes seconds: the coordinator beside it is left to the release. */
test.each([
  ['src/main.ts', amount('server' as const, 'up' as const)],
  ['dist/server/main.js', 'up'],
] as const)(
  '[HS12] %s starts as %s, writes, finds the page and its version, and stops',
  async (entry, command) => {
    expect(await tryOut(entry, command)).toEqual({
      version,
      made: 201,
      page: expect.stringContaining('text/html'),
      openApi: 200,
      exitCode: 0,
    })
  },
)

test('[SP1] the file that every command loads first leads only to Node’s own modules', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'dist', 'server.json'), 'utf8')) as {
    files: string[]
  }
  const base = files.find((name) => /^base-.*\.mjs$/.test(name)) ?? ''
  const code = readFileSync(join(root, 'dist', 'server', base), 'utf8')
  const imports = code.matchAll(/\bimport\b[^;"]*"\.\/([a-z-]+)-[^"]*"/g)
  expect(new Set([...imports].map(([, name]) => name))).toEqual(
    new Set(['rolldown-runtime', 'builtins']),
  )
  // Node 24 prints a warning when it is loaded.
  const load = 'await import(process.argv[1]); console.log(process.moduleLoadList.join())'
  const loaded = execFileSync(process.execPath, [
    '--input-type=module',
    '-e',
    load,
    join(root, 'dist', 'server', base),
  ])
  expect(loaded.toString()).toContain('NativeModule crypto,')
  expect(loaded.toString()).not.toContain('sqlite')
})

test('[SP1] whatever is said to lie together in the bundle is there', () => {
  const { modules } = JSON.parse(readFileSync(join(root, 'dist', 'server.json'), 'utf8')) as {
    modules: readonly string[]
  }
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((pattern) => !modules.some((path) => pattern.test(path)))).toEqual([])
})
