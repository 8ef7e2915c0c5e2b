/**
 * A server with an ACP agent in a project, the relay's clients on real WebSockets, and a machine
 * that the test plays over the link.
 */

import type { Notice } from '../../src/domain/notices.ts'
import { type LaunchOrder, type LinkFact, linkVersion } from '../../src/protocol/processes/link.ts'
import type {
  AgentAbilities,
  AgentUpdate,
  PermissionRequest,
  TurnUsage,
} from '../../src/protocol/turns/agent-update.ts'
import type { Question } from '../../src/protocol/turns/question.ts'
import { createToken } from '../../src/services/access/change-access.ts'
import { type Said, started } from '../services/processes/launch-pad.ts'
import { ownerWho } from '../services/projects/installation.ts'
import { openSocket, type SocketClient } from './feed-clients.ts'
import { openTestServer, type TestServer, type TestServerOptions } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects, and fails when it is not there
type Anything = any

export interface Machine {
  readonly id: string
  readonly socket: SocketClient
  readonly welcome: Anything
  readonly snapshot: Anything
  /** The body of the next order of this type. */
  order(type: string): Promise<Anything>
  /** The next order of one of these types, with its type. */
  orderOf(types: readonly string[]): Promise<Anything>
  ask(message: object): Promise<Anything>
  tell(...said: Said[]): Promise<Anything>
  /** From the order of a launch to an agent that can be prompted; its launch. */
  /** How a launch is started that was begun for it. */
  particulars(launchId: string): Anything
  /** Those that were sent until now. */
  begun(): Promise<Anything[]>
  bringUp(): Promise<string>
  /** The next turn that is ordered. */
  turn(): Promise<{
    launchId: string
    turnId: string
    content: Anything
    context?: Anything
    configure?: Anything
  }>
  /** Answers the next turn in so many pieces. */
  answer(...pieces: string[]): Promise<string>
}

export interface InSession {
  readonly sessionId: string
}

export interface Console {
  readonly server: TestServer
  readonly projectId: string
  readonly token: string
  client(token?: string): Promise<SocketClient>
  machine(instance?: string): Promise<Machine>
  /** A new session, as its messages name it. */
  created(client: SocketClient): Promise<InSession>
  /** A session with one agent whose launch a machine has taken and not yet started. */
  taken(role?: string): Promise<AgentInSession>
  /** A session with one agent that is ready, seen by one client and played by one machine. */
  ready(role?: string): Promise<AgentInSession>
}

interface AgentInSession {
  readonly client: SocketClient
  readonly machine: Machine
  readonly inside: InSession
  readonly launchId: string
}

export async function openConsole(
  options: TestServerOptions = {},
  settings: object = {},
): Promise<Console> {
  const server = await openTestServer(options)
  const post = async (path: string, body: unknown): Promise<Anything> =>
    (await server.ask(path, { method: 'POST', body })).json
  const { id: projectId } = await post('/api/projects', { name: 'console', settings })
  for (const id of ['coder', 'critic']) {
    await post('/api/agents', {
      id,
      name: id,
      protocol: 'acp',
      command: 'holdfast',
      args: ['demo'],
    })
    await server.ask(`/api/projects/${projectId}/agents/${id}`, { method: 'PUT', body: {} })
  }
  const { token, id } = await server.store.run(createToken, {
    name: 'machine',
    kind: 'coordinator',
    by: ownerWho,
  })
  const client = (as = server.ownerToken) => openSocket({ port: server.port, token: as })
  const machine = (instance = 'first') => playMachine(server, id, token, instance)
  const created = async (on: SocketClient): Promise<InSession> => {
    on.send({ type: 'session:create', projectId })
    return { sessionId: (await on.next('session:created')).sessionId }
  }
  return {
    server,
    projectId,
    token,
    client,
    machine,
    created,
    async taken(role = 'auth') {
      const played = await machine()
      const on = await client()
      const inside = await created(on)
      on.send({ type: 'agent:spawn', ...inside, role })
      const { launchId } = await played.order('launch-begun')
      return { client: on, machine: played, inside, launchId }
    },
    async ready(role = 'auth') {
      const played = await machine()
      const on = await client()
      const inside = await created(on)
      on.send({ type: 'agent:spawn', ...inside, role })
      const launchId = await played.bringUp()
      await on.next('agent:ready')
      return { client: on, machine: played, inside, launchId }
    },
  }
}

export async function playMachine(
  server: TestServer,
  id: string,
  token: string,
  instance = 'first',
  machine = 'laptop',
  holds?: readonly string[],
): Promise<Machine> {
  const socket = await openSocket({ port: server.port, token })
  const about = { linkVersion, version: '1', machine, bootId: 'b', pid: 1 }
  socket.send({ type: 'coordinator:hello', instance, epoch: null, ...about, requestId: 'hello' })
  const welcome = await socket.next('coordinator:welcome')
  const snapshot = await socket.next('snapshot')
  let n = welcome.lastFact
  let asked = 0
  const { launches } = snapshot.state[`coordinator:${id}`]
  const launchIds = launches.map(({ launchId }: LaunchOrder) => launchId)
  socket.send({ type: 'coordinator:holds', launchIds: holds ?? launchIds })
  const orders: Anything[] = []
  const begun = new Map<string, Anything>()
  /** An event of its stream, or a launch that was begun for it. */
  const orderIn = (message: Anything): Anything => {
    if (message.type !== 'coordinator:offer') return message.event
    begun.set(message.launch.launchId, message.launch)
    return { type: 'launch-begun', data: message.launch }
  }
  const isOrder = ({ type }: Anything): boolean => type === 'event' || type === 'coordinator:offer'
  /** Orders and answers come mixed: what was not asked for is kept. */
  const orderOf = async (types: readonly string[]): Promise<Anything> => {
    const kept = orders.findIndex(({ type }) => types.includes(type))
    if (kept >= 0) return orders.splice(kept, 1)[0]
    for (;;) {
      const order = orderIn(await socket.inbox.next(isOrder))
      if (types.includes(order.type)) return order
      orders.push(order)
    }
  }
  const order = async (type: string): Promise<Anything> => (await orderOf([type])).data
  const ask = async (message: object): Promise<Anything> => {
    const requestId = `ask ${++asked}`
    socket.send({ epoch: welcome.epoch, requestId, ...message })
    return socket.inbox.next((each: Anything) => {
      if (isOrder(each)) orders.push(orderIn(each))
      return each.requestId === requestId
    })
  }
  const tell = (...said: Said[]): Promise<Anything> => {
    const facts = said.map((each) => ({ ...each, n: ++n }) as LinkFact)
    return ask({ type: 'coordinator:facts', facts })
  }
  return {
    id,
    socket,
    welcome,
    snapshot,
    order,
    orderOf,
    ask,
    tell,
    particulars: (launchId) => begun.get(launchId),
    async begun() {
      // What was sent before is read before the answer.
      await tell()
      const found = orders.filter(({ type }) => type === 'launch-begun')
      orders.splice(0, orders.length, ...orders.filter((each) => !found.includes(each)))
      return found.map(({ data }) => data)
    },
    async bringUp() {
      const { launchId } = await order('launch-begun')
      await tell(started(launchId), readyAgent(launchId))
      return launchId
    },
    turn: () => order('turn-ordered'),
    async answer(...pieces) {
      const { launchId, turnId } = await order('turn-ordered')
      await tell(...pieces.map((text) => said(launchId, turnId, text)), turnEnded(launchId, turnId))
      return turnId
    },
  }
}

/** What an agent says of a context that offers nothing to choose. */
export const nothingOffered = { images: false, modes: [], modeId: null, options: [] }

const abilities: AgentAbilities = {
  load: true,
  resume: true,
  list: false,
  close: false,
  delete: false,
  fork: false,
  images: false,
  audio: false,
  embeddedFiles: false,
  mcpOverHttp: false,
  logout: false,
  signIn: [],
}

export const readyAgent = (
  launchId: string,
  how: 'new' | 'loaded' = 'new',
  agentName = 'demo',
): Said => ({
  type: 'agent-ready',
  launchId,
  acpSessionId: `acp of ${launchId}`,
  how,
  notRestored: null,
  workspace: '/tmp/work/auth',
  branch: 'holdfast/1/auth',
  note: null,
  agentName,
  agentVersion: '1',
  can: abilities,
  ...nothingOffered,
})

export const update = (launchId: string, turnId: string | null, what: AgentUpdate): Said => ({
  type: 'turn-update',
  launchId,
  turnId,
  update: what,
})

export const said = (launchId: string, turnId: string, text: string): Said =>
  update(launchId, turnId, { kind: 'text', text })

export const turnEnded = (
  launchId: string,
  turnId: string,
  how: {
    outcome?: 'answered' | 'cancelled' | 'failed'
    stopReason?: string
    error?: string
    notice?: Notice
    notRun?: 'refused'
    cancelIgnored?: boolean
    usage?: TurnUsage
  } = {},
): Said => ({
  type: 'turn-ended',
  launchId,
  turnId,
  outcome: how.outcome ?? 'answered',
  stopReason: how.stopReason ?? (how.outcome === undefined ? 'end_turn' : null),
  error: how.error ?? null,
  ...(how.notice && { notice: how.notice }),
  ...(how.notRun && { notRun: how.notRun }),
  ...(how.usage && { usage: how.usage }),
  ...(how.cancelIgnored && { cancelIgnored: true }),
})

export const question = (
  toolKind: PermissionRequest['call']['toolKind'] = 'edit',
): PermissionRequest => ({
  call: {
    toolCallId: 'call 1',
    title: 'Write hello.txt',
    toolKind,
    status: 'pending',
    input: '{"path":"hello.txt"}',
    locations: [],
    content: [],
    cut: false,
  },
  options: [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'no', name: 'Deny', kind: 'reject_once' },
  ],
  digest: 'a'.repeat(64),
  likeness: 'b'.repeat(64),
})

export const asks = (
  launchId: string,
  turnId: string,
  askId: string,
  request = question(),
): Said => ({
  type: 'permission-asked',
  launchId,
  turnId,
  askId,
  request,
})

/** A question with a form, as an agent's elicitation is told by a coordinator. */
export const form: Question = {
  message: 'Which colour?',
  schema: {
    type: 'object',
    properties: {
      colour: {
        type: 'string',
        oneOf: [
          { const: 'red', title: 'Red' },
          { const: 'blue', title: 'Blue' },
        ],
      },
      count: { type: 'integer', minimum: 1, maximum: 9 },
    },
    required: ['colour'],
  },
  url: null,
}

export const questions = (
  launchId: string,
  turnId: string,
  askId: string,
  question = form,
): Said => ({
  type: 'elicitation-asked',
  launchId,
  turnId,
  askId,
  question,
})

/**
 * Time goes by while these are there: a client that does not answer a heartbeat would be cut off.
 */
export async function pass(room: Console, ms: number, ...sockets: SocketClient[]): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5000) {
    room.server.clock.advance(Math.min(5000, ms - passed))
    for (const { webSocket, closed } of sockets) {
      const answered = new Promise<void>((resolve) => webSocket.once('pong', () => resolve()))
      const cut = closed.then(({ code, reason }) =>
        Promise.reject(new Error(`closed while time went by: ${code} ${reason}`)),
      )
      webSocket.ping()
      await Promise.race([answered, cut])
    }
  }
}
