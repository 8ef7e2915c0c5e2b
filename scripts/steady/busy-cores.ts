/** Keeps every core busy, as another program would: one process for each. */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** Ends by itself when we are gone: its standard input is a pipe from here. */
const work = `process.stdin.on('end', () => process.exit()).resume()
const turn = () => { const until = performance.now() + 50; while (performance.now() < until); setImmediate(turn) }
turn()`

/** The answer ends them. */
export function keepCoresBusy(): () => void {
  const start = () => spawn(process.execPath, ['-e', work], { stdio: ['pipe', 'ignore', 'ignore'] })
  const workers = Array.from({ length: availableParallelism() }, start)
  return () => {
    for (const worker of workers) worker.kill('SIGKILL')
  }
}
