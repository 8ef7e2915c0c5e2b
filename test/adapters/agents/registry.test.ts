/** The snapshot of the registry of agents (AG19), refreshed from a stand-in of the registry. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { registryAgents } from '../../../src/adapters/agents/registry.ts'
import { knownAgents } from '../../../src/protocol/agents/known-agents.ts'
import { root } from '../../style/source-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const npx = { package: '@makers/mate@1.2.3', args: ['--acp'], env: { MATE_QUIET: '1' } }
const mate = { id: 'mate', name: 'Mate', version: '1.2.3', distribution: { npx } }
const taken = { id: 'mate', name: 'Mate', version: '1.2.3', npm: npx, archives: {} }

async function refreshFrom(answer: string, status = 200) {
  const server = createServer((_, reply) => reply.writeHead(status).end(answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const to = join(temporaryFolder(), 'registry.json')
  writeFileSync(to, 'as it was')
  const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/registry.json`
  const script = join(root, 'scripts/refresh-agents.ts')
  const { code, said } = await new Promise<{ code: number; said: string }>((resolve) =>
    execFile(process.execPath, [script, '--from', from, '--to', to], (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, said: out + err }),
    ),
  )
  return { code, said, text: existsSync(to) ? readFileSync(to, 'utf8') : '' }
}

test('[AG19] the registry is taken in, without what could mean more than an agent', async () => {
  const with_ = (change: object) => ({ ...mate, id: 'other', ...change })
  const package_ = (name: string) => with_({ distribution: { npx: { package: name } } })
  const hostile = [
    with_({ id: '../secrets' }),
    with_({ name: 'A\u001b[2Jmate' }),
    with_({ name: 'first\nsecond' }),
    package_('--global'),
    package_('../elsewhere'),
    package_('git+https://example.com/x.git'),
    with_({ distribution: { npx: { package: 'x', env: { LD_PRELOAD: '/tmp/x.so' } } } }),
    with_({ distribution: { npx: { package: 'x', env: { NODE_OPTIONS: '--require=x' } } } }),
    with_({ distribution: { npx: { package: 'x', args: ['a\u0000b'] } } }),
    with_({ distribution: { binary: { 'linux-x86_64': { archive: 'https://h/x;rm -rf ~' } } } }),
    with_({ distribution: {} }),
    { id: 'nothing' },
    'no entry',
    { ...mate, id: 'claude' },
    package_('@google/gemini-cli@9.9.9'),
    mate,
  ]
  const agents = [mate, ...hostile]
  const { code, said, text } = await refreshFrom(JSON.stringify({ version: '1.0.0', agents }))
  expect(code).toBe(0)
  expect(JSON.parse(text)).toEqual([taken])
  expect(said.match(/^left out /gm)).toHaveLength(hostile.length)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may reach the terminal
  expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
})

test('[AG19] a registry that cannot be read changes nothing', async () => {
  for (const [answer, status] of [
    ['', 500],
    ['<html>', 200],
    ['{"agents": []}', 200],
    [JSON.stringify({ agents: [{ ...mate, id: '-x' }] }), 200],
    [`"${'x'.repeat(6 * 1024 * 1024)}"`, 200],
  ] as const) {
    const { code, said, text } = await refreshFrom(answer, status)
    expect([code, text]).toEqual([1, 'as it was'])
    expect(said).toContain('Nothing was changed')
  }
})

test('[AG19] the snapshot names agents that nothing else is known of', () => {
  expect(registryAgents.length).toBeGreaterThan(0)
  const known = knownAgents.map(({ id }) => id)
  expect(registryAgents.filter(({ id }) => known.includes(id))).toEqual([])
})
