/**
 * The gateway (GW1-GW5): an endpoint on loopback through which agents reach their model. Each
 * launch has a token of its own, which the agent uses as its key; the real one is added on the way
 * out. Answers pass unbuffered, and what they used is counted and reported.
 */

import { createHmac, hash } from 'node:crypto'
import {
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent, request as requestTls } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { KnownSecrets } from '../../platform/log/known-secrets.ts'
import type { NewFact } from '../spool.ts'
import { bytesOf, masking, unpacked, withoutUsageChunk } from './answer-body.ts'
import {
  bodyOf,
  headersOut,
  leftOut,
  modelPaths,
  refuse,
  targetOf,
  tokenOf,
  withKey,
} from './passed-request.ts'
import { readBody } from './request-body.ts'
import { nothingUsed, UsageCounter } from './usage-counter.ts'

const maxHeaderBytes = 64 * 1024
const maxBodyBytes = 64 * 1024 * 1024
const mostLaunchBytes = 256 * 1024 * 1024
const maxStreams = 64
/** An answer of which nothing moves for so long is cut. Models may think for minutes. */
const idleMs = 15 * 60_000

export interface GatewayOptions {
  readonly report: (fact: NewFact) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly idleMs?: number
  /** Bound for all requests of a launch that are read or sent at a time. */
  readonly maxLaunchBytes?: number
}

export interface AskedModel {
  readonly turnId: string | null
  readonly model: string
}

export interface GatewayLaunch {
  readonly launchId: string
  readonly launchToken: string
  readonly upstream: string
  readonly key: string
  /** The turn that its requests belong to; null when none runs, or several. */
  readonly turn: () => string | null
  /** GW3: the reason why a request must not leave. */
  readonly refuse: (model: AskedModel) => string | undefined
}

export interface OpenGateway {
  readonly url: string
  readonly port: number
  readonly token: string
  /** Serves a connection from the launch's sandbox: no other launch's token counts there. */
  readonly accept: (socket: Socket) => void
  readonly close: () => void
}

interface Held extends GatewayLaunch {
  readonly secrets: KnownSecrets
  /** Open answers, each with what reports it. */
  readonly answers: Map<ServerResponse, () => void>
  /** The size of their requests. */
  bytes: number
}

export class Gateway {
  readonly #options: GatewayOptions
  readonly #server = createServer({
    maxHeaderSize: maxHeaderBytes,
    requestTimeout: 120_000,
    keepAliveTimeout: 60_000,
  })
  /** By the hash of their token. */
  readonly #launches = new Map<string, Held>()
  /** Connections that come from a launch's sandbox. */
  readonly #boundTo = new WeakMap<Socket, Held>()
  readonly #agents: { readonly http: HttpAgent; readonly https: HttpsAgent }
  #listening: Promise<number> | undefined

  constructor(options: GatewayOptions) {
    this.#options = options
    const agentOptions = { keepAlive: true, proxyEnv: options.env }
    this.#agents = { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) }
    this.#server.on(
      'request',
      (request, answer) => void this.#serve(request, answer).catch(() => answer.destroy()),
    )
    this.#server.on('clientError', (_, socket) => socket.destroy())
  }

  async open(launch: GatewayLaunch): Promise<OpenGateway> {
    this.#listening ??= new Promise((resolve, reject) => {
      this.#server
        .once('error', reject)
        .listen(0, '127.0.0.1', () => resolve((this.#server.address() as AddressInfo).port))
    })
    const port = await this.#listening
    const token = gatewayToken(launch.launchToken)
    const held: Held = { ...launch, secrets: bytesOf(launch.key), answers: new Map(), bytes: 0 }
    this.#launches.set(hashOf(token), held)
    return {
      url: `http://127.0.0.1:${port}`,
      port,
      token,
      accept: (socket) => {
        this.#boundTo.set(socket, held)
        this.#server.emit('connection', socket)
        socket.resume()
      },
      close: () => {
        this.#launches.delete(hashOf(token))
        for (const [answer, tell] of held.answers) {
          tell()
          answer.destroy()
        }
      },
    }
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
    this.#agents.http.destroy()
    this.#agents.https.destroy()
  }

  async #serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const token = tokenOf(request)
    const launch = token === undefined ? undefined : this.#launches.get(hashOf(token))
    const bound = this.#boundTo.get(request.socket)
    // A page in a browser on this machine has an origin, and may come under another name.
    if (
      request.headers.origin !== undefined ||
      !/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '')
    )
      return refuse(answer, 403, 'foreign_origin', 'The gateway is for agents on this machine.')
    if (!launch || (bound && bound !== launch))
      return refuse(answer, 401, 'wrong_token', 'The key is not the token of a running launch.')
    const url = URL.parse(request.url ?? '', 'http://gateway')
    const target =
      url && modelPaths[request.method ?? '']?.test(url.pathname)
        ? targetOf(launch.upstream, url)
        : undefined
    if (!target)
      return refuse(answer, 404, 'no_model_api', 'Only requests to models pass the gateway.')
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
      return refuse(
        answer,
        415,
        'encoded_body',
        'A request is counted by what it asks for. Send it without content-encoding.',
      )
    if (launch.answers.size >= maxStreams)
      return refuse(
        answer,
        429,
        'too_many_streams',
        `A launch has at most ${maxStreams} requests at once. Wait for one to end.`,
      )
    launch.answers.set(answer, () => {})
    const { maxLaunchBytes = mostLaunchBytes } = this.#options
    let held = 0
    answer.once('close', () => {
      launch.answers.delete(answer)
      launch.bytes -= held
    })
    const body = await bodyOf(request, (bytes) => {
      if (answer.closed) return false
      held += bytes
      launch.bytes += bytes
      return held <= maxBodyBytes && launch.bytes <= maxLaunchBytes
    })
    if (!body)
      return refuse(
        answer,
        413,
        'body_too_large',
        `A request has at most ${maxBodyBytes} bytes, all of a launch ${maxLaunchBytes}.`,
      )
    this.#pass(launch, token ?? '', target, body, request, answer)
  }

  #pass(
    launch: Held,
    token: string,
    target: URL,
    sent: Buffer,
    caller: IncomingMessage,
    answer: ServerResponse,
  ): void {
    const { launchId, key, secrets } = launch
    const pathModel = /\/models\/([^/:]+)/.exec(target.pathname)?.[1]
    const named = pathModel && decodeURIComponent(pathModel)
    const read =
      caller.method === 'POST'
        ? readBody(target.pathname, named, sent)
        : { model: named ?? '', body: sent, addedUsage: false }
    if ('problem' in read)
      return refuse(
        answer,
        400,
        'not_countable',
        `${read.problem} A request is counted by what it asks for.`,
      )
    const { model, body, addedUsage } = read
    const of = { launchId, turnId: launch.turn(), model }
    const reason = launch.refuse(of)
    if (reason !== undefined) return refuse(answer, 403, 'refused', reason)
    const { report } = this.#options
    const isCounted =
      caller.method === 'POST' && !/count_tokens$|input_tokens$|countTokens$/.test(target.pathname)
    if (isCounted) report({ type: 'model-asked', ...of })
    let counter: UsageCounter | undefined
    let hasArrived = false
    let isWhole = false
    // Exact only where the answer told so, or where it is known that nothing was used.
    const tell = (finished?: true): void => {
      if (!isCounted || isReported) return
      isReported = true
      report({
        type: 'model-answered',
        ...of,
        ...(finished ? { ...nothingUsed, finished } : (counter?.end(isWhole) ?? unknown)),
      })
    }
    let isReported = false
    launch.answers.set(answer, tell)
    const headers = {
      ...headersOut(caller, token, key),
      host: target.host,
      'content-length': String(body.length),
    }
    const isTls = target.protocol === 'https:'
    const options = {
      method: caller.method,
      headers,
      agent: isTls ? this.#agents.https : this.#agents.http,
    }
    const upstream = isTls
      ? requestTls(withKey(target, token, key), options)
      : request(withKey(target, token, key), options)
    const idle = setTimeout(
      () => upstream.destroy(new Error('idle')),
      this.#options.idleMs ?? idleMs,
    )
    upstream.once('response', (came) => {
      const status = came.statusCode ?? 502
      const passedHeaders = Object.entries(came.headers).filter(
        ([name, value]) => !leftOut.has(name) && !secrets.has(`${name}: ${value}`),
      )
      // Also one that leads elsewhere: nothing of a model is in it.
      if (status >= 300) tell(true)
      else counter = new UsageCounter(target.pathname, came.headers['content-type'])
      const content = unpacked(came)
      if (!content) {
        upstream.destroy()
        return refuse(
          answer,
          502,
          'packed_answer',
          `The model at ${target.host} packs its answers in a way that cannot be read.`,
        )
      }
      content.on('data', (chunk: Buffer) => {
        idle.refresh()
        counter?.read(chunk)
        // Before its end is passed on: what an agent has whole is counted, whenever the coordinator
        // is killed.
        if (counter?.isOver) tell()
      })
      content.once('end', () => {
        isWhole = true
        tell()
      })
      content.once('error', () => answer.destroy())
      came.once('end', () => {
        hasArrived = true
      })
      answer.writeHead(status, Object.fromEntries(passedHeaders))
      answer.flushHeaders()
      answer.on('drain', () => idle.refresh())
      const clean = content.pipe(masking(secrets))
      const isStream = came.headers['content-type']?.startsWith('text/event-stream')
      const passed = addedUsage && isStream ? clean.pipe(withoutUsageChunk()) : clean
      passed.pipe(answer)
    })
    upstream.once('error', (error: NodeJS.ErrnoException) => {
      tell(unreached.has(error.code ?? '') ? true : undefined)
      if (answer.headersSent || answer.destroyed) return void answer.destroy()
      refuse(
        answer,
        502,
        'upstream_gone',
        secrets.mask(`The model at ${target.host} cannot be reached: ${error.message}`),
      )
    })
    upstream.once('close', () => {
      clearTimeout(idle)
      // What has arrived whole may still be on its way through the unpacking.
      if (hasArrived) return
      tell()
      if (answer.headersSent && !answer.writableEnded) answer.destroy()
    })
    answer.once('close', () => {
      upstream.destroy()
      tell()
    })
    upstream.end(body)
  }
}

const unknown = { ...nothingUsed, finished: false }
/** The request has not left. */
const unreached = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** What the agent has as its key. It is good for the gateway alone. */
export const gatewayToken = (launchToken: string): string =>
  `hf-gateway-${createHmac('sha256', launchToken).update('gateway').digest('base64url')}`

const hashOf = (token: string): string => hash('sha256', token)
