/** An agent being written: texts as typed, what is wrong with them, and what they mean. Pure. */
import type { Agent } from '../../../src/protocol/agents/agent.ts'
import { envNameProblem, idProblem, nameProblem, wholeNumberProblem } from '../parts/checks.ts'
import type { Messages } from '../translations/en.ts'

export interface EnvEntry {
  /** Steady while names are typed. */
  readonly key: number
  readonly name: string
  readonly value: string
  /** The server's placeholder for the value; sent back unchanged, it keeps the stored value. */
  readonly kept?: string
}

export interface AgentTexts {
  readonly id: string
  readonly name: string
  readonly protocol: Agent['protocol']
  readonly command: string
  /** One argument per line. */
  readonly args: string
  readonly env: readonly EnvEntry[]
  readonly role: string
  readonly maxProcesses: string
  readonly holdSeconds: string
  /** `auto`, of a new one: what a trial finds (SB8). */
  readonly sandbox: Agent['sandbox'] | 'auto'
  /** One per line. */
  readonly allowFolders: string
  readonly allowHosts: string
  readonly allowState: string
  /** One word per line. */
  readonly wrapper: string
  readonly hasGateway: boolean
  readonly upstream: string
  readonly gatewaySecret: string
  readonly gatewayModel: string
}

const limits = { maxProcesses: [1, 1000], holdSeconds: [1, 600] } as const

export const noTexts: AgentTexts = {
  id: '',
  name: '',
  protocol: 'acp',
  command: '',
  args: '',
  env: [],
  role: '',
  maxProcesses: '',
  holdSeconds: '',
  sandbox: 'auto',
  allowFolders: '',
  allowHosts: '',
  allowState: '',
  wrapper: '',
  hasGateway: false,
  upstream: '',
  gatewaySecret: '',
  gatewayModel: '',
}

export const textsOf = (agent: Agent): AgentTexts => ({
  id: agent.id,
  name: agent.name,
  protocol: agent.protocol,
  command: agent.command ?? '',
  args: agent.args.join('\n'),
  env: Object.entries(agent.env).map(([name, mask], key) => ({ key, name, value: '', kept: mask })),
  role: agent.role ?? '',
  maxProcesses: agent.maxProcesses === null ? '' : String(agent.maxProcesses),
  holdSeconds: String(agent.holdSeconds),
  sandbox: agent.sandbox,
  allowFolders: agent.allow.folders.join('\n'),
  allowHosts: agent.allow.hosts.join('\n'),
  allowState: agent.allow.state.join('\n'),
  wrapper: (agent.wrapper ?? []).join('\n'),
  hasGateway: agent.gateway !== null,
  upstream: agent.gateway?.upstream ?? '',
  gatewaySecret: agent.gateway?.secret ?? '',
  gatewayModel: agent.gateway?.model ?? '',
})

/** Empty lines are not arguments: an empty argument cannot be typed by accident. */
const argsOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

const linesOf = (text: string): string[] =>
  argsOf(text)
    .map((line) => line.trim())
    .filter((line) => line !== '')

const envOf = (entries: readonly EnvEntry[]): Record<string, string> =>
  Object.fromEntries(
    entries.map(({ name, value, kept }) => [
      name,
      kept !== undefined && value === '' ? kept : value,
    ]),
  )

const gatewayOf = ({ hasGateway, upstream, gatewaySecret, gatewayModel }: AgentTexts) =>
  hasGateway
    ? {
        upstream: upstream.trim(),
        secret: gatewaySecret.trim(),
        model: gatewayModel.trim() || null,
      }
    : null

/** The agent a draft describes, without its id. */
export function meaningOf(texts: AgentTexts) {
  return {
    name: texts.name.trim(),
    protocol: texts.protocol,
    command: texts.command.trim() || null,
    args: argsOf(texts.args),
    env: envOf(texts.env),
    role: texts.role.trim() || null,
    maxProcesses: texts.maxProcesses.trim() ? Number(texts.maxProcesses) : null,
    sandbox: texts.sandbox === 'auto' ? 'off' : texts.sandbox,
    allow: {
      folders: linesOf(texts.allowFolders),
      hosts: linesOf(texts.allowHosts),
      state: linesOf(texts.allowState),
    },
    wrapper: texts.wrapper.trim() ? argsOf(texts.wrapper) : null,
    gateway: gatewayOf(texts),
    ...(texts.holdSeconds.trim() && { holdSeconds: Number(texts.holdSeconds) }),
  }
}

export type AgentMeaning = ReturnType<typeof meaningOf>

/** Lists only changed fields, so that two people can change different fields at once. */
export function changesTo(agent: Agent, texts: AgentTexts): Partial<AgentMeaning> {
  const now: Record<string, unknown> = meaningOf(textsOf(agent))
  const entries = Object.entries(meaningOf(texts)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(now[name]),
  )
  return Object.fromEntries(entries) as Partial<AgentMeaning>
}

export type AgentProblems = Partial<
  Record<
    'id' | 'name' | 'maxProcesses' | 'holdSeconds' | 'upstream' | 'gatewaySecret',
    string | undefined
  >
> & {
  readonly env: ReadonlyMap<number, string>
}

export function problemsOf(texts: AgentTexts, words: Messages): AgentProblems {
  const env = new Map<number, string>()
  const seen = new Set<string>()
  for (const { key, name } of texts.env) {
    const problem = envNameProblem(name, words) ?? (seen.has(name) ? words.form.twice : undefined)
    if (problem) env.set(key, problem)
    seen.add(name)
  }
  return {
    id: idProblem(texts.id, words),
    name: nameProblem(texts.name, words),
    maxProcesses: wholeNumberProblem(texts.maxProcesses, ...limits.maxProcesses, words),
    holdSeconds: wholeNumberProblem(texts.holdSeconds, ...limits.holdSeconds, words),
    upstream:
      texts.hasGateway && !/^https?:\/\/\S+$/.test(texts.upstream.trim())
        ? words.agents.upstreamProblem
        : undefined,
    gatewaySecret: texts.hasGateway ? envNameProblem(texts.gatewaySecret.trim(), words) : undefined,
    env,
  }
}

export const isFine = ({ env, ...rest }: AgentProblems): boolean =>
  env.size === 0 && Object.values(rest).every((problem) => problem === undefined)
