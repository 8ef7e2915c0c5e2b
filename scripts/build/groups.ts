/**
 * What of a bundle lies together in one file. Left alone, each module that two programs share would
 * be a file of its own: to find, read and link one costs a third of a millisecond, and a server
 * would begin with a hundred of them. A group holds what is always needed together, and never
 * anything that a program loads late on purpose: a program that needs one module of a group loads
 * the whole group.
 */
import type { RolldownOutput } from 'rolldown'

const inside = (folder: string, names: readonly string[]): string[] =>
  names.map((name) => `${folder}/${name}\\.ts$`)
const oneOf = (...patterns: readonly string[]): RegExp =>
  new RegExp(patterns.map((pattern) => `/${pattern}`).join('|'))

/**
 * Loaded by every command at once, and by the server before its port listens (SP1); it leads to
 * nothing else. Not what needs SQLite, of which Node 24 prints a warning when it is loaded.
 */
const base = [
  ...inside('src/domain', ['errors', 'nearest', 'notices']),
  ...inside('src/protocol', [
    'config',
    'config-parsing',
    'problem',
    'unseen-characters',
    'access/sign-in-link',
  ]),
  ...inside('src/platform', [
    'config/config',
    'config/config-file',
    'files/atomic-file',
    'files/caller-folder',
    'files/data-folder',
    'files/make-folder',
    'files/package-root',
    'files/plain-file',
    'files/run-file',
    'files/secret-files',
    'json',
    'log/mask',
    'log/visible',
    'processes/launch-mark',
    'processes/processes',
    'processes/processes-linux',
    'processes/processes-ps',
    'processes/signals',
    'processes/start-failure',
    'secrets/owner-token',
    'secrets/randomness',
    'secrets/secrets',
    'time/clock',
  ]),
]

/** Without what changes or moves whole databases. */
const store = [
  'node_modules/kysely/',
  'src/store/(access|agent-sessions|agents|approvals|channels|consoles|conversations|processes|projects|schema|system|turns|work|worktrees)/',
  ...inside('src/store', ['meta', 'page-cursor', 'rows', 'statement', 'store']),
  ...inside('src/store/log', ['doorbell', 'event-log', 'reader', 'receipts']),
]

/** A name that has gone puts nothing together any more (test/repository/both-forms.test.ts). */
export const named = [...base, ...store].map((pattern) => oneOf(pattern))

/** What dependencies ask Node for. */
const builtins = { name: 'builtins', test: /builtin:/ }

/** Groups of a program that does one thing. */
export const ungrouped = { groups: [builtins] }

/** Groups of the product, which has many commands. The first group that matches gets the module. */
export const grouped = {
  groups: [
    builtins,
    { name: 'base', test: oneOf(...base) },
    { name: 'domain', test: oneOf('src/domain/') },
    { name: 'zod', test: oneOf('node_modules/zod/') },
    { name: 'store', test: oneOf(...store) },
  ],
  // Only what is named: otherwise everything that the store's queries import would be the store's.
  includeDependenciesRecursively: false,
}

/** Files that import each other would run in an order that nobody wrote. */
export function refuseCycles(output: readonly RolldownOutput['output'][number][]): void {
  const imports = new Map(
    output.flatMap((file) =>
      file.type === 'chunk' ? [[file.fileName, file.imports] as const] : [],
    ),
  )
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name))
      throw new Error(`Files of the bundle import each other: ${[...path, name].join(' → ')}`)
    if (done.has(name)) return
    for (const next of imports.get(name) ?? []) visit(next, [...path, name])
    done.add(name)
  }
  for (const name of imports.keys()) visit(name, [])
}
