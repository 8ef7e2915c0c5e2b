/**
 * The library as the package has it, bundled (scripts/build-package.ts): from the sources, the
 * writer thread of each store that a test opens would read two hundred files. The folder is always
 * the same, so its compiled code is found again.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundleInto } from '../../scripts/build/bundle.ts'

const root = join(import.meta.dirname, '../..')

export async function bundledLibrary(): Promise<typeof import('../../src/library.ts')> {
  const folder = join(root, 'node_modules', '.cache', 'holdfast-tests', 'library')
  await bundleInto(root, folder, { library: 'src/library.ts' }, { maps: false })
  // What a .js file is would be found out by reading it.
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  return await import(pathToFileURL(join(folder, 'library.js')).href)
}
