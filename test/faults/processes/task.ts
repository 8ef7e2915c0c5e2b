/** What a started process is told (stdin), and how it reports (descriptor 3, at once and whole). */
import { readFileSync, writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import type { LoadReport } from '../ledger.ts'

const readTask = <Task>(): Task => JSON.parse(readFileSync(0, 'utf8')) as Task

export function report(one: LoadReport): void {
  const line = Buffer.from(`${JSON.stringify(one)}\n`)
  for (let at = 0; at < line.length; ) at += writeSync(3, line, at)
}

/** Runs the task; whatever goes wrong is reported, never swallowed. */
export async function perform<Task>(work: (task: Task) => Promise<void>): Promise<void> {
  // Now, because a process that is killed does it never.
  flushCompileCache()
  try {
    await work(readTask<Task>())
  } catch (error) {
    report({ type: 'failed', text: error instanceof Error ? String(error.stack) : String(error) })
    process.exitCode = 1
  }
}
