import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newSubjects, subjectProblems } from '../../scripts/check/commit-subjects.ts'
import { release } from '../../scripts/release.ts'

let clone: string
const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim()
const read = (name: string): string => readFileSync(join(clone, name), 'utf8')
const write = (name: string, text: string): void => writeFileSync(join(clone, name), text)
const said: string[] = []
const run = (...args: string[]): number =>
  release(clone, args, '2026-03-04', (line) => said.push(line))

const changelog =
  '# Changelog\n\n## Unreleased\n\n- Something new.\n\n## 0.1.0 (2026-01-02)\n\n- The first.\n'

beforeEach(() => {
  said.length = 0
  clone = mkdtempSync(join(tmpdir(), 'holdfast-release-'))
  git('init', '--quiet', '--initial-branch=main')
  for (const [key, value] of [
    ['user.name', 'Ada'],
    ['user.email', 'ada@example.test'],
    ['commit.gpgsign', 'false'],
    ['tag.gpgsign', 'false'],
  ])
    git('config', key ?? '', value ?? '')
  write('CHANGELOG.md', changelog)
  write('package.json', '{\n  "name": "holdfast",\n  "version": "0.1.0"\n}\n')
  write(
    'package-lock.json',
    JSON.stringify({
      version: '0.1.0',
      packages: { '': { version: '0.1.0' }, 'node_modules/a': { version: '3.0.0' } },
    }),
  )
  git('add', '.')
  git('commit', '--quiet', '--message', 'Begin with a first commit')
})

afterEach(() => rmSync(clone, { recursive: true, force: true }))

test('[HS16] a release moves the changes to the version, sets it, commits and tags', () => {
  expect(run('minor')).toBe(0)
  expect(read('CHANGELOG.md')).toBe(
    changelog.replace('## Unreleased\n', '## Unreleased\n\n## 0.2.0 (2026-03-04)\n'),
  )
  expect(JSON.parse(read('package.json'))).toEqual({ name: 'holdfast', version: '0.2.0' })
  expect(JSON.parse(read('package-lock.json'))).toEqual({
    version: '0.2.0',
    packages: { '': { version: '0.2.0' }, 'node_modules/a': { version: '3.0.0' } },
  })
  expect(git('log', '-1', '--format=%s')).toBe('Release 0.2.0')
  expect(git('rev-list', '-1', 'v0.2.0')).toBe(git('rev-parse', 'HEAD'))
  expect(git('status', '--porcelain')).toBe('')
})

test('[HS16] a dry run changes nothing', () => {
  expect(run('1.0.0', '--dry-run')).toBe(0)
  expect(said.join()).toContain('1.0.0')
  expect([git('status', '--porcelain'), git('tag'), read('CHANGELOG.md')]).toEqual([
    '',
    '',
    changelog,
  ])
})

test('[HS16] a wrong version, a dirty tree or a taken tag is refused without a change', () => {
  expect([run('0.0.9'), run('next'), run(), run('0.2.0', '0.3.0')]).toEqual([1, 1, 1, 1])
  git('tag', 'v0.3.0')
  expect(run('0.3.0')).toBe(1)
  write('new.txt', 'x')
  expect(run('patch')).toBe(1)
  rmSync(join(clone, 'new.txt'))
  expect([git('status', '--porcelain'), read('CHANGELOG.md'), git('tag')]).toEqual([
    '',
    changelog,
    'v0.3.0',
  ])
  expect(run('0.1.0')).toBe(0)
  expect(run('patch')).toBe(1)
  expect(said.at(-1)).toContain('Unreleased')
})

test('[HS17] subjects that are long, unfinished, ended by a mark or empty are refused', () => {
  const bad = [
    `Mend ${'x'.repeat(70)}`,
    'fixup! Mend it now',
    'WIP on the page',
    'Mend the page.',
    'stuff',
    '- mend it',
  ]
  expect(bad.map((subject) => subjectProblems(subject).length > 0)).toEqual(bad.map(() => true))
  expect(
    [
      'Release 0.2.0',
      'tests: format',
      'Say why a start failed, and fail it where its folder is gone',
    ].flatMap(subjectProblems),
  ).toEqual([])
})

test('[HS17] commits since the last tag are checked; without a tag the last, or none', () => {
  expect(newSubjects(clone)).toEqual(['Begin with a first commit'])
  git('tag', 'v0.1.0')
  expect(newSubjects(clone)).toEqual([])
  git('commit', '--quiet', '--allow-empty', '--message', 'Go on')
  expect(newSubjects(clone)).toEqual(['Go on'])
  const shallow = join(clone, 'shallow')
  execFileSync('git', ['clone', '--quiet', '--depth=1', '--no-tags', `file://${clone}`, shallow], {
    stdio: 'ignore',
  })
  expect(newSubjects(shallow)).toEqual(['Go on'])
  rmSync(join(clone, '.git'), { recursive: true })
  expect(newSubjects(clone)).toEqual([])
})
