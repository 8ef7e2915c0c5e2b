/**
 * Finds the folders that programs need in a sandbox: a program and its package, toolchains, our own
 * files.
 */
import { realpathSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { findPackageRoot } from '../../platform/files/package-root.ts'
import { isBelow } from '../../platform/files/path-inside.ts'
import { findProgram } from '../../platform/processes/find-program.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Whether a folder has none of these in it, and is not the root. */
export const isNarrow = (path: string, narrowed: readonly string[]): boolean =>
  path !== '/' && narrowed.every((each) => each !== path && !isBelow(path, each))

/**
 * A program, what its link leads to, and what lies beside it: its package, or the folder above
 * `bin`.
 */
export async function programFolders(
  command: string,
  variables: Variables,
  isItsOwn = (_: string): boolean => false,
): Promise<string[]> {
  const found = await findProgram(command, variables)
  if (!found || !isAbsolute(found) || isItsOwn(found)) return []
  const real = realpathSync(found)
  const modules = real.indexOf('/node_modules/')
  const folder = modules < 0 ? dirname(real) : real.slice(0, modules + '/node_modules'.length)
  // The folder lib/node_modules below a prefix belongs to a Node that is installed there.
  const prefix = /^(.+)\/lib\/node_modules$/.exec(folder)?.[1]
  const home = variables['HOME'] ?? '/nonexistent'
  const isShared = [home, join(home, '.local'), '/', '/opt'].includes(dirname(folder))
  const own = modules < 0 ? real : folder
  return [found, prefix ?? (basename(folder) === 'bin' && !isShared ? dirname(folder) : own)]
}

const homeToolchains = [
  ...['.nvm/versions', '.volta', '.fnm', '.asdf', '.rustup', '.pyenv', '.rbenv', '.sdkman'],
  ...['fnm', 'mise', 'uv', 'pnpm'].map((name) => `.local/share/${name}`),
  ...['.cargo/bin', '.bun/bin', '.deno/bin', 'go/bin', '.local/bin'],
]

export function toolchains(variables: Variables, home: string): string[] {
  const path = (variables['PATH'] ?? '')
    .split(delimiter)
    .filter((each) => isAbsolute(each) && isNarrow(each, [home]))
  const shared = ['/opt', '/nix', '/home/linuxbrew']
  return [...path, ...homeToolchains.map((each) => join(home, each)), ...shared, process.execPath]
}

/**
 * The program's own files, never the folder around them: in a clone, data folders and work of
 * people lie beside them.
 */
export const ownFiles = (): string[] =>
  ['package.json', 'dist', 'src', 'node_modules'].map((name) =>
    join(findPackageRoot().folder, name),
  )
