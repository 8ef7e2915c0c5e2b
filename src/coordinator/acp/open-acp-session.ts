/**
 * How a conversation begins: the handshake, then a new ACP session or an old one brought back (AC1, AC4). Capabilities are
 * respected; a load that fails falls back to a new session, and says so.
 */
import type { ClientContext, McpServer } from '@agentclientprotocol/sdk'
import { methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'
import type { OwnProgram } from '../../platform/program-of.ts'
import { statusText } from '../../protocol/sentences.ts'
import type { AgentMode, AgentOption } from '../../protocol/turns/agent-update.ts'
import { AcpFailure, failureOf } from './failure.ts'
import { initializeMs, loadMs, openMs } from './limits.ts'
import { type Fields, fieldsOf, lineOf, listOf, wholeOf } from './read-fields.ts'
import { modelsOf, modesOf, optionsOf } from './updates.ts'

/** What the agent says it is and can. */
export interface AgentFacts {
  readonly name: string
  readonly version: string | null
  readonly canLoad: boolean
  readonly canResume: boolean
  readonly images: boolean
  readonly embeddedFiles: boolean
  readonly mcpOverHttp: boolean
  readonly signInMethods: readonly { readonly id: string; readonly name: string; readonly description: string | null }[]
}

/** A server of tools to be given to the agent; ours is one, with the launch token as its bearer (AC2). */
export interface ToolServer {
  readonly name: string
  readonly url: string
  readonly bearer: string
  /** The same as a program, for agents that do not speak to addresses; without it they do without. */
  readonly program?: {
    readonly command: string
    readonly args: readonly string[]
    readonly env: Readonly<Record<string, string>>
  }
}

export interface OpenedAcpSession {
  readonly acpSessionId: string
  readonly modes: readonly AgentMode[]
  readonly modeId: string | null
  readonly options: readonly AgentOption[]
  /** How it was opened; for an old one that could not be brought back, why. */
  readonly how: 'new' | 'loaded' | 'resumed'
  readonly notRestored: string | null
}

type TimedRequest = <Answer>(method: string, ask: () => Promise<Answer>, limitMs: number) => Promise<Answer>

export interface OpeningOptions {
  readonly agent: ClientContext
  /** Waits for the answer, and no longer than this. */
  readonly ask: TimedRequest
  readonly version: string
}

export async function initialize({ agent, ask, version }: OpeningOptions): Promise<AgentFacts> {
  const request = {
    protocolVersion: PROTOCOL_VERSION,
    // AC2: agents use their own files and terminals.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'holdfast', title: 'Holdfast', version },
  }
  const answer = fieldsOf(await ask('initialize', () => agent.request(methods.agent.initialize, request), initializeMs))
  const theirVersion = wholeOf(answer['protocolVersion'])
  if (theirVersion !== PROTOCOL_VERSION)
    throw new AcpFailure('version', statusText('otherAcp', { theirs: theirVersion ?? 'unknown', ours: PROTOCOL_VERSION }))
  const capabilities = fieldsOf(answer['agentCapabilities'])
  const prompts = fieldsOf(capabilities['promptCapabilities'])
  const info = fieldsOf(answer['agentInfo'])
  return {
    name: lineOf(info['name']) ?? 'agent',
    version: lineOf(info['version']) ?? null,
    canLoad: capabilities['loadSession'] === true,
    canResume: isOffered(fieldsOf(capabilities['sessionCapabilities'])['resume']),
    images: prompts['image'] === true,
    embeddedFiles: prompts['embeddedContext'] === true,
    mcpOverHttp: fieldsOf(capabilities['mcpCapabilities'])['http'] === true,
    signInMethods: listOf(answer['authMethods']).flatMap(signInMethodOf),
  }
}

const isOffered = (capability: unknown): boolean => typeof capability === 'object' && capability !== null

function signInMethodOf(method: Fields): AgentFacts['signInMethods'] {
  const id = lineOf(method['id'])
  return id === undefined ? [] : [{ id, name: lineOf(method['name']) ?? id, description: lineOf(method['description']) ?? null }]
}

export interface AcpSessionSetup {
  readonly folder: string
  /** Made for this process: whatever was opened earlier was in another, which has gone. */
  readonly isNew?: boolean
  readonly toolServers: readonly ToolServer[]
}

export async function openAcpSession(
  { agent, ask }: OpeningOptions,
  facts: AgentFacts,
  setup: AcpSessionSetup,
): Promise<OpenedAcpSession> {
  const request = { cwd: setup.folder, mcpServers: serversFor(facts, setup) }
  const answer = fieldsOf(await ask('session/new', () => agent.request(methods.agent.session.new, request), openMs))
  const acpSessionId = lineOf(answer['sessionId'])
  if (acpSessionId === undefined || acpSessionId === '' || acpSessionId !== answer['sessionId'])
    throw new AcpFailure('nonsense', statusText('noUsableId'))
  return opened(answer, acpSessionId, 'new')
}

/** Brings an old one back by whatever the agent offers; when nothing works, begins anew and says why. */
export async function restoreAcpSession(
  options: OpeningOptions,
  facts: AgentFacts,
  setup: AcpSessionSetup,
  acpSessionId: string,
): Promise<OpenedAcpSession> {
  const { agent, ask } = options
  const request = { sessionId: acpSessionId, cwd: setup.folder, mcpServers: serversFor(facts, setup) }
  let why = statusText('cannotBringBack')
  const ways = [
    // Which replays nothing.
    facts.canResume ? (['resumed', methods.agent.session.resume] as const) : undefined,
    facts.canLoad ? (['loaded', methods.agent.session.load] as const) : undefined,
  ]
  for (const way of ways) {
    if (!way) continue
    const [how, method] = way
    try {
      return opened(fieldsOf(await ask(method, () => agent.request(method, request), loadMs)), acpSessionId, how)
    } catch (error) {
      const failure = failureOf(error, method)
      // It is gone, or does not answer: another question does not help.
      if (failure.code !== 'refused') throw failure
      why = failure.message
    }
  }
  return { ...(await openAcpSession(options, facts, setup)), notRestored: why }
}

const opened = (answer: Fields, acpSessionId: string, how: OpenedAcpSession['how']): OpenedAcpSession => ({
  acpSessionId,
  ...modesOf(answer),
  options: allOptionsOf(answer),
  how,
  notRestored: null,
})

function allOptionsOf(answer: Fields): AgentOption[] {
  const options = optionsOf(answer['configOptions'])
  return options.some(({ category }) => category === 'model') ? options : [...options, ...modelsOf(answer)]
}

function serversFor({ mcpOverHttp }: AgentFacts, { toolServers }: AcpSessionSetup): McpServer[] {
  return toolServers.flatMap(({ name, url, bearer, program }): McpServer[] => {
    if (mcpOverHttp) return [{ type: 'http', name, url, headers: [{ name: 'Authorization', value: `Bearer ${bearer}` }] }]
    if (!program) return []
    const env = Object.entries(program.env).map(([key, value]) => ({ name: key, value }))
    return [{ name, command: program.command, args: [...program.args], env }]
  })
}

/** SE4: what to do about it, as far as the agent says. */
export function addSignInMethods(error: unknown, { signInMethods }: AgentFacts): unknown {
  if (!(error instanceof AcpFailure) || error.code !== 'sign_in' || signInMethods.length === 0) return error
  const ways = signInMethods.map(({ name, description }) => (description ? `${name} (${description})` : name)).join('; ')
  return new AcpFailure('sign_in', statusText('signInFirst', { why: error.message, ways }))
}

interface ToolServerOptions {
  readonly serverUrl: string
  readonly program: OwnProgram
  readonly particulars: { readonly launchToken: string }
}

/** AC2: ours, with the launch token, so that it can record approaches, checkpoints and tasks. `contextId` empty: of a server that names none. */
export function holdfastToolServer(
  { serverUrl, program, particulars: { launchToken } }: ToolServerOptions,
  contextId: string,
): ToolServer {
  const [command, ...args] = program
  const bearer = contextId === '' ? launchToken : `${launchToken}.${contextId}`
  const env = { HOLDFAST_URL: serverUrl, HOLDFAST_LAUNCH_TOKEN: launchToken, HOLDFAST_TOKEN: bearer }
  return { name: 'holdfast', url: `${serverUrl}/mcp`, bearer, program: { command, args: [...args, 'mcp'], env } }
}
