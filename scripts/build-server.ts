/**
 * Bundles src/main.ts into dist/server/, because start-up time is mostly the time to find and read
 * some 400 small files of our dependencies (docs/decisions/0005). The list of its parts is in the
 * same folder; the package is made from that list (build-package.ts).
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleInto } from './build/bundle.ts'

const root = join(import.meta.dirname, '..')
const bundle = await bundleInto(
  root,
  join(root, 'dist', 'server'),
  { main: 'src/main.ts' },
  { maps: true, manyCommands: true },
)
writeFileSync(join(root, 'dist', 'server.json'), JSON.stringify(bundle))
