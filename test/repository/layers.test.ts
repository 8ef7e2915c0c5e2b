import { expect, test } from 'vitest'
import { filesOfTheRepository, isCode, type SourceFile } from '../style/source-files.ts'

/**
 * Layers below the composition root, with the layers above them that their tests may not import.
 */
const above: Readonly<Record<string, RegExp>> = {
  domain: /^(store|services|server|jobs|offline|adapters|compose|cli|coordinator)$/,
  store: /^(server|jobs|offline|adapters|compose|cli|coordinator)$/,
  services: /^(server|jobs|offline|adapters|compose|cli|coordinator)$/,
}

/** Lists the imports of higher layers in the tests of a layer. */
function misplaced({ path, text }: SourceFile): string[] {
  const refused = above[/^test\/([a-z]+)\//.exec(path)?.[1] ?? '']
  if (!refused || !/\.test\.ts$/.test(path)) return []
  const imported = [...text.matchAll(/from '(?:\.\.\/)+src\/([a-z]+)\//g)].map(
    ([, layer = '']) => layer,
  )
  return imported
    .filter((layer) => refused.test(layer))
    .map((layer) => `${path} imports src/${layer}`)
}

test('[HS1] the tests of domain, store and services test no layer above them', () => {
  expect(filesOfTheRepository().filter(isCode).flatMap(misplaced)).toEqual([])
})

test('[HS1] the control: a test of services that imports the server is refused', () => {
  const text = "import { front } from '../../../src/server/front.ts'"
  expect(misplaced({ path: 'test/services/work/x.test.ts', text })).toEqual([
    'test/services/work/x.test.ts imports src/server',
  ])
  expect(misplaced({ path: 'test/server/work/x.test.ts', text })).toEqual([])
})
