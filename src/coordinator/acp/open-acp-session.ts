/**
 * Initializes an agent and opens a new ACP session or restores an earlier one (AC1, AC4). Respects
 * the agent's capabilities. A failed restore falls back to a new session and says so.
 */
import { type McpServer, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'
import { type Fields, fieldsOf } from '../../platform/json.ts'
import { hasQuirk } from '../../protocol/agents/known-agents.ts'
import type { LaunchParticulars } from '../../protocol/processes/link.ts'
import { type Detail, noticesOf, statusNotice, textOf } from '../../protocol/status-texts.ts'
import type { AgentAbilities, AgentMode, AgentOption } from '../../protocol/turns/agent-update.ts'
import { gatewayVariables } from '../gateway/agent-gateway.ts'
import type { NewFact, WithoutLaunch } from '../spool.ts'
import type { Workspace } from '../worktrees/make-workspace.ts'
import type { AcpAgentOptions } from './agent-options.ts'
import { AcpFailure, failureOf } from './failure.ts'
import { initializeMs, listMs, loadMs, openMs, signInMs } from './limits.ts'
import { type SignInWay, signInSteps, signInWaysOf, unattendedWay } from './sign-in.ts'
import { modelsOf, modesOf, optionsOf } from './updates.ts'
import { lineOf, listOf, wholeOf } from './wire.ts'

export interface AgentFacts {
  readonly name: string
  readonly version: string | null
  readonly abilities: AgentAbilities
  readonly takesFolders: boolean
  readonly signInWays: readonly SignInWay[]
}

/** An MCP server to give to the agent. Ours uses the launch token as bearer (AC2). */
export interface ToolServer {
  readonly name: string
  readonly url: string
  readonly bearer: string
  /** The same server as a program, for agents without MCP over HTTP. */
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
  /** How it was opened. `notRestored` says why an earlier one was not restored. */
  readonly how: 'new' | 'loaded' | 'resumed'
  readonly notRestored: Detail | null
}

export const earlierSession = (
  acpSessionId: string | null,
  forks?: boolean,
): EarlierAcpSession | null => (acpSessionId === null ? null : { acpSessionId, forks })

/** Sends a request; rejects with AcpFailure, also when the answer takes too long. */
export type TimedRequest = (method: string, params: object, limitMs: number) => Promise<Fields>

export interface StartedAgent {
  readonly agentId: string
  readonly command: string
  readonly args: readonly string[]
  /** Names of the variables that were chosen for it. */
  readonly variables: ReadonlySet<string>
}

export function startedAgent({
  agentId,
  command,
  args,
  env,
  secrets,
  isolation,
}: LaunchParticulars): StartedAgent {
  const given = isolation?.gateway
    ? gatewayVariables({ command, args, agentInfo: isolation.agentInfo })
    : []
  return {
    agentId,
    command,
    args,
    variables: new Set([...Object.keys(env), ...Object.keys(secrets.environment), ...given]),
  }
}

export interface OpeningOptions {
  readonly ask: TimedRequest
  readonly version: string
  readonly started?: StartedAgent | undefined
}

export async function initialize({ ask, version }: OpeningOptions): Promise<AgentFacts> {
  const request = {
    protocolVersion: PROTOCOL_VERSION,
    // AC2: agents use their own files and terminals.
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      auth: { terminal: true },
      elicitation: { form: {}, url: {} },
      session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
    },
    clientInfo: { name: 'holdfast', title: 'Holdfast', version },
  }
  const answer = await ask(methods.agent.initialize, request, initializeMs)
  const theirVersion = wholeOf(answer['protocolVersion'])
  if (theirVersion !== PROTOCOL_VERSION)
    throw new AcpFailure(
      'version',
      statusNotice('otherAcp', { theirs: theirVersion ?? 'unknown', ours: PROTOCOL_VERSION }),
    )
  const capabilities = fieldsOf(answer['agentCapabilities'])
  const info = fieldsOf(answer['agentInfo'])
  return {
    name: lineOf(info['name']) ?? 'agent',
    version: lineOf(info['version']) ?? null,
    abilities: abilitiesOf(capabilities, answer),
    takesFolders: isOffered(fieldsOf(capabilities['sessionCapabilities'])['additionalDirectories']),
    signInWays: signInWaysOf(answer['authMethods']),
  }
}

/** AG13: what the agent says it offers. */
function abilitiesOf(capabilities: Fields, answer: Fields): AgentAbilities {
  const [prompts, acpSessions, auth, mcp] = [
    'promptCapabilities',
    'sessionCapabilities',
    'auth',
    'mcpCapabilities',
  ].map((name) => fieldsOf(capabilities[name]))
  const offers = (name: string): boolean => isOffered(acpSessions?.[name])
  return {
    load: capabilities['loadSession'] === true,
    resume: offers('resume'),
    list: offers('list'),
    close: offers('close'),
    delete: offers('delete'),
    fork: offers('fork'),
    images: prompts?.['image'] === true,
    audio: prompts?.['audio'] === true,
    embeddedFiles: prompts?.['embeddedContext'] === true,
    mcpOverHttp: mcp?.['http'] === true,
    logout: isOffered(auth?.['logout']),
    signIn: listOf(answer['authMethods']).flatMap((method) => lineOf(method['id']) ?? []),
  }
}

const isOffered = (capability: unknown): boolean =>
  typeof capability === 'object' && capability !== null

export interface AcpSessionSetup {
  readonly folder: string
  /**
   * The folder was made for this process, so earlier sessions were in another one, which is gone.
   */
  readonly isNew?: boolean
  readonly toolServers: readonly ToolServer[]
  /** Further folders that the agent may see. */
  readonly folders?: readonly string[]
}

export async function openAcpSession(
  { ask }: OpeningOptions,
  facts: AgentFacts,
  setup: AcpSessionSetup,
): Promise<OpenedAcpSession> {
  const answer = await ask(methods.agent.session.new, setupRequest(facts, setup), openMs)
  const acpSessionId = lineOf(answer['sessionId'])
  if (acpSessionId === undefined || acpSessionId === '' || acpSessionId !== answer['sessionId'])
    throw new AcpFailure('nonsense', statusNotice('noUsableId'))
  return opened(answer, acpSessionId, 'new')
}

/**
 * Restores a session by any method the agent supports. If none works, opens a new one and says why.
 */
export async function restoreAcpSession(
  options: OpeningOptions,
  facts: AgentFacts,
  setup: AcpSessionSetup,
  { acpSessionId, forks = false }: EarlierAcpSession,
): Promise<OpenedAcpSession> {
  const { resume, load, list } = facts.abilities
  const request = { sessionId: acpSessionId, ...setupRequest(facts, setup) }
  if (forks) return forkAcpSession(options, facts, setup, request)
  const loses = hasQuirk(facts.name, 'load_loses')
  let why: Detail = statusNotice(load && loses ? 'loadLoses' : 'cannotBringBack')
  // A resume replays nothing.
  const ways = [
    ['resumed', methods.agent.session.resume, resume],
    ['loaded', methods.agent.session.load, load && !loses],
  ] as const
  for (const [how, method, isOffered] of ways) {
    if (!isOffered) continue
    try {
      return opened(await options.ask(method, request, loadMs), acpSessionId, how)
    } catch (error) {
      const failure = failureOf(error, method)
      // The agent is gone or does not answer, so another attempt is useless.
      if (failure.code !== 'refused') throw failure
      why = failure.detail
    }
  }
  if (list && (await isGone(options, acpSessionId, setup.folder)))
    why = statusNotice('acpSessionGone')
  return { ...(await openAcpSession(options, facts, setup)), notRestored: why }
}

/**
 * Whether the agent lists its sessions and this is not among them. Agents refuse unknown sessions
 * with words that say nothing.
 */
async function isGone(
  { ask }: OpeningOptions,
  acpSessionId: string,
  cwd: string,
): Promise<boolean> {
  const answer = await ask(methods.agent.session.list, { cwd }, listMs).catch((): Fields => ({}))
  const isWhole = Array.isArray(answer['sessions']) && !answer['nextCursor']
  return isWhole && !listOf(answer['sessions']).some((each) => each['sessionId'] === acpSessionId)
}

/** Not in the stable part of the protocol: used only where it is offered. */
const forkMethod = 'session/fork'

/** AC12: begins as a copy of another session. An agent that cannot gets a new one. */
async function forkAcpSession(
  options: OpeningOptions,
  facts: AgentFacts,
  setup: AcpSessionSetup,
  request: object,
): Promise<OpenedAcpSession> {
  const forked = facts.abilities.fork ? options.ask(forkMethod, request, loadMs) : undefined
  const answer = fieldsOf(await forked?.catch(() => undefined))
  const acpSessionId = lineOf(answer['sessionId'])
  return acpSessionId
    ? opened(answer, acpSessionId, 'resumed')
    : openAcpSession(options, facts, setup)
}

export interface EarlierAcpSession {
  readonly acpSessionId: string
  readonly forks?: boolean | undefined
}

const opened = (
  answer: Fields,
  acpSessionId: string,
  how: OpenedAcpSession['how'],
): OpenedAcpSession => ({
  acpSessionId,
  ...modesOf(answer),
  options: allOptionsOf(answer),
  how,
  notRestored: null,
})

function allOptionsOf(answer: Fields): AgentOption[] {
  const options = optionsOf(answer['configOptions'])
  return options.some(({ category }) => category === 'model')
    ? options
    : [...options, ...modelsOf(answer)]
}

const setupRequest = (facts: AgentFacts, setup: AcpSessionSetup) => ({
  cwd: setup.folder,
  mcpServers: serversFor(facts, setup),
  ...(facts.takesFolders && setup.folders?.length && { additionalDirectories: [...setup.folders] }),
})

function serversFor({ abilities }: AgentFacts, { toolServers }: AcpSessionSetup): McpServer[] {
  return toolServers.flatMap(({ name, url, bearer, program }): McpServer[] => {
    if (abilities.mcpOverHttp)
      return [
        {
          type: 'http',
          name,
          url,
          headers: [{ name: 'Authorization', value: `Bearer ${bearer}` }],
        },
      ]
    if (!program) return []
    const env = Object.entries(program.env).map(([key, value]) => ({ name: key, value }))
    return [{ name, command: program.command, args: [...program.args], env }]
  })
}

/**
 * AC9: signs in where that needs nobody, and tries again. Otherwise the failure says how a person
 * can.
 */
export async function signedIn<Opened>(
  { ask, started }: OpeningOptions,
  { name, signInWays }: AgentFacts,
  open: () => Promise<Opened>,
): Promise<Opened> {
  const isRefused = (error: unknown): error is AcpFailure =>
    error instanceof AcpFailure && error.code === 'sign_in'
  const way = started && unattendedWay(name, signInWays, started.variables)
  const signIn = (methodId: string) => ask(methods.agent.authenticate, { methodId }, signInMs)
  try {
    if (way && hasQuirk(name, 'authenticate_first')) await signIn(way.id)
    return await open().catch(async (error: unknown) => {
      if (!way || !isRefused(error)) throw error
      await signIn(way.id)
      return open()
    })
  } catch (error) {
    if (!isRefused(error) || signInWays.length === 0 || !started) throw error
    const ways = signInSteps(signInWays, started)
    throw new AcpFailure(
      'sign_in',
      statusNotice('signInWays', { why: error.detail, ways, agent: started.agentId }),
      error.whole,
    )
  }
}

/**
 * AC2: Holdfast's own MCP server, for approaches, checkpoints and tasks. `contextId` is empty where
 * servers name none.
 */
export function holdfastToolServer(
  { serverUrl, program, particulars }: AcpAgentOptions,
  contextId: string,
): ToolServer {
  const { launchToken } = particulars
  const [command, ...args] = program
  const bearer = contextId === '' ? launchToken : `${launchToken}.${contextId}`
  const env = {
    HOLDFAST_URL: serverUrl,
    HOLDFAST_LAUNCH_TOKEN: launchToken,
    HOLDFAST_TOKEN: bearer,
  }
  return {
    name: 'holdfast',
    url: `${serverUrl}/mcp`,
    bearer,
    program: { command, args: [...args, 'mcp'], env },
  }
}

/** The fact that an agent is ready, with what it offers. `cut` bounds and masks a text. */
export function readyFact(
  facts: AgentFacts,
  { acpSessionId, how, notRestored: why, modes, modeId, options }: OpenedAcpSession,
  folder: string,
  workspace: Workspace | undefined,
  cut: (detail: Detail | null) => Detail | null,
): WithoutLaunch<Extract<NewFact, { type: 'agent-ready' }>> {
  const notRestored = cut(why)
  const note = cut(workspace?.kind === 'plain' ? workspace.why : null)
  return {
    type: 'agent-ready',
    acpSessionId,
    how,
    notRestored: notRestored && textOf(notRestored),
    workspace: folder,
    branch: workspace?.kind === 'worktree' ? workspace.branch : null,
    note: note && textOf(note),
    notices: noticesOf({ notRestored, note }),
    agentName: facts.name,
    agentVersion: facts.version,
    can: facts.abilities,
    images: facts.abilities.images,
    modes: [...modes],
    modeId,
    options: [...options],
  }
}
