/**
 * A small load balancer of the tests' own, as nginx and its like are set up in front of several
 * nodes: asks each node whether it is ready, sends requests and WebSockets to those that are, one
 * after the other, tries the next when one cannot be reached or says that it goes away, and leaves
 * open connections alone whatever becomes of the node behind them. Keeps no connection to a node
 * for later.
 */
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

const checkEveryMs = 200
const checkWithinMs = 1000
/** A node that has not begun to answer by then is given up; calls that are held take longer. */
const answerWithinMs = 10_000
const heldAnswerWithinMs = 30_000

export interface Balancer {
  readonly url: string
  /** Where requests are sent from now on; health is looked at anew. */
  use(ports: readonly number[]): void
  /** How many open connections lead to this node. */
  openTo(port: number): number
  close(): Promise<void>
}

interface Node {
  readonly port: number
  up: boolean
  checking: boolean
  readonly open: Set<Socket>
}

export async function startBalancer(): Promise<Balancer> {
  let nodes: Node[] = []
  let turn = 0
  const clients = new Set<Socket>()
  const inOrder = (): Node[] => {
    // When none says that it is ready, what they answer is better than nothing.
    const ready = nodes.filter((node) => node.up)
    const up = ready.length > 0 ? ready : nodes
    const from = turn++ % Math.max(1, up.length)
    return [...up.slice(from), ...up.slice(0, from)]
  }

  const server = createServer((incoming, outgoing) => {
    const pieces: Buffer[] = []
    incoming.on('data', (bytes: Buffer) => pieces.push(bytes))
    incoming.on('end', () => forward(incoming, Buffer.concat(pieces), outgoing, inOrder()))
    incoming.on('error', () => outgoing.destroy())
  })
  server.on('connection', (socket) => {
    clients.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => clients.delete(socket))
  })
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    tunnel(incoming, socket, inOrder())
  })
  const timer = setInterval(() => {
    for (const node of nodes) if (!node.checking) check(node)
  }, checkEveryMs)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    use: (ports) => {
      nodes = ports.map((each) => ({
        port: each,
        up: true,
        checking: false,
        open: nodes.find((node) => node.port === each)?.open ?? new Set(),
      }))
    },
    openTo: (each) => nodes.find((node) => node.port === each)?.open.size ?? 0,
    close: async () => {
      clearInterval(timer)
      for (const socket of clients) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function check(node: Node): void {
  node.checking = true
  const done = (up: boolean): void => {
    node.up = up
    node.checking = false
  }
  const asked = request(
    { host: '127.0.0.1', port: node.port, path: '/readyz', agent: false, timeout: checkWithinMs },
    (answer) => {
      answer.resume()
      done(answer.statusCode === 200)
    },
  )
  asked.on('timeout', () => asked.destroy(new Error('silent')))
  asked.on('error', () => done(false))
  asked.end()
}

function forward(
  incoming: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
  [node, ...others]: readonly Node[],
): void {
  if (!node) return refuse(outgoing, 502)
  const { method = 'GET', url = '/', headers } = incoming
  let began = false
  const asked: ClientRequest = request(
    { host: '127.0.0.1', port: node.port, method, path: url, headers, agent: false },
    (answer) => {
      clearTimeout(late)
      began = true
      // Nothing was done there, and a request that only reads may be sent on.
      if (answer.statusCode === 503 && method === 'GET' && others.length > 0) {
        answer.resume()
        return forward(incoming, body, outgoing, others)
      }
      const { connection: _, 'keep-alive': __, ...kept } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, kept)
      outgoing.flushHeaders()
      answer.pipe(outgoing)
      answer.on('error', () => outgoing.destroy())
      answer.on('close', () => answer.complete || outgoing.destroy())
    },
  )
  const late = setTimeout(
    () => asked.destroy(new Error('late')),
    url === '/mcp' ? heldAnswerWithinMs : answerWithinMs,
  )
  asked.on('socket', (socket) => {
    socket.setNoDelay(true)
    node.open.add(socket)
    socket.on('close', () => node.open.delete(socket))
  })
  asked.on('error', (error: NodeJS.ErrnoException) => {
    clearTimeout(late)
    // Never arrived anywhere: the next one may have it.
    if (error.code === 'ECONNREFUSED') forward(incoming, body, outgoing, others)
    else if (!began) refuse(outgoing, 504)
  })
  outgoing.on('close', () => outgoing.writableFinished || asked.destroy())
  asked.end(body)
}

function refuse(outgoing: ServerResponse, status: number): void {
  if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy()
  outgoing.writeHead(status, { 'content-length': 0 }).end()
}

function tunnel(
  incoming: IncomingMessage,
  client: Socket,
  [node, ...others]: readonly Node[],
): void {
  if (!node)
    return void client.end(
      'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
    )
  const upstream = connect(node.port, '127.0.0.1')
  upstream.setNoDelay(true)
  node.open.add(upstream)
  let state: 'asked' | 'flowing' | 'passed on' = 'asked'
  const next = (): void => {
    if (state !== 'asked') return
    state = 'passed on'
    upstream.destroy()
    tunnel(incoming, client, others)
  }
  const late = setTimeout(next, answerWithinMs)
  upstream.on('connect', () => {
    const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`]
    for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
      lines.push(`${incoming.rawHeaders[at]}: ${incoming.rawHeaders[at + 1]}`)
    }
    upstream.write(`${lines.join('\r\n')}\r\n\r\n`)
  })
  upstream.once('data', (first: Buffer) => {
    clearTimeout(late)
    if (first.toString('latin1').startsWith('HTTP/1.1 503') && others.length > 0) return next()
    state = 'flowing'
    client.write(first)
    upstream.pipe(client)
    client.pipe(upstream)
  })
  client.on('close', () => upstream.destroy())
  upstream.on('error', next)
  upstream.on('close', () => {
    clearTimeout(late)
    node.open.delete(upstream)
    if (state === 'flowing') client.destroy()
    else next()
  })
}
