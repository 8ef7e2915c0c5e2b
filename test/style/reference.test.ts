/**
 * The reference says everything. That its pages are those the generator writes is a step of
 * `npm run check`, which `npm test` runs.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorCatalogue } from '../../src/domain/errors.ts'
import { configKeys } from '../../src/protocol/config.ts'
import { routes } from '../../src/protocol/routes.ts'
import { filesOfTheRepository, pathsOfTheRepository, root } from './source-files.ts'

const reference = (name: string): string => readFileSync(join(root, 'docs/reference', name), 'utf8')

test('[HS7] every error code is documented with what to do', () => {
  const page = reference('errors.md')
  const missing = Object.entries(errorCatalogue).filter(
    ([code, { next }]) =>
      !page.includes(`| \`${code}\` |`) || !page.includes(next.replaceAll('|', '\\|')),
  )
  expect(missing).toEqual([])
})

test('[HS7] every route and every configuration value is documented', () => {
  const [http, config] = [reference('http.md'), reference('config.md')]
  expect(
    Object.values(routes).filter(({ method, path }) => !http.includes(`### ${method} ${path}\n`)),
  ).toEqual([])
  expect(configKeys.filter((key) => !config.includes(`| \`${key}\` |`))).toEqual([])
})

test('[HS7] links between the documents lead somewhere', () => {
  const known = pathsOfTheRepository()
  const leadsTo = (target: string): boolean =>
    known.some((path) => path === target || path.startsWith(`${target}/`))
  const links = filesOfTheRepository()
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)].map(
        ([, link = '']) => ({
          path,
          target: join(path, '..', link).replace(/\/$/, ''),
        }),
      ),
    )
  expect(links.filter(({ target }) => !leadsTo(target))).toEqual([])
})

/**
 * Files and folders of the code that a document names: `src/store`, `test/style/old-words.ts`,
 * `server/processes/work-scanner.ts`.
 */
const namedIn = (text: string): string[] =>
  [
    ...text.matchAll(
      /`((?:src|web|test|scripts|bench)\/[\w./-]+|[\w-]+\/[\w./-]+\.(?:tsx?|cjs))`/g,
    ),
  ].map(([, path = '']) => path.replace(/\/$/, ''))

test('[HS7] files and folders of the code that documents name exist', () => {
  const known = pathsOfTheRepository()
  const exists = (named: string): boolean =>
    known.some(
      (path) =>
        path === named ||
        path.startsWith(`${named}/`) ||
        path === `src/${named}` ||
        path.startsWith(`src/${named}/`),
    )
  const missing = filesOfTheRepository()
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      namedIn(text)
        .filter((named) => !exists(named))
        .map((named) => `${path} names ${named}`),
    )
  expect(missing).toEqual([])
  expect(
    namedIn('see `src/store/log/` and `cli/gone.ts`, not `a/b.json`').filter(
      (named) => !exists(named),
    ),
  ).toEqual(['cli/gone.ts'])
})
