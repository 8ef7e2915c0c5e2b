/**
 * Keeps the declarations that the library's own one refers to; the rest of the product is not to be
 * imported.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface PublishedTypes {
  /** Paths, the entry among them. */
  readonly files: ReadonlySet<string>
  /** What they import from elsewhere: these packages must be dependencies. */
  readonly packages: ReadonlySet<string>
}

export function publishedTypes(entry: string): PublishedTypes {
  const files = new Set<string>()
  const packages = new Set<string>()
  const waiting = [entry]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue
    files.add(file)
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(
      /^[^/*]*(?:from |import\()['"]([^'"]+)['"]/gm,
    )) {
      if (from.startsWith('.')) waiting.push(join(dirname(file), from.replace(/\.ts$/, '.d.ts')))
      else packages.add(packageOf(from))
    }
  }
  return { files, packages }
}

/** `zod/v4/core` is in `zod`. */
const packageOf = (from: string): string =>
  from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/')
