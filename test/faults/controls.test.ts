/**
 * The builds that are broken on purpose can all be made: each text to be broken is in its source
 * once. That each is caught is seen in `npm run test:faults`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { productFolder } from './build.ts'
import { type Change, changed } from './changes.ts'
import * as controls from './controls.ts'
import * as ofFiles from './file-states/controls.ts'

const all = Object.entries({ ...controls, ...ofFiles }).map(
  ([name, change]) => [name, [change].flat() as Change[]] as const,
)

test.each(all)('[RE1] the control %s fits the source', (_, changes) => {
  for (const [file, wanted] of Map.groupBy(changes, (change) => change.file)) {
    const source = readFileSync(join(productFolder, 'src', file), 'utf8')
    expect(changed(source, wanted)).not.toBe(source)
  }
})

test('[RE1] a control whose source has moved on is named', () => {
  const gone: Change = { file: 'main.ts', find: 'no such text', replace: '' }
  expect(() => changed('another', [gone])).toThrow('src/main.ts has the text to be broken 0 times')
})
