/**
 * The official conformance suite against the MCP endpoint, by the requirements of each revision
 * (MC1), the newest, in `npm run test:release` all. What does not apply is in
 * mcp-not-offered-*.yml, with the reason.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openBearerProxy } from '../support/bearer-proxy.ts'
import { amount } from '../support/extent.ts'
import { openTestServer } from '../support/server.ts'

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

/**
 * What must have been run and have passed, by the number of checks: a suite that skips everything
 * proves nothing, and of a scenario that applies in part the rest must pass.
 */
const applies: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    'server-initialize: 2 passed, 0 failed',
    'ping: 2 passed, 0 failed',
    'tools-list: 3 passed, 0 failed',
    'resources-list: 2 passed, 0 failed',
    'dns-rebinding-protection: 2 passed, 0 failed',
  ],
  '2026-07-28': [
    // Four ask for tools of the suite's own example server; server/discover is among the others.
    'server-stateless: 24 passed, 4 failed',
    'tools-list: 4 passed, 0 failed',
    'server-sse-multiple-streams: 1 passed, 0 failed',
    'resources-list: 2 passed, 0 failed',
    'sep-2164-resource-not-found: 4 passed, 0 failed',
    'dns-rebinding-protection: 2 passed, 0 failed',
    // One asks for prompts.
    'caching: 7 passed, 1 failed',
    'input-required-result-unsupported-methods: 2 passed, 0 failed',
    'input-required-result-validate-input: 3 passed, 0 failed',
    'http-header-validation: 14 passed, 0 failed',
  ],
}

test.each(Object.entries(applies).slice(amount(1, 0)))(
  '[MC1] what revision %s requires of what is offered passes',
  async (revision, scenarios) => {
    const server = await openTestServer()
    // With something to read.
    await server.ask('/api/projects', { method: 'POST', body: { name: 'work' } })
    const url = await openBearerProxy(server.url, server.ownerToken)
    const notOffered = fileURLToPath(new URL(`./mcp-not-offered-${revision}.yml`, import.meta.url))
    const asked = ['--requirements', revision, '--expected-failures', notOffered]
    const args = [suite, 'server', '--url', `${url}/mcp`, ...asked]
    const { stdout } = await promisify(execFile)(process.execPath, args).catch(
      (error: { stdout: string; stderr: string }) => {
        throw new Error(`The conformance suite found something:\n${error.stdout}${error.stderr}`)
      },
    )
    const results = stdout.split('\n').map((line) => line.replace(/^[✓✗] /, ''))
    expect(results).toEqual(expect.arrayContaining([...scenarios]))
  },
)
