import { expect, test } from 'vitest'
import { lockfileProblems } from '../../scripts/check/lockfile.ts'
import { filesOfTheRepository, root, type SourceFile } from './source-files.ts'

const folder = (...names: string[]): string => `/${names.join('/')}/`
/** Ada's folders are the ones of the examples. */
const ofThisMachine: readonly [what: string, pattern: RegExp][] = [
  ['the folder of this clone', new RegExp(`(?<![\\w.-])${RegExp.escape(root)}(?![\\w-])`)],
  [
    'a home folder',
    new RegExp(
      `(^|[\\s'"\`(=])(${folder('home', '(?!ada/)\\w+')}|${folder('Users', '(?!ada/)\\w+')}|${folder('root')})`,
      'm',
    ),
  ],
  ['a package registry', /registry\.(npmjs|yarnpkg|npmmirror)\.|^registry\s*=/m],
  [
    'a folder outside of the repository',
    new RegExp(`\\.\\./${'shared'}\\b|\\bseeds? [1-5]\\b`, 'i'),
  ],
]

const traces = ({ path, text }: SourceFile): string[] =>
  ofThisMachine.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${path} names ${what}`)

test('[HS8] no file knows the machine it was written on', () => {
  expect(filesOfTheRepository().flatMap(traces)).toEqual([])
})

test('[HS8] the control: each kind of trace is found', () => {
  const samples = [
    `cd ${root}`,
    `read '${folder('home', 'alex')}x'`,
    `https://registry.${'npmjs'}.org/`,
    `see ../${'shared'}/notes.md`,
  ]
  expect(samples.map((text) => traces({ path: 'x', text }).length)).toEqual([1, 1, 1, 1])
})

test('[HS10] a lockfile that names a registry or lacks a part is refused', () => {
  const lock = (packages: unknown): string => JSON.stringify({ packages })
  const good = { version: '1.0.0', integrity: 'sha512-x' }
  expect(lockfileProblems(lock({ '': {}, 'node_modules/a': good }))).toEqual([])
  expect(
    lockfileProblems(
      lock({ 'node_modules/a': { ...good, resolved: 'https://example.test/a.tgz' } }),
    ),
  ).toHaveLength(1)
  expect(lockfileProblems(lock({ 'node_modules/a': { version: '1.0.0' } }))).toHaveLength(1)
  expect(
    lockfileProblems(
      lock({ 'node_modules/a': { ...good, optionalDependencies: { 'a-win32': '1.0.0' } } }),
    ),
  ).toHaveLength(1)
})
