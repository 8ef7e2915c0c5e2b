/**
 * Stands in front of an agent as its `wrapper` and writes what goes to and fro, a JSON line for
 * each message: `node tee.ts FILE PROGRAM …`. It ends as the agent ends.
 */
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'

const [file = '', program = '', ...args] = process.argv.slice(2)
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })

function pass(from: Readable, to: Writable, side: 'to' | 'from'): void {
  let rest = ''
  from.setEncoding('utf8').on('data', (text: string) => {
    to.write(text)
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines)
      if (line.startsWith('{')) appendFileSync(file, `{"${side}":${line}}\n`)
  })
  from.on('end', () => to.end())
  to.on('error', () => {})
}
pass(process.stdin, child.stdin, 'to')
pass(child.stdout, process.stdout, 'from')
child.on('exit', (code, signal) => {
  if (signal) process.kill(process.pid, signal)
  else process.exit(code ?? 1)
})
