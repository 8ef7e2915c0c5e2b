/**
 * The rules of the directions refuse what they should. The repository itself is judged by
 * `npm run check`, which `npm test` runs.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { checkDirections } from '../../scripts/check/import-directions.ts'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Checks a small tree of these files by the real rules. */
async function violationsIn(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-directions-')))
  made.push(folder)
  for (const [path, text] of Object.entries({
    'package.json': '{"name":"holdfast","type":"module"}',
    ...files,
  })) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const roots = ['src', 'web'].filter((root) =>
    Object.keys(files).some((path) => path.startsWith(`${root}/`)),
  )
  const { violations } = await checkDirections(folder, roots)
  return violations.map(({ rule }) => rule)
}

const target = {
  'src/server/http/http-listener.ts': 'export const x = 1',
  'src/services/act.ts': 'export const x = 1',
  'src/services/flows/turns/act.ts': 'export const x = 1',
  'src/doors/mcp/endpoint.ts': 'export const x = 1',
  'src/store/store.ts': 'export const x = 1',
}
const forbidden: readonly [string, string, string, string][] = [
  [
    'the domain imports a service',
    'src/domain/a.ts',
    '../services/act.ts',
    'domain-imports-only-what-it-may',
  ],
  ['the domain reads the clock of the system', 'src/domain/a.ts', 'node:os', 'domain-is-pure'],
  ['the protocol needs Node', 'src/protocol/a.ts', 'node:fs', 'browser-code-needs-no-node'],
  [
    'the store imports a service',
    'src/store/a.ts',
    '../services/act.ts',
    'store-imports-only-what-it-may',
  ],
  [
    'a service imports the server',
    'src/services/a.ts',
    '../server/http/http-listener.ts',
    'services-imports-only-what-it-may',
  ],
  [
    'an area imports a flow',
    'src/services/turns/a.ts',
    '../flows/turns/act.ts',
    'areas-import-no-flows',
  ],
  [
    'the client reaches into the store',
    'src/client/a.ts',
    '../store/store.ts',
    'client-imports-only-what-it-may',
  ],
  [
    'the command line goes round the client',
    'src/cli/a.ts',
    '../services/act.ts',
    'cli-imports-only-what-it-may',
  ],
  [
    'the page goes round the client',
    'web/src/a.ts',
    '../../src/store/store.ts',
    'page-uses-client-and-protocol',
  ],
  [
    'somebody else builds the server',
    'src/mirror/a.ts',
    '../server/http/http-listener.ts',
    'only-the-composition-root-builds',
  ],
  [
    'the server knows a door',
    'src/server/a.ts',
    '../doors/mcp/endpoint.ts',
    'server-imports-only-what-it-may',
  ],
  ['a door knows another', 'src/doors/relay/a.ts', '../mcp/endpoint.ts', 'a-door-knows-no-other'],
  [
    'a door is known without the list',
    'src/compose/a.ts',
    '../doors/mcp/endpoint.ts',
    'only-the-list-knows-doors',
  ],
]

test.each(forbidden)('[HS1] the control: refused when %s', async (_what, path, imported, rule) => {
  expect(
    await violationsIn({
      ...target,
      [path]: `import { x } from '${imported}'\nexport const y = x`,
    }),
  ).toContain(rule)
  // Types are erased, but they are knowledge all the same.
  expect(
    await violationsIn({
      ...target,
      [path]: `import type { x } from '${imported}'\nexport type Y = typeof x`,
    }),
  ).toContain(rule)
})

test('[HS1] the control: a cycle is refused', async () => {
  const cycle = {
    'src/domain/a.ts': "import { b } from './b.ts'\nexport const a = () => b",
    'src/domain/b.ts': "import { a } from './a.ts'\nexport const b = () => a",
  }
  expect(await violationsIn(cycle)).toContain('no-cycles')
})

test('[HS1] [HS23] the allowed directions pass', async () => {
  const allowed = {
    'src/main.ts': "import { run } from './cli/run.ts'\nrun()",
    'src/cli/run.ts': "import { start } from '../compose/start.ts'\nexport const run = start",
    'src/compose/start.ts':
      "import { x } from '../server/http/http-listener.ts'\nimport { doors } from '../doors/door-list.ts'\nexport const start = () => [x, doors]",
    'src/doors/door-list.ts': "import { d } from './mcp/endpoint.ts'\nexport const doors = [d]",
    'src/doors/mcp/endpoint.ts': "import { x } from '../../server/a.ts'\nexport const d = x",
    'src/server/a.ts': 'export const x = 1',
    'src/server/http/http-listener.ts':
      "import { y } from '../../services/act.ts'\nexport const x = y",
    'src/services/act.ts': "import { z } from '../store/store.ts'\nexport const y = z",
    'src/store/store.ts': "import { d } from '../domain/d.ts'\nexport const z = d",
    'src/domain/d.ts': 'export const d = 1',
  }
  expect(await violationsIn(allowed)).toEqual([])
})
