/** `holdfast agents`: the agents that can be started, and how. */

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import type { Client } from '../../client/client.ts'
import { type SandboxMode, sandboxModes } from '../../domain/agents/isolation.ts'
import { visible } from '../../platform/log/visible.ts'
import type { Agent } from '../../protocol/agents/agent.ts'
import type { DetectedAgent } from '../../protocol/agents/detected-agent.ts'
import { isRecipeOf } from '../../protocol/agents/known-agent.ts'
import { secretOnce } from '../access/secret-once.ts'
import { command, defined, group, options } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { notFound, usage } from '../failure.ts'
import { findAgent } from '../find-by-name.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { releaseAgent, stopAgent } from '../processes/processes.ts'
import { projectNames, projectOption } from '../projects/choose-project.ts'
import type { Terminal } from '../terminal.ts'
import { doctorAgents } from './probe-agent.ts'
import { signInCommands } from './sign-in.ts'
import { watchAgents } from './watch-agents.ts'

// Lists the agents installed on the server's machine (AG5), and finds one to add.

async function detect(context: CommandContext): Promise<void> {
  const answer = await context.client.get('/api/detected-agents')
  const agents: Agent[] = []
  for await (const agent of context.client.pages('/api/agents')) agents.push(agent)
  context.answer(answer, () =>
    context.table(answer.items, {
      empty: "No agent that Holdfast knows was found on the server's machine.",
      columns: [
        { title: 'AGENT', of: ({ id }) => id, style: 'bold' },
        { title: 'NAME', of: ({ name }) => name },
        { title: 'PROTOCOL', of: ({ draft }) => draft.protocol },
        { title: 'VERSION', of: ({ version }) => version ?? '–' },
        {
          title: 'SIGNED IN',
          of: ({ signedIn }) => (signedIn === null ? '?' : signedIn ? 'yes' : 'no'),
        },
        { title: 'ADDED AS', of: ({ draft }) => addedAs(draft, agents) },
        { title: 'PROGRAM', of: ({ file }) => visible(file), shrinks: true },
      ],
    }),
  )
  if (!context.json) {
    const seen = new Set<string>()
    for (const { agent, name, signedIn, signIn, keys } of answer.items) {
      if (signedIn || seen.has(agent)) continue
      seen.add(agent)
      const orKey = keys.length > 0 ? `, or add it with --env ${keys[0]}` : ''
      context.note(`${name}: sign in once on the server's machine with \`${signIn}\`${orKey}.`)
    }
    for (const { name, install } of answer.missing)
      context.note(`${name} was not found: ${install}`)
  }
  const [offered] = answer.items.filter(({ draft }) => addedAs(draft, agents) === '–')
  if (offered && !context.json)
    context.note(
      context.hint(`Add one with its recipe: holdfast agents add --detected ${offered.id}`),
    )
}

const addedAs = (draft: DetectedAgent['draft'], agents: readonly Agent[]): string =>
  agents
    .filter((agent) => isRecipeOf(agent, draft))
    .map(({ id }) => id)
    .join(', ') || '–'

async function findDetected(client: Client, typed: string): Promise<DetectedAgent> {
  const { items } = await client.get('/api/detected-agents')
  const found = items.find(({ id }) => id === typed)
  if (found) return found
  const names = items.map(({ id }) => id).join(', ')
  const next = names
    ? `Found were: ${names}.`
    : 'None was found; add one by hand: holdfast agents add ID -- COMMAND'
  throw notFound(`${typed} was not found on the server's machine.`, next)
}

/**
 * Reads the variables to give to an agent. Values are often secrets and other users of the machine can read command lines, so
 * they come from this environment, a file, or standard input.
 */
async function environmentToHandOver(
  context: CommandContext,
): Promise<Record<string, string> | undefined> {
  const { terminal } = context
  const env: Record<string, string> = {}
  const file = context.text('env-file')
  if (file !== undefined) Object.assign(env, parseEnv(await contentOf(terminal, file)))
  // Node reads --env-file itself unless told where its own options end, as the scripts of a clone do.
  for (const name of context.values('env') ?? []) {
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
      throw usage(
        `The variable ${name} is not set here.`,
        `Run \`export ${name}=…\` first, or use --env-file.`,
      )
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

async function listAgents(context: CommandContext): Promise<void> {
  await context.printList(context.client.pages('/api/agents'), {
    empty: 'No agents yet. Add one: holdfast agents add ID -- COMMAND',
    columns: [
      { title: 'ID', of: (each) => each.id, style: 'bold' },
      { title: 'NAME', of: (each) => each.name, shrinks: true },
      { title: 'PROTOCOL', of: (each) => each.protocol },
      { title: 'ROLE', of: (each) => each.role ?? '–' },
      { title: 'PROJECTS', of: (each) => String(each.projectIds.length) },
      { title: 'COMMAND', of: startLine, shrinks: true },
    ],
  })
}

async function showAgent(context: CommandContext): Promise<void> {
  const agent = await findAgent(context.client, context.operand(0))
  const nameOf = await projectNames(context)
  context.answer(agent, () => describe(context, agent, nameOf))
}

async function add(context: CommandContext): Promise<void> {
  const detected = context.text('detected')
  const id = context.optionalOperand(0) ?? detected
  if (id === undefined)
    throw usage(
      'The id of the agent is missing.',
      '`holdfast agents add --help` shows what can be said.',
    )
  const change = await changeOf(context)
  if (detected !== undefined && 'command' in change)
    throw usage(
      '--detected brings its own command.',
      'Leave out --detected, or what stands behind --.',
    )
  const found = detected === undefined ? undefined : await findDetected(context.client, detected)
  // What the person adds comes to the recipe's variables.
  const env = { ...found?.draft.env, ...change.env }
  const draft = { protocol: 'acp' as const, name: id, ...found?.draft, ...change, env, id }
  const body = { ...draft, ...(await chosenSandbox(context, draft)) }
  const { passkey: secret, ...agent } = await context.client.post('/api/agents', { body })
  context.done(`Added the agent ${context.paint('bold', visible(agent.id))}`)
  context.answer(
    { ...agent, passkey: secret },
    () => `${describe(context, agent)}\n${passkeyOnce(context, agent.id, secret)}`,
  )
  if (agent.neverAsks)
    context.note(
      `${visible(agent.name)} never asks for permission: it writes and runs what it wants.`,
    )
  if (!context.json) context.note(context.hint(nextFor(agent)))
}

type SandboxDraft = Pick<Partial<Agent>, 'command' | 'args' | 'sandbox' | 'runsOn' | 'wrapper'> & {
  readonly id: string
}

/** SB8: the sandbox of an agent for which none was said, tried first. Says what was chosen, and how to choose otherwise. */
async function chosenSandbox(
  context: CommandContext,
  draft: SandboxDraft,
): Promise<Partial<Pick<Agent, 'sandbox'>>> {
  const { command, args = [], sandbox, runsOn, id, wrapper } = draft
  // Another machine cannot be tried from here.
  if (sandbox !== undefined || !command || runsOn) return {}
  const { machine, agent, choose } = await context.client.post('/api/sandbox-probe', {
    body: { command, args, ...(wrapper && { wrapper: [...wrapper] }) },
  })
  const later = `\`holdfast agents edit ${id} --sandbox workplace\``
  const why = !machine.works
    ? `${machine.problem ?? 'there is none for this system'}.${machine.install ? ` Install it: ${machine.install};` : ''} then`
    : agent.known
      ? 'its program did not start in one. To try it:'
      : 'its settings are not known. To put it in one:'
  context.note(
    choose === 'off'
      ? `It runs without a sandbox: ${why} ${later}.`
      : `It runs in a sandbox (${choose}), which was tried. Switch it off with \`holdfast agents edit ${id} --sandbox off\`.`,
  )
  return { sandbox: choose }
}

/** Hint after an agent was added: assign it to a project; an ACP agent must also be started. */
const nextFor = ({ id, protocol, command }: Agent): string =>
  protocol === 'acp' && !command
    ? `Nothing starts it yet, and one that speaks ACP is started by Holdfast: holdfast agents edit ${id} -- COMMAND`
    : `Let it work in a project: holdfast projects assign PROJECT ${id}`

async function edit(context: CommandContext): Promise<void> {
  const removed = context.values('remove-env') ?? []
  const change = await changeOf(context)
  if (Object.keys(change).length === 0 && removed.length === 0)
    throw usage(
      'There is nothing to change.',
      '`holdfast agents edit --help` shows what can be changed.',
    )
  const before = await findAgent(context.client, context.operand(0))
  // Values arrive masked; a mask sent back keeps the stored value.
  const kept = Object.entries(before.env).filter(([name]) => !removed.includes(name))
  const env =
    change.env || removed.length > 0 ? { ...Object.fromEntries(kept), ...change.env } : undefined
  const body = { ...change, env }
  const agent = await context.client.patch('/api/agents/{agentId}', {
    params: { agentId: before.id },
    body,
  })
  context.done(`Changed the agent ${context.paint('bold', visible(agent.id))}`)
  context.answer(agent, () => describe(context, agent))
}

async function remove(context: CommandContext): Promise<void> {
  const { id } = await findAgent(context.client, context.operand(0))
  await context.confirm(
    `Delete the agent ${visible(id)}?`,
    'It is taken off its projects, and its passkey stops working.',
  )
  await context.client.delete('/api/agents/{agentId}', { params: { agentId: id } })
  context.finished({ id, deleted: true }, `Deleted the agent ${visible(id)}`)
}

async function passkey(context: CommandContext): Promise<void> {
  const { id } = await findAgent(context.client, context.operand(0))
  await context.confirm(
    `Replace the passkey of ${visible(id)}?`,
    'The old one stops working at once.',
  )
  const answer = await context.client.post('/api/agents/{agentId}/passkey', {
    params: { agentId: id },
  })
  context.done(`${visible(id)} has a new passkey`)
  context.answer(answer, () => passkeyOnce(context, id, answer.passkey))
}

async function changeOf(context: CommandContext) {
  const [command, ...args] = context.rest(1)
  const runsOn = context.text('runs-on')
  const isOthers = context.raw('command') === false
  return defined({
    name: context.text('name'),
    protocol: context.text('protocol') as Agent['protocol'] | undefined,
    command: isOthers ? null : command,
    args: isOthers || command !== undefined ? args : undefined,
    role: context.text('role'),
    env: await environmentToHandOver(context),
    maxProcesses: context.wholeNumber('max-processes'),
    holdSeconds: context.wholeNumber('hold-seconds'),
    runsOn: runsOn === 'any' ? null : runsOn,
    ...isolationFrom(context),
  })
}

/** SB1: the options of `isolationOptions`. What is not said stays. */
export function isolationFrom(context: CommandContext) {
  const [folders, hosts, state, wrapper] = [
    'allow-folder',
    'allow-host',
    'allow-state',
    'wrapper',
  ].map((name) => context.values(name))
  const said = (list: readonly string[] = []): string[] => list.filter((each) => each !== 'none')
  const paths = (list: readonly string[] | undefined) =>
    said(list).map((path) => resolve(context.terminal.cwd, path))
  const allowed = { folders: paths(folders), hosts: said(hosts), state: paths(state) }
  return {
    sandbox: context.text('sandbox') as SandboxMode | undefined,
    allow: folders || hosts || state ? allowed : undefined,
    wrapper: wrapper?.[0] === 'none' ? null : wrapper,
    gateway: gatewayFrom(context),
  }
}

/** GW1: address and secret belong together. */
function gatewayFrom(context: CommandContext) {
  const [upstream, secret, model] = [
    context.text('gateway'),
    context.text('gateway-secret'),
    context.text('gateway-model'),
  ]
  if (upstream === undefined && secret === undefined && model === undefined) return undefined
  if (upstream === 'none') return null
  if (upstream !== undefined && secret !== undefined) return { upstream, secret, model }
  throw usage(
    'A gateway needs its address and its secret.',
    'Give --gateway URL and --gateway-secret NAME; `holdfast secrets set NAME` sets the secret.',
  )
}

const startLine = ({ command, args }: Agent): string =>
  command ? [command, ...args].join(' ') : '–'

const describe = (
  context: CommandContext,
  agent: Agent,
  nameOf = (projectId: string): string => projectId,
): string =>
  context.details(agent.name, [
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
    ['Created', context.time(agent.createdAt)],
  ])

const isolationLine = ({ sandbox, allow, wrapper, gateway }: Agent): string =>
  [
    sandbox,
    ...(allow.folders.length > 0 ? [`reads ${visible(allow.folders.join(', '))}`] : []),
    ...(allow.hosts.length > 0 ? [`reaches ${visible(allow.hosts.join(', '))}`] : []),
    ...(allow.state.length > 0 ? [`begins with ${visible(allow.state.join(', '))}`] : []),
    ...(wrapper ? [`behind ${visible(wrapper.join(' '))}`] : []),
    ...(gateway
      ? [
          `reaches its model at ${visible(gateway.upstream)} with the secret ${visible(gateway.secret)}`,
        ]
      : []),
  ].join('; ')

const passkeyOnce = (context: CommandContext, id: string, secret: string): string =>
  secretOnce(
    context,
    'Passkey',
    secret,
    `The agent authenticates with it; \`holdfast agents passkey ${id}\` makes a new one.`,
  )

const agent = { name: 'agent', about: 'id, or name where only one has it' }
const commandWords = {
  name: '[command...]',
  about: 'behind --: the program to start and its arguments; without it others start the agent',
}

/** SB1: also of an assignment. */
export const isolationOptions = options`
  --sandbox <mode>  workplace: it sees its workplace, its settings and the internet; strict: only allowed hosts ${sandboxModes}
  --allow-folder <path>...  a folder it may read in its sandbox; none: no more
  --allow-host <name>...  a host it may reach: name, name:port or *.name; none: no more
  --allow-state <path>...  what its own home begins with a copy of, of one nobody knows; none: no more
  --wrapper <word>...  a command put in front of its own, word by word; none: no more
  --gateway <url>  its requests to a model go to this address with a key it never sees; none: no more
  --gateway-secret <name>  the project's secret that is this key
  --gateway-model <name>  the model to ask for, where the agent must be told`

const shared = options`
  --protocol <protocol>  it is prompted over stdio, or asks for work; acp when left out ${['acp', 'mcp']}
  --role <role>  what it does, such as coder
  --env <name>...  hand over this variable with the value it has here; - for NAME=value lines on standard input
  --env-file <file>  hand over the NAME=value lines of a file, - for standard input
  --max-processes <number>  how many may run at once
  --runs-on <label>  only on machines whose coordinator has this label; any: on every one
  ${isolationOptions}
  --hold-seconds <number>  how long its calls may be held while there is no work`

export const agents = group`
  Agents: what can be started, and how
  $ agents  list them
  $ agents add claude --protocol acp -- npx claude-code-acp  add one; prints its passkey once
`({
  list: command(listAgents, limitOption)`
    List the agents, newest first (the default)
    $ agents list  all of them`,
  show: command(showAgent, agent)`
    Show one agent
    $ agents show claude  how it is started; values of variables are never shown`,
  add: command(add)`
    Add an agent; prints its passkey once
    [id]  lower-case letters, digits, - and _; with --detected its own
    ${commandWords}
    --name <name>  what to call it (its id)
    --detected <name>  one that \`agents detect\` has found, with its recipe
    ${shared}
    $ agents add claude --name "Claude Code" -- npx claude-code-acp  started by Holdfast
    $ agents add helper --protocol mcp  started by somebody else, asks for work
    $ agents add codex --env OPENAI_API_KEY -- codex-acp  with a key from this environment
    $ agents add --detected claude  one that is installed, with all it needs`,
  detect: command(detect)`
    Agents that are installed on the server's machine
    $ agents detect  what is there, in which version, and whether it is added
    $ agents detect --json  with the recipe of each`,
  doctor: command(doctorAgents)`
    Try out what an agent can do: it is started, prompted, asked, cancelled, ended and brought back
    [agent]  id, or name where only one has it; without it all that are prompted
    --prompt <text>  what it is told to run, instead of a harmless command
    $ agents doctor claude  each result as it comes; the report is kept with the agent
    $ agents doctor claude --json  the report; ends with 0 when the agent could be started`,
  ...signInCommands,
  watch: command(watchAgents)`
    Watch who is at work: a live table, or a line for each change where nobody looks
    --for <seconds>  end after so long; without it Ctrl-C ends
    $ agents watch  a table that stays true
    $ agents watch --json --for 60  a minute of changes, a line of JSON each`,
  stop: command(stopAgent, agent, projectOption, yesOption)`
    Stop an agent's processes; it is started again when there is work
    $ agents stop claude  everywhere
    $ agents stop claude --project website --yes  in one project, without being asked`,
  release: command(releaseAgent, agent, projectOption)`
    Try an agent again that is held after too many failed starts
    $ agents release claude  in its only project`,
  edit: command(edit, agent, commandWords)`
    Change an agent
    --name <name>  a new name
    ${shared}
    --no-command  others start it from now on
    --remove-env <name>...  no longer hand over this variable
    $ agents edit claude --max-processes 4  at most four at once
    $ agents edit claude -- npx claude-code-acp --verbose  start it in another way
    $ agents edit claude --gateway https://api.anthropic.com --gateway-secret ANTHROPIC_KEY  its key stays with Holdfast, and tokens are counted`,
  delete: command(remove, agent, yesOption)`
    Delete an agent and take it off its projects
    $ agents delete claude --yes  without being asked`,
  passkey: command(passkey, agent, yesOption)`
    Replace the passkey; prints the new one once
    $ agents passkey claude  the old one stops working at once`,
})
