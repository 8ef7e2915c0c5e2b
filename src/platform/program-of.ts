/**
 * What is really started for the command of an agent's entry. `holdfast` is this very program: the Node and the form (source or
 * bundle) that run now, never something of that name in the PATH. Every other command is the system's to find.
 */
import { join } from 'node:path'
import { ownProgram } from '../domain/agent/own-program.ts'
import { findPackageRoot } from './package-root.ts'

export interface Program {
  readonly file: string
  readonly args: readonly string[]
}

export function programOf(command: string, args: readonly string[]): Program {
  if (command !== ownProgram) return { file: command, args }
  const isSource = import.meta.filename.endsWith('.ts')
  const entry = join(findPackageRoot().folder, ...(isSource ? ['src', 'main.ts'] : ['dist', 'server', 'main.js']))
  return { file: process.execPath, args: [entry, ...args] }
}
