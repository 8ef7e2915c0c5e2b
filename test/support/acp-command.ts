/** `holdfast acp` as an editor starts it: a process, with a line of JSON-RPC for each message. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { atTheEnd } from './at-the-end.ts'
import { main } from './built-product.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails without it
type Anything = any

export interface AcpCommand {
  readonly child: ChildProcess
  readonly exited: Promise<unknown>
  /** Everything that came on standard output, as it came. */
  readonly lines: readonly Anything[]
  readonly notes: () => string
  send(message: object | string): void
  call(method: string, params: object): Promise<Anything>
  notify(method: string, params: object): void
  answer(id: unknown, result: object): void
  /** Resolves with the first message, also of those that came, that fits. */
  until(fits: (message: Anything) => boolean): Promise<Anything>
  /** What the agent was shown to say in a session. */
  text(key: string): string
  /** As an editor that is killed. */
  kill(): Promise<void>
}

export interface AcpCommandOptions {
  readonly data: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export function startAcp({ data, args = [], env = {} }: AcpCommandOptions): AcpCommand {
  const child = spawn(process.execPath, [main, 'acp', '--data', data, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = atTheEnd(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit').then(ended)
  const lines: Anything[] = []
  let notes = ''
  let waiting: (() => void)[] = []
  child.stderr?.on('data', (bytes: Buffer) => {
    notes += bytes.toString()
  })
  // The process may be gone before it has read everything.
  child.stdin?.on('error', () => {})
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    lines.push(JSON.parse(line))
    for (const wake of waiting.splice(0)) wake()
  })
  const until = async (fits: (message: Anything) => boolean): Promise<Anything> => {
    for (;;) {
      const found = lines.find(fits)
      if (found) return found
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }
  const send = (message: object | string): void =>
    void child.stdin?.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  // Far from the ids that made up lines have, which are answered too.
  let asked = 1_000_000_000
  return {
    child,
    exited,
    lines,
    notes: () => notes,
    send,
    until,
    call: (method, params) => {
      const id = ++asked
      send({ jsonrpc: '2.0', id, method, params })
      return until((each) => each.id === id && each.method === undefined)
    },
    notify: (method, params) => send({ jsonrpc: '2.0', method, params }),
    answer: (id, result) => send({ jsonrpc: '2.0', id, result }),
    text: (key) =>
      lines
        .filter(({ method, params }) => method === 'session/update' && params.sessionId === key)
        .map(({ params }) => params.update)
        .filter(({ sessionUpdate: kind }) => kind === 'agent_message_chunk')
        .map(({ content }) => content.text)
        .join(''),
    async kill() {
      child.kill('SIGKILL')
      waiting = []
      await exited
    },
  }
}

export const initialize = (command: AcpCommand, clientCapabilities: object = {}) =>
  command.call('initialize', { protocolVersion: 1, clientCapabilities })
