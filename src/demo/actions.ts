/** Actions of both demo agents on their machine: writing below their folder and leaving a child process. */
import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative } from 'node:path'
import { makeFolderInside, openInside, PathRefused, realPathInside } from '../platform/files/path-inside.ts'
import type { Directive } from './directives.ts'

/** Upper bound of a child's lifetime. */
const childLifetimeMs = 600_000

/** Starts a child that outlives this process unless the whole group is ended. */
export function forkChild(): number | undefined {
  const child = spawn(process.execPath, ['-e', `setTimeout(() => {}, ${childLifetimeMs})`], { stdio: 'ignore' })
  child.unref()
  return child.pid
}

/** Returns whether the file was written; refuses a path outside of the folder, also through links, or inside .git. */
export async function writeBelow(folder: string, path: string, text: string): Promise<boolean> {
  try {
    const target = await realPathInside(folder, isAbsolute(path) ? relative(folder, path) : path)
    const root = await realpath(folder)
    const way = relative(root, target)
    if (dirname(way) !== '.') await makeFolderInside(root, dirname(way), 0o777)
    const file = await openInside(root, target, constants.O_WRONLY | constants.O_CREAT)
    try {
      await file.truncate()
      await file.writeFile(text)
    } finally {
      await file.close()
    }
    return true
  } catch (error) {
    if (error instanceof PathRefused) return false
    throw error
  }
}

/** Directives that use our tools, shared by both demo agents: the call to make, and its result in words. */
export interface ToolUse {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

type ToolStep = Extract<Directive, { do: 'record' | 'checkpoint' | 'tell' }>

export function toolFor(step: ToolStep): ToolUse {
  if (step.do === 'tell') return { name: 'send_message', args: { to_agent_id: step.agentId, content: step.text } }
  if (step.do === 'checkpoint') return { name: 'save_checkpoint', args: step.text === '' ? {} : { context_summary: step.text } }
  const description = step.text || 'The demo agent was told to record'
  return { name: 'record_approach', args: { kind: 'verified', category: 'demo', description } }
}

/** Describes a refusal like any other answer. */
export async function toolInWords({ name }: ToolUse, call: () => Promise<unknown>, signal: AbortSignal): Promise<string> {
  try {
    await call()
    return `${name}: done`
  } catch (error) {
    if (signal.aborted) throw error
    return `${name}: ${error instanceof Error ? error.message : String(error)}`
  }
}
