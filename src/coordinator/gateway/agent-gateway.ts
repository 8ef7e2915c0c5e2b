/**
 * Gives an agent the address of the gateway and the token that stands for its key (GW2), in the way
 * that its data say.
 */
import { hash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fieldsOf } from '../../platform/json.ts'
import { knownAgentOf, type StartedProgram } from '../../protocol/agents/known-agents.ts'
import { DetailError, statusNotice } from '../../protocol/status-texts.ts'

export interface AgentGatewayOptions {
  readonly url: string
  readonly token: string
  readonly model: string | null | undefined
  /** Parent of the folders of agents that are told by files. */
  readonly foldersRoot: string
  readonly agentId: string
  readonly projectId: string
  readonly protocol: 'acp' | 'mcp'
  readonly command: string
  readonly args: readonly string[]
  readonly agentInfo?: StartedProgram['agentInfo']
  readonly env: Readonly<Record<string, string>>
}

/** For agents that are not known: what most read. */
const common = {
  ANTHROPIC_BASE_URL: '{url}',
  ANTHROPIC_API_KEY: '{key}',
  OPENAI_BASE_URL: '{url}/v1',
  OPENAI_API_KEY: '{key}',
  GOOGLE_GEMINI_BASE_URL: '{url}',
  GEMINI_API_KEY: '{key}',
}

/**
 * The names of the variables that an agent is told its gateway by: a sign-in, as a key in its
 * environment is.
 */
export const gatewayVariables = (agent: StartedProgram): string[] => [
  ...Object.keys(knownAgentOf(agent)?.gateway?.env ?? common),
  'HOLDFAST_GATEWAY_KEY',
]

export async function giveGateway(
  options: AgentGatewayOptions,
): Promise<{ env: Record<string, string>; args: string[] }> {
  const { url, token, model, foldersRoot, agentId, projectId, protocol, args, env } = options
  const {
    env: templates,
    files,
    pullingArgs = [],
  } = knownAgentOf(options)?.gateway ?? { env: common, files: {} }
  const id = hash('sha256', `${projectId} ${agentId}`).slice(0, 20)
  const values: Readonly<Record<string, string | null | undefined>> = {
    url,
    key: token,
    model,
    folder: join(foldersRoot, id),
  }
  const filled = (text: string): string =>
    text.replaceAll(/\{(url|key|model|folder)\}/g, (_, name: string) => {
      const value = values[name]
      if (!value) throw new DetailError(statusNotice('gatewayWithoutModel', { agent: agentId }))
      return value
    })
  const variables = Object.entries(templates).map(([name, text]) => [
    name,
    merged(env[name], filled(text)),
  ])
  await writeFiles(
    values['folder'] ?? '',
    Object.entries(files).map(([name, text]) => [name, filled(text)] as const),
  )
  const local = ['NO_PROXY', 'no_proxy'].map((name) => [
    name,
    [env[name], '127.0.0.1'].filter(Boolean).join(','),
  ])
  const own = {
    HOLDFAST_GATEWAY_URL: url,
    HOLDFAST_GATEWAY_KEY: token,
    ...(model && { HOLDFAST_GATEWAY_MODEL: model }),
  }
  return {
    env: { ...Object.fromEntries(variables), ...Object.fromEntries(local), ...own },
    args: [...(protocol === 'mcp' ? pullingArgs.map(filled) : []), ...args],
  }
}

/** Another launch of the agent may read them at this moment. */
async function writeFiles(
  folder: string,
  files: readonly (readonly [string, string])[],
): Promise<void> {
  if (files.length > 0) await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const [name, text] of files) {
    // The agent writes there: a link that lies in its place is not followed.
    await rm(join(folder, `${name}.new`), { recursive: true, force: true })
    await writeFile(join(folder, `${name}.new`), text, { mode: 0o600, flag: 'wx' })
    await rename(join(folder, `${name}.new`), join(folder, name))
  }
}

/** Ours goes before the entry's, except where both are JSON: then field by field. */
function merged(before: string | undefined, ours: string): string {
  try {
    return before === undefined
      ? ours
      : JSON.stringify(joined(JSON.parse(before), JSON.parse(ours)))
  } catch {
    return ours
  }
}

function joined(before: unknown, ours: unknown): unknown {
  if (
    typeof before !== 'object' ||
    typeof ours !== 'object' ||
    !before ||
    !ours ||
    Array.isArray(ours)
  )
    return ours
  const [all, own] = [fieldsOf(before), fieldsOf(ours)]
  return Object.fromEntries(
    Object.keys({ ...all, ...own }).map((name) => [
      name,
      name in own ? joined(all[name], own[name]) : all[name],
    ]),
  )
}
