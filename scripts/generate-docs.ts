/**
 * `npm run docs` writes docs/reference from the code; `--check` says which pages are out of date
 * instead.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCommands } from '../src/cli/command-list.ts'
import { cliPage } from './docs/cli.ts'
import { configPage, configSchemaFile } from './docs/config.ts'
import { errorsPage } from './docs/errors.ts'
import { eventsPage } from './docs/events.ts'
import { fileSchemas, filesPage } from './docs/files.ts'
import { httpPage } from './docs/http.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'docs', 'reference')
const commands = await loadCommands()
const pages: Readonly<Record<string, () => string>> = {
  'cli.md': () => cliPage(commands),
  'errors.md': errorsPage,
  'http.md': httpPage,
  'config.md': configPage,
  'events.md': () => eventsPage(root),
  'holdfast.config.schema.json': configSchemaFile,
  'files.md': filesPage,
  ...fileSchemas,
}

const isThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const stale = Object.entries(pages).filter(([name, make]) => isThere(join(folder, name)) !== make())
if (process.argv.includes('--check')) {
  for (const [name] of stale) console.log(`docs/reference/${name} is out of date: npm run docs`)
  if (stale.length > 0) process.exitCode = 1
} else {
  mkdirSync(join(folder, 'files'), { recursive: true })
  for (const [name, make] of stale) {
    writeFileSync(join(folder, name), make())
    console.log(`wrote docs/reference/${name}`)
  }
}
