/**
 * Actions of both demo agents on their machine: writing below their folder and leaving a child
 * process.
 */
import { execFile, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, relative } from 'node:path'
import {
  makeFolderInside,
  openInside,
  PathRefused,
  realPathInside,
} from '../platform/files/path-inside.ts'
import { fieldsOf, parsedJson } from '../platform/json.ts'
import type { Directive } from './directives.ts'

const childLifetimeMs = 600_000

/** Starts a child that outlives this process unless the whole group is ended. */
export function forkChild(): number | undefined {
  const child = spawn(process.execPath, ['-e', `setTimeout(() => {}, ${childLifetimeMs})`], {
    stdio: 'ignore',
  })
  child.unref()
  return child.pid
}

const shownCommand = 'ls -l'
const commandTimeoutMs = 5000

/** The command that `[[run]]` stands for. It knows two, which change nothing. */
export const commandOf = (text: string): string =>
  /^echo [\w -]{1,200}$/.test(text) ? text : shownCommand

/** Returns its output and exit code. No shell reads it. */
export function runCommand(
  command: string,
  cwd: string,
  signal: AbortSignal,
): Promise<{ output: string; exitCode: number }> {
  const [program = '', ...args] = command.split(' ')
  return new Promise((resolve) => {
    execFile(program, args, { cwd, signal, timeout: commandTimeoutMs }, (error, stdout, stderr) => {
      resolve({
        output: `${stdout}${stderr}`.trimEnd(),
        exitCode: error ? Number(error.code) || 1 : 0,
      })
    })
  })
}

const maxDiffBytes = 1024 * 1024

/** The text of a file below the folder as it is; null: there is none, or it is too long to show. */
export async function readBelow(folder: string, path: string): Promise<string | null> {
  try {
    const target = await realPathInside(folder, isAbsolute(path) ? relative(folder, path) : path)
    const found = await stat(target)
    return found.isFile() && found.size <= maxDiffBytes ? await readFile(target, 'utf8') : null
  } catch {
    return null
  }
}

/**
 * Returns whether the file was written; refuses a path outside of the folder, also through links,
 * or inside .git.
 */
export async function writeBelow(folder: string, path: string, text: string): Promise<boolean> {
  try {
    const target = await realPathInside(folder, isAbsolute(path) ? relative(folder, path) : path)
    const root = await realpath(folder)
    const way = relative(root, target)
    if (dirname(way) !== '.') await makeFolderInside(root, dirname(way), 0o777)
    await using file = await openInside(root, target, constants.O_WRONLY | constants.O_CREAT)
    await file.truncate()
    await file.writeFile(text)
    return true
  } catch (error) {
    if (error instanceof PathRefused) return false
    throw error
  }
}

/**
 * Directives that use our tools, shared by both demo agents: the call to make, and its result in
 * words.
 */
export interface ToolUse {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

type ToolStep = Extract<Directive, { do: 'record' | 'checkpoint' | 'tell' | 'tool' }>

export function toolFor(step: ToolStep): ToolUse {
  if (step.do === 'tell')
    return { name: 'send_message', args: { to_agent_id: step.agentId, content: step.text } }
  if (step.do === 'checkpoint')
    return { name: 'save_checkpoint', args: step.text === '' ? {} : { context_summary: step.text } }
  if (step.do === 'tool') {
    const [, name = '', given = ''] = /^(\w*)\s*([\s\S]*)$/.exec(step.text) ?? []
    return { name, args: fieldsOf(parsedJson(given)) }
  }
  const description = step.text || 'The demo agent was told to record'
  return { name: 'record_approach', args: { kind: 'verified', category: 'demo', description } }
}

/** Describes a refusal like any other answer. */
export async function toolInWords(
  { name }: ToolUse,
  call: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<string> {
  try {
    await call()
    return `${name}: done`
  } catch (error) {
    if (signal.aborted) throw error
    return `${name}: ${error instanceof Error ? error.message : String(error)}`
  }
}
