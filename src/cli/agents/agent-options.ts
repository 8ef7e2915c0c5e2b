/** What the options of `agents add`, `agents edit` and `projects assign` say of an agent. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { sandboxModes } from '../../domain/agents/isolation.ts'
import { defined, type Given, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import type { Terminal } from '../terminal.ts'

export const agent = operand.required('id, or name where only one has it')

export const commandWords = operand.rest(
  'behind --: the program to start and its arguments; without it others start the agent',
)

/** SB1: also of an assignment. */
export const isolationOptions = {
  sandbox: option.choice(
    '<mode>',
    sandboxModes,
    'workplace: it sees its workplace, its settings and the internet; strict: only allowed hosts',
  ),
  allowFolder: option.list('<path>', 'a folder it may read in its sandbox; none: no more'),
  allowHost: option.list('<name>', 'a host it may reach: name, name:port or *.name; none: no more'),
  allowState: option.list(
    '<path>',
    'what its own home begins with a copy of, of one nobody knows; none: no more',
  ),
  wrapper: option.list('<word>', 'a command put in front of its own, word by word; none: no more'),
  gateway: option.text(
    '<url>',
    'its requests to a model go to this address with a key it never sees; none: no more',
  ),
  gatewaySecret: option.text('<name>', "the project's secret that is this key"),
  gatewayModel: option.text('<name>', 'the model to ask for, where the agent must be told'),
}

/** What can be said of an agent. */
export const agentOptions = {
  protocol: option.choice(
    '<protocol>',
    ['acp', 'mcp'],
    'it is prompted over stdio, or asks for work; acp when left out',
  ),
  role: option.text('<role>', 'what it does, such as coder'),
  env: option.list(
    '<name>',
    'hand over this variable with the value it has here; - for NAME=value lines on standard input',
  ),
  envFile: option.text('<file>', 'hand over the NAME=value lines of a file, - for standard input'),
  maxProcesses: option.wholeNumber('<number>', 'how many may run at once'),
  runsOn: option.text(
    '<label>',
    'only on machines whose coordinator has this label; any: on every one',
  ),
  ...isolationOptions,
  holdSeconds: option.wholeNumber(
    '<number>',
    'how long its calls may be held while there is no work',
  ),
}

type IsolationGiven = Given<typeof isolationOptions>
type AgentGiven = Given<typeof agentOptions>

interface ChangeGiven extends AgentGiven {
  readonly command: readonly string[]
  readonly name: string | undefined
  readonly noCommand?: boolean
}

/** Returns what was said of an agent; what was not said stays. */
export async function changeOf(context: CommandContext, given: ChangeGiven) {
  const [command, ...args] = given.command
  const isOthers = given.noCommand ?? false
  const { name, protocol, role, maxProcesses, holdSeconds, runsOn } = given
  return defined({
    name,
    protocol,
    command: isOthers ? null : command,
    args: isOthers || command !== undefined ? args : undefined,
    role,
    env: await environmentToHandOver(context, given),
    maxProcesses,
    holdSeconds,
    runsOn: runsOn === 'any' ? null : runsOn,
    ...isolationFrom(context, given),
  })
}

/** SB1: the options of `isolationOptions`. What is not said stays. */
export function isolationFrom({ terminal }: CommandContext, given: IsolationGiven) {
  const { sandbox, allowFolder, allowHost, allowState, wrapper } = given
  const withoutNone = (list: readonly string[] = []) => list.filter((each) => each !== 'none')
  const paths = (list?: readonly string[]) =>
    withoutNone(list).map((path) => resolve(terminal.cwd, path))
  const allowed = {
    folders: paths(allowFolder),
    hosts: withoutNone(allowHost),
    state: paths(allowState),
  }
  return {
    sandbox,
    allow: allowFolder || allowHost || allowState ? allowed : undefined,
    wrapper: wrapper?.[0] === 'none' ? null : wrapper,
    gateway: gatewayFrom(given),
  }
}

/** GW1: address and secret belong together. */
function gatewayFrom({
  gateway: upstream,
  gatewaySecret: secret,
  gatewayModel: model,
}: IsolationGiven) {
  if (upstream === undefined && secret === undefined && model === undefined) return undefined
  if (upstream === 'none') return null
  if (upstream !== undefined && secret !== undefined) return { upstream, secret, model }
  throw usage(
    'A gateway needs its address and its secret.',
    'Give --gateway URL and --gateway-secret NAME; `holdfast secrets set NAME` sets the secret.',
  )
}

/**
 * Reads the variables to give to an agent. Values are often secrets and other users of the machine
 * can read command lines, so they come from this environment, a file, or standard input.
 */
async function environmentToHandOver(
  { terminal }: CommandContext,
  { env: names = [], envFile: file }: Pick<AgentGiven, 'env' | 'envFile'>,
): Promise<Record<string, string> | undefined> {
  const env: Record<string, string> = {}
  if (file !== undefined) Object.assign(env, parseEnv(await contentOf(terminal, file)))
  // Node reads --env-file itself unless told where its own options end, as the scripts of a clone
  // do.
  for (const name of names) {
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
