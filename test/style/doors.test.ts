import { expect, test } from 'vitest'
import { filesOfTheRepository } from './source-files.ts'

interface Source {
  readonly path: string
  readonly text: string
}

/** Where a store is run, read or queried, across lines too. */
const onTheStore = /\bstore\s*\.(?:run|query|read)\b/

const aroundTheApp = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ path, text }) => /^src\/doors\//.test(path) && onTheStore.test(text))
    .map(({ path }) => path)

/** Where the server runs a use case without the app, which compares rights. */
const ownRuns = (sources: readonly Source[]): string[] =>
  sources.flatMap(({ path, text }) =>
    /^src\/server\//.test(path) ? [...text.matchAll(/\bstore\s*\.run\b/g)].map(() => path) : [],
  )

test('[HS23] no door runs or queries the store: it calls the app, which compares rights', () => {
  expect(aroundTheApp(filesOfTheRepository())).toEqual([])
})

test('[HS23] the server runs no use case without the app either', () => {
  expect(ownRuns(filesOfTheRepository())).toEqual([])
})

test.each([
  'deps.store.run(createProject, input)',
  'await store\n      .run(createProject, input)',
  'deps.store.query(getProject, params)',
])('[HS23] the control: a door that says `%s` is found', (text) => {
  const path = 'src/doors/rest/a.ts'
  expect(aroundTheApp([{ path, text }])).toEqual([path])
  expect(aroundTheApp([{ path, text: text.replace('store', 'app') }])).toEqual([])
})
