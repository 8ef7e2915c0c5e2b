/**
 * Runs before `npm pack`, after the server and the page are built: makes the rest of what is
 * published (OP3), which is that server without its maps, the program that loads it, the library as
 * a bundle, the library's types, and the licences of everything that was bundled. Nothing of it is
 * needed in a clone.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bundle, bundleInto } from './build/bundle.ts'
import { licencesOf } from './build/licences.ts'
import { publishedTypes } from './build/published-types.ts'
import { runCommand } from './check/run-command.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'dist', 'package')

// Anew each time, and beside what a clone runs from: neither old chunks nor a server that is
// running now are touched by it.
rmSync(folder, { recursive: true, force: true })
const server = JSON.parse(readFileSync(join(root, 'dist', 'server.json'), 'utf8')) as Bundle
mkdirSync(join(folder, 'server'), { recursive: true })
for (const name of server.files.filter((file) => !file.endsWith('.map'))) {
  const code = readFileSync(join(root, 'dist', 'server', name), 'utf8')
  writeFileSync(
    join(folder, 'server', name),
    code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'),
  )
}
copyFileSync(join(root, 'scripts', 'build', 'published-entry.cjs'), join(folder, 'holdfast.cjs'))
const library = await bundleInto(
  root,
  join(folder, 'library'),
  { library: 'src/library.ts' },
  { maps: false },
)
writeFileSync(join(folder, 'THIRD-PARTY.md'), licencesOf([...server.modules, ...library.modules]))

const types = join(folder, 'types')
// That they are right is checked with all others (`npm run check`).
const options = [
  '--singleThreaded',
  '--noCheck',
  '--declaration',
  '--emitDeclarationOnly',
  '--stripInternal',
  '--noEmit',
  'false',
  '--rootDir',
  'src',
  '--outDir',
  types,
]
const tsc = [
  process.execPath,
  'node_modules/ts7/bin/tsc',
  '-p',
  'scripts/build/tsconfig.library.json',
  ...options,
]
const { code, output } = await runCommand(root, tsc)
if (code !== 0) throw new Error(`The types of the library cannot be made:\n\n${output}`)

const published = publishedTypes(join(types, 'library.d.ts'))
for (const file of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.d.ts') && !published.files.has(join(types, file))) rmSync(join(types, file))
}
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}
const missing = [...published.packages].filter(
  (name) => !name.startsWith('node:') && dependencies[name] === undefined,
)
if (missing.length > 0)
  throw new Error(
    `The library's types need packages that are no dependencies: ${missing.join(', ')}`,
  )
