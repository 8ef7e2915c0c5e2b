/** A script as a process that is gone when the test is. */
import { onTestFinished } from 'vitest'
import { runScript, type Started, type StartOptions } from './script-process.ts'

export async function startScript(script: string, options: StartOptions = {}): Promise<Started> {
  const started = await runScript(script, options)
  onTestFinished(() => started.kill())
  return started
}
