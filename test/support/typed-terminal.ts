/** Somebody at a terminal, whose lines are typed one by one. Gone when the test is over. */
import { PassThrough } from 'node:stream'
import { expect, onTestFinished } from 'vitest'
import { run } from '../../src/cli/run.ts'

export function sitDown(argv: readonly string[], env: Record<string, string | undefined>) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => {
    const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 100 })
    stream.on('data', (bytes) => (written[name] += bytes))
    return stream
  }
  const terminal = {
    stdin,
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: { NO_COLOR: '1', ...env },
    cwd: '/',
  }
  const exit = run(argv, terminal)
  onTestFinished(async () => {
    stdin.end()
    await exit
  })
  return {
    type: (line: string) => void stdin.write(`${line}\n`),
    /** Keys, without Enter. */
    press: (keys: string) => void stdin.write(keys),
    sees: (what: string | RegExp, name: 'stdout' | 'stderr' = 'stdout') =>
      expect.poll(() => written[name]).toMatch(what),
    leave: () => {
      stdin.end()
      return exit
    },
    exit,
    written,
  }
}
