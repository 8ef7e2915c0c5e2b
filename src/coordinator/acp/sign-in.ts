/**
 * The ways in which a person signs an agent in, and the one that needs nobody (AC9): a key in its
 * environment. Pure.
 */
import { type Fields, fieldsOf } from '../../platform/json.ts'
import { agentAnswering } from '../../protocol/agents/known-agents.ts'
import { jsonOf, lineOf, listOf } from './wire.ts'

export interface SignInWay {
  readonly id: string
  readonly name: string
  readonly description: string | null
  /**
   * What a person runs in a terminal; null: the agent does it itself, when it is asked to
   * authenticate.
   */
  readonly terminal: {
    /** null: the agent's own command. */
    readonly command: string | null
    readonly args: readonly string[]
    readonly env: Readonly<Record<string, string>>
  } | null
  /** Takes a key from the environment. `variables`: those it names. */
  readonly isKey: boolean
  readonly variables: readonly string[]
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap((each) => lineOf(each) ?? []) : []

function signInWayOf(method: Fields): SignInWay[] {
  const id = lineOf(method['id'])
  if (id === undefined) return []
  const meta = fieldsOf(method['_meta'])
  const name = lineOf(method['name']) ?? id
  // Copilot gives the command in this way, without a type.
  const own = fieldsOf(meta['terminal-auth'])
  const isTerminal = method['type'] === 'terminal' || lineOf(own['command']) !== undefined
  const of = method['type'] === 'terminal' ? method : own
  // A person may paste the command: what is no name of a variable could be another command.
  const env = Object.entries(fieldsOf(of['env'])).flatMap(([key, value]) =>
    typeof value === 'string' && /^[A-Za-z_]\w*$/.test(key) ? [[key, value] as const] : [],
  )
  const named = [
    ...(jsonOf(method) ?? '').matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN)\b/g),
  ].map(([variable]) => variable)
  return [
    {
      id,
      name,
      description: lineOf(method['description']) ?? null,
      terminal: isTerminal
        ? {
            command: lineOf(of['command']) ?? null,
            args: textsOf(of['args']),
            env: Object.fromEntries(env),
          }
        : null,
      isKey:
        !isTerminal && ('api-key' in meta || named.length > 0 || /api.?key/i.test(`${id} ${name}`)),
      variables: named,
    },
  ]
}

export const signInWaysOf = (methods: unknown): SignInWay[] => listOf(methods).flatMap(signInWayOf)

/**
 * The way that needs nobody: its key is in the environment. What is known of the agent counts
 * before the form of a name.
 */
export function unattendedWay(
  agent: string,
  ways: readonly SignInWay[],
  variables: ReadonlySet<string>,
): SignInWay | undefined {
  const keys = ways.filter(({ isKey }) => isKey)
  const named = keys.find((way) => way.variables.some((variable) => variables.has(variable)))
  if (named) return named
  const knownAgent = agentAnswering(agent)
  const isThere = knownAgent
    ? knownAgent.signIn.keys.some((key) => variables.has(key))
    : [...variables].some((name) => /_(?:KEY|TOKEN)$/.test(name))
  return isThere ? keys.find((way) => way.variables.length === 0) : undefined
}

interface Started {
  readonly command: string
  readonly args: readonly string[]
}

/** What a person can do, one line for each way. */
export const signInSteps = (ways: readonly SignInWay[], started: Started): string =>
  ways.map((way) => `- ${stepOf(way, started)}`).join('\n')

function stepOf({ name, description, terminal }: SignInWay, started: Started): string {
  const what = description ? `${name}: ${description}` : name
  return terminal ? `${what} – \`${commandLine(terminal, started)}\`` : what
}

export function commandLine(
  { command, args, env }: NonNullable<SignInWay['terminal']>,
  started: Started,
): string {
  const program = command === null ? [started.command, ...started.args] : [command]
  const set = Object.entries(env).map(([key, value]) => `${key}=${quoted(value)}`)
  return [...set, ...[...program, ...args].map(quoted)].join(' ')
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
