/**
 * Bundles src/main.ts into dist/server/, because start-up time is mostly the time to find and read some 400 small files of our
 * dependencies (docs/decisions/0005).
 */
import { join } from 'node:path'
import { bundleInto } from './build/bundle.ts'

const root = join(import.meta.dirname, '..')
await bundleInto(root, join(root, 'dist', 'server'), { main: 'src/main.ts' }, { maps: true })
