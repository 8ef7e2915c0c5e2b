/** Implementation of the commands under `holdfast agents`. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import type { Client } from '../../client/client.ts'
import type { SandboxMode } from '../../domain/agents/isolation.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Agent } from '../../protocol/agents/agent.ts'
import { secretOnce } from '../access/secret-once.ts'
import type { Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { findByName } from '../find-by-name.ts'
import { projectNames } from '../projects/project-names.ts'
import { fields, table } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { exact } from '../times.ts'
import { findDetected } from './detected-agents.ts'

/**
 * Reads the variables to give to an agent. Values are often secrets and other users of the machine can read command lines, so
 * they come from this environment, a file, or standard input.
 */
async function environmentToHandOver(terminal: Terminal, given: Given): Promise<Record<string, string> | undefined> {
  const env: Record<string, string> = {}
  const file = given.text('env-file')
  if (file !== undefined) Object.assign(env, parseEnv(await contentOf(terminal, file)))
  // Node reads --env-file itself unless told where its own options end, as the scripts of a clone do.
  for (const name of given.list('env')) {
    if (name === '-') {
      Object.assign(env, parseEnv(await readAll(terminal.stdin)))
      continue
    }
    const at = name.indexOf('=')
    if (at >= 0) {
      const bare = name.slice(0, at)
      throw usage(
        `--env takes a name, not a value: others on this machine could read it.`,
        `Run \`export ${bare}=…\` and use --env ${bare}, or --env-file.`,
      )
    }
    const value = terminal.env[name]
    if (value === undefined)
      throw usage(`The variable ${name} is not set here.`, `Run \`export ${name}=…\` first, or use --env-file.`)
    env[name] = value
  }
  return Object.keys(env).length > 0 ? env : undefined
}

async function contentOf(terminal: Terminal, file: string): Promise<string> {
  if (file === '-') return readAll(terminal.stdin)
  const path = resolve(terminal.cwd, file)
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usage(`${path} cannot be read (${error.code}).`, 'Name a file with NAME=value lines.')
  })
}

const pageSize = { query: { limit: 200 } }

export async function listAgents(context: CommandContext): Promise<void> {
  const client = await context.client()
  const { items, nextCursor, more } = await context.list(client.pages('/api/agents', pageSize))
  context.answer({ items, nextCursor }, () =>
    items.length === 0
      ? context.hint('No agents yet. Add one: holdfast agents add ID -- COMMAND')
      : table(
          items,
          [
            { title: 'ID', of: (each) => each.id, style: 'bold' },
            { title: 'NAME', of: (each) => each.name, shrinks: true },
            { title: 'PROTOCOL', of: (each) => each.protocol },
            { title: 'ROLE', of: (each) => each.role ?? '–' },
            { title: 'PROJECTS', of: (each) => String(each.projectIds.length) },
            { title: 'COMMAND', of: startLine, shrinks: true },
          ],
          context.paint,
          context.width,
        ),
  )
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

export async function showAgent(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const agent = await findAgent(client, given.operand(0))
  const nameOf = await projectNames(context, client)
  context.answer(agent, () => describe(context, agent, nameOf))
}

export async function add(context: CommandContext, given: Given): Promise<void> {
  const detected = given.text('detected')
  const id = given.optionalOperand(0) ?? detected
  if (id === undefined) throw usage('The id of the agent is missing.', '`holdfast agents add --help` shows what can be said.')
  const change = await changeOf(context, given)
  if (detected !== undefined && 'command' in change)
    throw usage('--detected brings its own command.', 'Leave out --detected, or what stands behind --.')
  const client = await context.client()
  const found = detected === undefined ? undefined : await findDetected(client, detected)
  // What the person adds comes to the recipe's variables.
  const env = { ...found?.draft.env, ...change.env }
  const body = { protocol: 'acp' as const, name: id, ...found?.draft, ...change, env, id }
  const { passkey: secret, ...agent } = await client.post('/api/agents', { body })
  context.done(`Added the agent ${context.paint('bold', visible(agent.id))}`)
  context.answer({ ...agent, passkey: secret }, () => `${describe(context, agent)}\n${passkeyOnce(context, agent.id, secret)}`)
  if (!context.json) context.note(context.hint(nextFor(agent)))
}

/** Hint after an agent was added: assign it to a project; an ACP agent must also be started. */
const nextFor = ({ id, protocol, command }: Agent): string =>
  protocol === 'acp' && !command
    ? `Nothing starts it yet, and one that speaks ACP is started by Holdfast: holdfast agents edit ${id} -- COMMAND`
    : `Let it work in a project: holdfast projects assign PROJECT ${id}`

export async function edit(context: CommandContext, given: Given): Promise<void> {
  const removed = given.list('remove-env')
  const change = await changeOf(context, given)
  if (Object.keys(change).length === 0 && removed.length === 0) {
    throw usage('There is nothing to change.', '`holdfast agents edit --help` shows what can be changed.')
  }
  const client = await context.client()
  const before = await findAgent(client, given.operand(0))
  // Values arrive masked; a mask sent back keeps the stored value.
  const kept = Object.entries(before.env).filter(([name]) => !removed.includes(name))
  const env = change.env || removed.length > 0 ? { env: { ...Object.fromEntries(kept), ...change.env } } : {}
  const agent = await client.patch('/api/agents/{agentId}', { params: { agentId: before.id }, body: { ...change, ...env } })
  context.done(`Changed the agent ${context.paint('bold', visible(agent.id))}`)
  context.answer(agent, () => describe(context, agent))
}

export async function remove(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id } = await findAgent(client, given.operand(0))
  await context.confirm(`Delete the agent ${visible(id)}?`, 'It is taken off its projects, and its passkey stops working.')
  await client.delete('/api/agents/{agentId}', { params: { agentId: id } })
  context.finished({ id, deleted: true }, `Deleted the agent ${visible(id)}`)
}

export async function passkey(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id } = await findAgent(client, given.operand(0))
  await context.confirm(`Replace the passkey of ${visible(id)}?`, 'The old one stops working at once.')
  const answer = await client.post('/api/agents/{agentId}/passkey', { params: { agentId: id } })
  context.done(`${visible(id)} has a new passkey`)
  context.answer(answer, () => passkeyOnce(context, id, answer.passkey))
}

interface AgentChange {
  name?: string
  protocol?: 'acp' | 'mcp'
  command?: string | null
  args?: string[]
  role?: string
  env?: Record<string, string>
  maxProcesses?: number
  holdSeconds?: number
  runsOn?: string | null
  sandbox?: SandboxMode
  allow?: { folders: string[]; hosts: string[] }
  wrapper?: string[] | null
  gateway?: { upstream: string; secret: string; model?: string } | null
}

async function changeOf(context: CommandContext, given: Given): Promise<AgentChange> {
  const [command, ...args] = given.rest(1)
  const [name, protocol, role] = [given.text('name'), given.text('protocol'), given.text('role')]
  const [maxProcesses, holdSeconds] = [wholeNumber(given, 'max-processes'), wholeNumber(given, 'hold-seconds')]
  const runsOn = given.text('runs-on')
  const env = await environmentToHandOver(context.terminal, given)
  return {
    ...(name === undefined ? {} : { name }),
    ...(protocol === undefined ? {} : { protocol: protocol as 'acp' | 'mcp' }),
    ...(command === undefined ? {} : { command, args }),
    ...(given.raw('command') === false ? { command: null, args: [] } : {}),
    ...(role === undefined ? {} : { role }),
    ...(env ? { env } : {}),
    ...(maxProcesses === undefined ? {} : { maxProcesses }),
    ...(holdSeconds === undefined ? {} : { holdSeconds }),
    ...(runsOn === undefined ? {} : { runsOn: runsOn === 'any' ? null : runsOn }),
    ...isolationFrom(context, given),
  }
}

/** SB1: the options of `isolationOptions`. What is not said stays. */
export function isolationFrom(
  { terminal }: CommandContext,
  given: Given,
): Pick<AgentChange, 'sandbox' | 'allow' | 'wrapper' | 'gateway'> {
  const [sandbox, folders, hosts, wrapper] = [
    given.text('sandbox'),
    given.list('allow-folder'),
    given.list('allow-host'),
    given.list('wrapper'),
  ]
  const said = (list: readonly string[]): string[] => list.filter((each) => each !== 'none')
  return {
    ...(sandbox === undefined ? {} : { sandbox: sandbox as SandboxMode }),
    ...(folders.length + hosts.length === 0
      ? {}
      : { allow: { folders: said(folders).map((path) => resolve(terminal.cwd, path)), hosts: said(hosts) } }),
    ...(wrapper.length === 0 ? {} : { wrapper: wrapper[0] === 'none' ? null : [...wrapper] }),
    ...gatewayFrom(given),
  }
}

/** GW1: address and secret belong together. */
function gatewayFrom(given: Given): Pick<AgentChange, 'gateway'> {
  const [upstream, secret, model] = [given.text('gateway'), given.text('gateway-secret'), given.text('gateway-model')]
  if (upstream === undefined && secret === undefined && model === undefined) return {}
  if (upstream === 'none') return { gateway: null }
  if (upstream === undefined || secret === undefined)
    throw usage(
      'A gateway needs its address and its secret.',
      'Give --gateway URL and --gateway-secret NAME; `holdfast secrets set NAME` sets the secret.',
    )
  return { gateway: { upstream, secret, ...(model !== undefined && { model }) } }
}

function wholeNumber(given: Given, option: string): number | undefined {
  const typed = given.text(option)
  if (typed === undefined) return undefined
  if (/^\d{1,9}$/.test(typed)) return Number(typed)
  throw usage(`--${option} must be a whole number.`, `It was ${JSON.stringify(typed)}.`)
}

export const findAgent = (client: Client, typed: string): Promise<Agent> =>
  findByName('agent', typed, client.pages('/api/agents', pageSize))

const startLine = ({ command, args }: Agent): string => (command ? [command, ...args].join(' ') : '–')

function describe(context: CommandContext, agent: Agent, nameOf = (projectId: string): string => projectId): string {
  const now = systemClock.now()
  const about = fields(
    [
      ['Id', agent.id],
      ['Protocol', agent.protocol],
      ['Command', agent.command ? visible(startLine(agent)) : 'others start it'],
      ['Variables', Object.keys(agent.env).join(', ') || '–'],
      ['Role', visible(agent.role ?? '–')],
      ['At once', agent.maxProcesses === null ? 'no limit of its own' : String(agent.maxProcesses)],
      ['Runs on', agent.runsOn === null ? 'any machine' : `machines with the label ${agent.runsOn}`],
      ['Sandbox', isolationLine(agent)],
      ['Held for', `${agent.holdSeconds} s`],
      ['Projects', agent.projectIds.map((id) => visible(nameOf(id))).join(', ') || '–'],
      ['Created', exact(agent.createdAt, now)],
    ],
    context.paint,
  )
  return `${context.paint('bold', visible(agent.name))}\n${about}`
}

const isolationLine = ({ sandbox, allow, wrapper, gateway }: Pick<Agent, 'sandbox' | 'allow' | 'wrapper' | 'gateway'>): string =>
  [
    sandbox,
    ...(allow.folders.length > 0 ? [`reads ${visible(allow.folders.join(', '))}`] : []),
    ...(allow.hosts.length > 0 ? [`reaches ${visible(allow.hosts.join(', '))}`] : []),
    ...(wrapper ? [`behind ${visible(wrapper.join(' '))}`] : []),
    ...(gateway ? [`reaches its model at ${visible(gateway.upstream)} with the secret ${visible(gateway.secret)}`] : []),
  ].join('; ')

const passkeyOnce = (context: CommandContext, id: string, secret: string): string =>
  secretOnce(context, 'Passkey', secret, `The agent authenticates with it; \`holdfast agents passkey ${id}\` makes a new one.`)
