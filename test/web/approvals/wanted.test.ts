/** What a request for leave is about (UI25): from the call, never from its title. */
import { expect, test } from 'vitest'
import {
  cautionOf,
  reasonOf,
  restOf,
  type WantedCall,
  wantedOf,
} from '../../../src/protocol/approvals/wanted.ts'
import { amount } from '../../support/extent.ts'
import { fc, property } from '../../support/property.ts'

const call = (over: Partial<WantedCall> & { readonly given?: unknown }): WantedCall => ({
  title: 'Tidy up',
  toolKind: 'other',
  input: over.given === undefined ? null : JSON.stringify(over.given),
  locations: [],
  content: [],
  ...over,
})
const diff = (path: string, oldText: string | null = '') => ({ type: 'diff', path, oldText })
const at = (path: string) => ({ locations: [{ path }] })

test.each<[string, WantedCall, string, string]>([
  ['a command', call({ toolKind: 'execute', given: { command: 'ls' } }), 'run', 'ls'],
  ['its words', call({ toolKind: 'execute', given: { command: ['ls', '-l'] } }), 'run', 'ls -l'],
  ['as reported', call({ toolKind: 'execute', command: 'ls' }), 'run', 'ls'],
  ['a “read” that runs', call({ toolKind: 'read', given: { cmd: 'rm a' } }), 'run', 'rm a'],
  ['a change', call({ toolKind: 'edit', content: [diff('/a'), diff('/b')] }), 'edit', '/a'],
  ['a new file', call({ toolKind: 'edit', content: [diff('/a', null)] }), 'create', '/a'],
  ['a file by name', call({ toolKind: 'edit', given: { file_path: '/a' } }), 'edit', '/a'],
  ['a file it reads', call({ toolKind: 'read', ...at('/a') }), 'read', '/a'],
  ['a file it deletes', call({ toolKind: 'delete', ...at('/a') }), 'delete', '/a'],
  ['an address', call({ toolKind: 'fetch', given: { url: 'https://a' } }), 'fetch', 'https://a'],
  ['a plan', call({ toolKind: 'switch_mode', given: { plan: '1. a' } }), 'plan', ''],
  ['nothing that is known', call({ toolKind: 'edit' }), 'other', 'Tidy up'],
  [
    'a host',
    call({ title: 'Reach a.dev:443 from the sandbox', given: { host: 'a.dev' } }),
    'host',
    'a.dev:443',
  ],
  [
    'a folder',
    call({ title: 'Read /srv/a from the sandbox', given: { folder: '/srv/a' } }),
    'folder',
    '/srv/a',
  ],
  [
    'a command that calls itself a host',
    call({ title: 'Reach a.dev:443 from the sandbox', given: { command: 'rm -r /' } }),
    'run',
    'rm -r /',
  ],
])('[UI25] %s is what a head says', (_, asked, what, about) => {
  expect(wantedOf(asked)).toMatchObject({ what, about })
})

test.each<[WantedCall, string | undefined]>([
  [call({ toolKind: 'delete', ...at('/a') }), 'deletes'],
  [call({ toolKind: 'execute', given: { command: 'cd a && rm -rf b' } }), 'deletes'],
  [call({ toolKind: 'execute', given: { command: 'git push origin +a --force' } }), 'deletes'],
  [call({ toolKind: 'execute', given: { command: 'npm run build --force' } }), undefined],
  [call({ toolKind: 'execute', given: { command: 'cat ~/.ssh/config' } }), 'secrets'],
  [call({ toolKind: 'read', ...at('/srv/a/.env.local') }), 'secrets'],
  [call({ toolKind: 'read', ...at('/srv/a/.env.example') }), undefined],
  [call({ toolKind: 'edit', content: [diff('/src/token.ts')] }), undefined],
  [
    call({ title: 'Read /srv/a/.aws from the sandbox', given: { folder: '/srv/a/.aws' } }),
    'secrets',
  ],
])('[UI25] what names secrets or deletes is told (%#)', (asked, caution) => {
  expect(cautionOf(asked)).toBe(caution)
})

test('[UI25] the agent’s reason is quoted, and nothing that it is called with is left out', () => {
  const asked = call({
    toolKind: 'execute',
    title: 'npm test',
    given: { command: 'npm test', description: 'To be sure', cwd: '/a', env: { A: '1' } },
  })
  expect(reasonOf(asked)).toBe('To be sure')
  expect(restOf(asked)).toEqual([
    ['cwd', '/a'],
    ['env', { A: '1' }],
  ])
  expect(reasonOf(call({ toolKind: 'execute', given: { command: 'ls' } }))).toBe('Tidy up')
  const path = { title: 'Edit src/a.ts', content: [diff('/srv/src/a.ts')] }
  expect(reasonOf(call({ toolKind: 'edit', ...path }))).toBe(undefined)
  expect(reasonOf(call({ toolKind: 'execute', title: 'ls', given: { command: 'ls' } }))).toBe(
    undefined,
  )
})

property.prop(
  [
    fc.string(),
    fc.constantFrom('read', 'edit', 'delete', 'execute', 'switch_mode', 'other', 'fetch'),
    fc.oneof(fc.json(), fc.string()),
    fc.array(fc.record({ path: fc.string() }), { maxLength: 3 }),
  ],
  { numRuns: amount(200, 5000) },
)('[UI25] whatever an agent sends has a head', (title, toolKind, input, locations) => {
  const asked = call({ title, toolKind, input, locations })
  expect(typeof wantedOf(asked).about).toBe('string')
  expect([undefined, 'secrets', 'deletes']).toContain(cautionOf(asked))
  reasonOf(asked)
  restOf(asked)
})
