/**
 * The official conformance suite against the MCP endpoint, for what we offer (MC1). What does not
 * apply is in mcp-not-offered.yml.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openBearerProxy } from '../support/bearer-proxy.ts'
import { openTestServer } from '../support/server.ts'

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
const notOffered = fileURLToPath(new URL('./mcp-not-offered.yml', import.meta.url))

/** What must have been run and have passed: a suite that skips everything proves nothing. */
const applies = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'dns-rebinding-protection',
]

test('[MC1] the conformance suite passes for what is offered', async () => {
  const server = await openTestServer()
  const url = await openBearerProxy(server.url, server.ownerToken)
  const args = [
    suite,
    'server',
    '--url',
    `${url}/mcp`,
    '--suite',
    'all',
    '--expected-failures',
    notOffered,
  ]
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`The conformance suite found something:\n${error.stdout}${error.stderr}`)
    },
  )
  for (const scenario of applies)
    expect(stdout).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`))
})
