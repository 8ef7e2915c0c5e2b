/** What an "allow always" covers: what it names, and nothing near it. */
import { expect, test } from 'vitest'
import {
  type AllowanceRule,
  type AskedCall,
  covers,
  folderOf,
  refusedRule,
  scopesFor,
} from '../../../src/domain/approvals/allowance.ts'
import { fc, property } from '../../support/property.ts'

const asked = (change: Partial<AskedCall> = {}): AskedCall => ({
  toolKind: 'edit',
  likeness: 'a',
  input: '{}',
  locations: [{ path: '/work/src/a.ts' }],
  content: [],
  cut: false,
  ...change,
})
const rule = (change: Partial<AllowanceRule> = {}): AllowanceRule => ({
  scope: 'folder',
  toolKind: 'edit',
  likeness: null,
  folder: '/work/src',
  ...change,
})

test('[AP9] the same digest and kind of tool are covered; a request without digest is not', () => {
  const same = rule({ scope: 'request', likeness: 'a', folder: null })
  expect(covers(same, asked())).toBe(true)
  expect(covers(same, asked({ likeness: 'b' }))).toBe(false)
  expect(covers(same, asked({ toolKind: 'delete' }))).toBe(false)
  expect(covers(rule({ scope: 'request', likeness: null }), asked({ likeness: null }))).toBe(false)
})

test('[AP9] a folder covers the files inside it by whole segments, not by first letters', () => {
  const inside = (path: string) => covers(rule(), asked({ locations: [{ path }] }))
  expect(['/work/src/a.ts', '/work/src/b/c.ts'].map(inside)).toEqual([true, true])
  const tricks = [
    '/work/src-evil/a.ts',
    '/work/srca.ts',
    '/work/src',
    '/work/src/../../etc/passwd',
    '/work/src/./../x',
    '/work/src//../x',
    'src/a.ts',
    '../work/src/a.ts',
    '/Work/src/a.ts',
    '/work/src\\..\\..\\x',
    'C:/work/src/a.ts',
    '/work/src/a\n/../../b',
    `/work/src/${'x'.repeat(1000)}`,
    '',
  ]
  expect(tricks.filter(inside)).toEqual([])
})

test('[AP9] every file of a call must be inside; a command or a cut call is asked', () => {
  const in_ = '/work/src/a.ts'
  const out = '/etc/passwd'
  const tricks: Partial<AskedCall>[] = [
    { locations: [] },
    { locations: [{ path: in_ }, { path: out }] },
    { content: [{ type: 'diff', path: out }] },
    { input: JSON.stringify({ file_path: out }) },
    { input: JSON.stringify({ paths: [in_, out] }) },
    { input: JSON.stringify({ target: { path: out } }) },
    { input: JSON.stringify({ path: '../a.ts' }) },
    { input: JSON.stringify({ path: 'b.ts' }) },
    { input: JSON.stringify({ path: '' }) },
    { input: JSON.stringify({ command: 'rm -rf /' }) },
    { input: '{"path":"/work/src/a.ts' },
    { input: '[]' },
    { cut: true },
    { locations: Array.from({ length: 200 }, () => ({ path: in_ })) },
    { toolKind: 'execute' },
  ]
  expect(
    tricks.filter((change) => covers(rule({ toolKind: change.toolKind ?? 'edit' }), asked(change))),
  ).toEqual([])
  const fine: Partial<AskedCall>[] = [
    { input: JSON.stringify({ file_path: in_, content: '/etc/passwd is a file' }) },
    { content: [{ type: 'diff', path: in_ }], locations: [] },
    { input: JSON.stringify({ path: 'src/a.ts' }) },
  ]
  expect(fine.every((change) => covers(rule(), asked(change)))).toBe(true)
})

property.prop([
  fc.array(fc.constantFrom('work', 'src', '..', '.', '', 'a.ts', 'src2', '\\', 'C:'), {
    maxLength: 8,
  }),
])(
  '[AP9] whatever a path is put together of, what is covered lies below the folder',
  (segments) => {
    const path = `/${segments.join('/')}`
    if (covers(rule(), asked({ locations: [{ path }] })))
      expect(new URL(`file://${path}`).pathname).toMatch(/^\/work\/src\/./)
  },
)

test('[AP9] a kind of tool is allowed as a whole only where it changes nothing', () => {
  const kinds = [
    'read',
    'search',
    'think',
    'fetch',
    'edit',
    'delete',
    'move',
    'execute',
    'other',
    'switch_mode',
  ]
  const covered = kinds.filter((toolKind) =>
    covers(rule({ scope: 'tool', toolKind, folder: null }), asked({ toolKind })),
  )
  expect(covered).toEqual(['read', 'search', 'think', 'fetch'])
  const lying = asked({ toolKind: 'read', input: JSON.stringify({ command: 'rm x' }) })
  expect(covers(rule({ scope: 'tool', toolKind: 'read', folder: null }), lying)).toBe(false)
})

test('[AG6] the choices of a question come narrowest first; nonsense is refused in words', () => {
  expect(scopesFor(asked())).toEqual(['request', 'folder'])
  expect(scopesFor(asked({ toolKind: 'execute', input: '{"command":"npm test"}' }))).toEqual([
    'request',
  ])
  expect(scopesFor(asked({ toolKind: 'read' }))).toEqual(['request', 'folder', 'tool'])
  expect(scopesFor(asked({ likeness: null, locations: [] }))).toEqual([])
  expect(folderOf(asked())).toBe('/work/src')
  for (const wrong of [
    { folder: '/' },
    { folder: null },
    { folder: 'src' },
    { folder: '/other' },
    { scope: 'tool' as const },
  ])
    expect(refusedRule(rule(wrong), asked())?.text).toMatch(/\w/)
  expect(refusedRule(rule({ folder: '/work' }), asked())).toBeUndefined()
})
