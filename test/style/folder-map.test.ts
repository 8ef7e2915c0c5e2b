import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { differences, readMap } from './folder-map.ts'
import { pathsOfTheRepository, root } from './source-files.ts'

const paths = pathsOfTheRepository()
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const header = textOf('src/main.ts').replace(/\*\/[\s\S]*$/, '')
const page = textOf('docs/architecture.md')
/** The use cases decide which areas there are. */
const areas = [
  ...new Set(
    paths.flatMap((path) => path.match(/^src\/services\/(?!flows\/)([\w-]+)\//)?.[1] ?? []),
  ),
]

test('[HS13] the map at the top of src/main.ts has the folders of the tree', () => {
  const map = readMap(header)
  expect(map.folders[0]).toBe('src')
  expect(differences(map, paths, areas)).toEqual([])
})

test('[HS13] the map in docs/architecture.md is that of the tree and of src/main.ts', () => {
  const map = readMap(page)
  expect(map.folders).toEqual(expect.arrayContaining(['src', 'web/src', 'test']))
  expect(differences(map, paths, areas)).toEqual([])
  const lines = header
    .split('\n')
    .filter((line) => /^ \* {3}/.test(line))
    .map((line) => line.slice(3))
  expect(lines.length).toBeGreaterThan(20)
  expect(lines.filter((line) => !page.includes(`${line}\n`))).toEqual([])
})

test('[HS13] both maps list the areas', () => {
  expect(
    [...page.matchAll(/^\| ([a-z-]+) \|/gm)]
      .map(([, area]) => area)
      .filter((area) => area !== 'area')
      .sort(),
  ).toEqual([...areas].sort())
  const [, listed = ''] = header.replaceAll('\n * ', ' ').match(/deal with: ([a-z, -]+)\./) ?? []
  expect(listed.split(', ').sort()).toEqual([...areas].sort())
})

test('[HS13] the control: a missing folder, one too many and a misplaced area are found', () => {
  const tree = ['src/main.ts', 'src/store/log/a.ts', 'src/store/work/b.ts', 'src/platform/c.ts']
  const right = 'src/\n  store/   rows (by area)\n    log/   events\n  platform/  files\n'
  expect(differences(readMap(right), tree, ['work'])).toEqual([])
  expect(differences(readMap(right.replace('    log/   events\n', '')), tree, ['work'])).toEqual([
    'src/store/log is not in the map',
  ])
  expect(differences(readMap(`${right}  jobs/   more\n`), tree, ['work'])).toEqual([
    'src/jobs is in the map and not in the tree',
  ])
  expect(differences(readMap(right), [...tree, 'src/platform/work/d.ts'], ['work'])).toEqual([
    'src/platform/work is not in the map',
  ])
  expect(differences(readMap(right), tree, [])).toContain('src/store/work is not in the map')
})
