/**
 * A real server on a real store and a loopback port of its own, and the plainest of clients: what
 * is sent is what a test says.
 */

import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { AgentPreparations } from '../../src/adapters/agents/agent-preparations.ts'
import { AgentDetection } from '../../src/adapters/agents/detect-agents.ts'
import type { AgentSignIns } from '../../src/compose/agent-sign-in.ts'
import { sandboxTrial } from '../../src/coordinator/sandbox/try-agent.ts'
import { doors } from '../../src/doors/door-list.ts'
import { noteDay, noteFiles } from '../../src/jobs/cutover.ts'
import { projectFiles } from '../../src/jobs/start-jobs.ts'
import { conversationFile } from '../../src/mirror/conversation-file.ts'
import { Mirror } from '../../src/mirror/mirror.ts'
import { mirroredFiles } from '../../src/mirror/mirrored-files.ts'
import { restoreFromPath } from '../../src/offline/restore-from-path.ts'
import { createLogger } from '../../src/platform/log/logger.ts'
import { hashSecret, newSecret } from '../../src/platform/secrets/secrets.ts'
import { sandboxLimits } from '../../src/protocol/processes/sandbox-limits.ts'
import { HttpListener, type HttpListenerOptions } from '../../src/server/http/http-listener.ts'
import {
  firstWordMs,
  type Listeners,
  type ListenersOptions,
  startListeners,
} from '../../src/server/start-listeners.ts'
import type { Store } from '../../src/store/store.ts'
import type { ManualClock } from './manual-clock.ts'
import { testSeals } from './seals.ts'
import { openTestStore, type TestStore } from './store.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects, and fails when it is not there
  readonly json: any
}

export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** A string or bytes go as they are; anything else as JSON. */
  readonly body?: unknown
  /** The owner's when left out; null sends none. */
  readonly token?: string | null
}

export interface TestServer {
  readonly server: Listeners
  readonly url: string
  readonly port: number
  readonly store: Store
  readonly clock: ManualClock
  readonly folder: string
  readonly ownerToken: string
  /** Everything logged so far. */
  readonly log: () => string
  ask(path: string, ask?: Ask): Promise<Answer>
  /**
   * Sends these bytes and gives back everything that comes until the server closes, or `until` is
   * in it.
   */
  raw(bytes: string | Buffer, until?: string): Promise<string>
}

export type TestServerOptions = Partial<
  HttpListenerOptions &
    Pick<ListenersOptions, 'ownerTokenHash' | 'detectAgents' | 'expectsCoordinator' | 'signInRules'>
> & {
  /** Processes at once on a machine that says nothing of its own. */
  readonly maxConcurrent?: number
  /** `projects.roots` */
  readonly roots?: readonly string[]
  readonly testStore?: TestStore
  /** Environment in which agents are found, installed and signed in; without it none is. */
  readonly programs?: Readonly<Record<string, string>>
}

export async function openTestServer({
  testStore,
  ...options
}: TestServerOptions = {}): Promise<TestServer> {
  const { store, clock, folder } = testStore ?? (await openTestStore())
  const ownerToken = newSecret('owner')
  const lines: string[] = []
  const destination = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  const listener = new HttpListener({
    logger: createLogger({ level: 'debug', format: 'json', destination }),
    listen: { host: '127.0.0.1', port: 0 },
    publicUrl: null,
    behindProxy: false,
    version: '0.0.0-test',
    pageFolder: null,
    ...options,
  })
  await listener.listen()
  const coordinatorRules = {
    maxConcurrent: options.maxConcurrent ?? 64,
    aloneMinutes: 30,
    takeoverMinutes: null,
    sandboxLimits: sandboxLimits(),
  }
  const { ownerTokenHash = hashSecret(ownerToken), expectsCoordinator } = options
  const targets = [projectFiles(store, listener.options.logger), conversationFile, noteFiles(store)]
  const mirror = new Mirror({ store, clock, logger: listener.options.logger, folder, targets })
  onTestFinished(() => mirror.stop())
  const files = {
    ...mirroredFiles({ mirror, store, data: folder, noteDay: (day) => noteDay(store, day) }),
    bringBack: restoreFromPath(store, folder),
  }
  let signIns: Promise<AgentSignIns> | undefined
  onTestFinished(async () => (await signIns)?.close())
  const { programs = {} } = options
  const detection = new AgentDetection({ env: programs, data: folder, clock })
  const preparations = new AgentPreparations({ env: programs, data: folder, clock, detection })
  onTestFinished(() => preparations.close())
  const server = await startListeners({
    listener,
    doors,
    store,
    clock,
    ownerTokenHash,
    seals: testSeals,
    files,
    coordinatorRules,
    folderRules: { data: folder, roots: options.roots ?? [] },
    detectAgents: options.programs ? detection.detect : options.detectAgents,
    probeSandbox: sandboxTrial(process.env, folder),
    preparations,
    signIns: () =>
      (signIns ??= import('../../src/compose/agent-sign-in.ts').then(
        (all) => new all.AgentSignIns(process.env),
      )),
    expectsCoordinator,
    signInRules: options.signInRules,
  })
  onTestFinished(async () => {
    const closed = server.close()
    // Who has connected and said nothing, as fetch does with a spare connection, is let go after a
    // moment of this clock.
    clock.advance(firstWordMs)
    await closed
  })
  const port = Number(new URL(listener.url).port)
  // What is asked one after the other needs no connection each.
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  return {
    server,
    url: listener.url,
    port,
    store,
    clock,
    folder,
    ownerToken,
    log: () => lines.join(''),
    ask: (path, ask = {}) => send(agent, port, path, { token: ownerToken, ...ask }),
    raw: (bytes, until) => sendRaw(port, bytes, until),
  }
}

function send(
  agent: Agent,
  port: number,
  path: string,
  { method = 'GET', headers = {}, body, token }: Ask,
): Promise<Answer> {
  const bytes =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
      ? body
      : JSON.stringify(body)
  const all = {
    host: `127.0.0.1:${port}`,
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(bytes === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(bytes)) }),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      path,
      method,
      headers: all as Record<string, string>,
      agent,
    })
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = /json/.test(response.headers['content-type'] ?? '')
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: isJson && text !== '' ? JSON.parse(text) : undefined,
        })
      })
    })
    request.end(bytes)
  })
}

function sendRaw(port: number, bytes: string | Buffer, until?: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(bytes))
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk
      if (until !== undefined && text.includes(until)) socket.destroy()
    })
    socket.on('close', () => resolve(text))
  })
}
