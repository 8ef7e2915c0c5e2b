/** The real server of a build as a process to be killed, on the port it had before. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readOwnerToken } from '../../src/platform/secrets/owner-token.ts'
import { atTheEnd } from '../support/at-the-end.ts'
import { forShortLives } from '../support/running-server.ts'
import { pieceOf } from './build.ts'

/** Only for what hangs: the machine may have much else to do. */
const readyMs = 600_000
const maxErrorText = 20_000

export interface ServerProcess {
  readonly child: ChildProcess
  readonly exited: Promise<void>
  /** Rejects when it ends before it is ready. */
  readonly ready: Promise<{ readonly url: string; readonly token: string }>
}

export async function startServer(
  build: string,
  data: string,
  port: number,
  env: Readonly<Record<string, string>> = {},
  kind: 'server' | 'up' = 'server',
): Promise<ServerProcess> {
  const args = [
    ...forShortLives,
    await pieceOf(build, 'main'),
    kind,
    '--port',
    String(port),
    '--data',
    data,
  ]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = atTheEnd(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit').then(ended)
  let errors = ''
  child.stderr.on('data', (bytes) => {
    errors = `${errors}${bytes}`.slice(-maxErrorText)
  })
  const ready = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The server was not ready within ${readyMs} ms\n${errors}`)),
      readyMs,
    )
    let text = ''
    child.stdout.on('data', (bytes) => {
      text += bytes
      const url = /^Holdfast is ready at (\S+)$/m.exec(text)?.[1]
      if (url) resolve(url)
    })
    void exited.then(() => {
      clearTimeout(timer)
      reject(
        new Error(
          `The server ended with ${child.exitCode ?? child.signalCode} before it was ready\n${errors}`,
        ),
      )
    })
  }).then(async (url) => ({
    url,
    token: env['HOLDFAST_TOKEN'] ?? (await readOwnerToken(data)) ?? '',
  }))
  // A test that kills it while it starts does not wait for this.
  ready.catch(() => undefined)
  return { child, exited, ready }
}
