/**
 * Finds the folder and version of this package, whether it runs from source (src/) or bundled
 * (dist/server/). Files of the package are found from here, never from the working directory.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface PackageRoot {
  readonly folder: string
  readonly version: string
}

/** A bound for the search, far deeper than any file of ours. */
const MAX_LEVELS = 16

export function findPackageRoot(from: string = import.meta.dirname): PackageRoot {
  let folder = from
  for (let level = 0; level < MAX_LEVELS; level++) {
    const found = readPackage(join(folder, 'package.json'))
    if (found?.name === 'holdfast') return { folder, version: found.version }
    const parent = dirname(folder)
    if (parent === folder) break
    folder = parent
  }
  throw new Error(
    `There is no package.json of holdfast above ${from}; the installation is incomplete.`,
  )
}

function readPackage(path: string): { name: string; version: string } | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
  return JSON.parse(text) as { name: string; version: string }
}
