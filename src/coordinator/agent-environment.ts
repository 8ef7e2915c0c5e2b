/**
 * Builds the environment of an agent's process (SE4, CO4): an allowlist of inherited variables, the agent entry's own, and those
 * of the launch. Nothing else is inherited, so no key of the server leaks. Pure.
 */
import { type LaunchMark, markVariables } from '../platform/launch-mark.ts'
import type { LaunchParticulars } from '../protocol/processes/link.ts'

type Variables = Readonly<Record<string, string | undefined>>

const allowed = new Set(['HOME', 'PATH', 'USER', 'SHELL', 'LANG', 'TMPDIR', 'SSH_AUTH_SOCK'])
const proxies = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'])
/** Additional certificate authorities. Without them an agent may not reach a server that the coordinator reaches (SC4). */
const trusted = new Set(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'])

const isAllowed = (name: string): boolean =>
  allowed.has(name) || trusted.has(name) || proxies.has(name.toUpperCase()) || name.startsWith('XDG_')

/** Launch variables override the entry's, which override inherited ones. */
export function agentEnvironment(
  ours: Variables,
  { env, agentId, projectId, launchToken }: Pick<LaunchParticulars, 'env' | 'agentId' | 'projectId' | 'launchToken'>,
  mark: LaunchMark,
  serverUrl: string,
): Record<string, string> {
  return {
    ...inheritedFrom(ours),
    ...env,
    HOLDFAST_URL: serverUrl,
    HOLDFAST_MCP_URL: `${serverUrl}/mcp`,
    HOLDFAST_AGENT_ID: agentId,
    HOLDFAST_PROJECT_ID: projectId,
    HOLDFAST_LAUNCH_TOKEN: launchToken,
    ...markVariables(mark),
  }
}

/**
 * Environment of the project's set-up command (WT5): without a token, and marked, so that the next coordinator finds the process
 * if this one dies (CO5).
 */
export const setUpEnvironment = (
  ours: Variables,
  { agentId, projectId, launchId }: LaunchParticulars,
  keeper: string,
): Record<string, string> => ({
  ...inheritedFrom(ours),
  HOLDFAST_AGENT_ID: agentId,
  HOLDFAST_PROJECT_ID: projectId,
  ...markVariables({ launchId, keeper }),
})

const inheritedFrom = (ours: Variables): Record<string, string> =>
  Object.fromEntries(Object.entries(ours).filter((each): each is [string, string] => isAllowed(each[0]) && each[1] !== undefined))

/** Shorter values are words such as `true`, which would be masked everywhere. */
const minSecretChars = 6

/**
 * Secrets to mask in the agent's output (SE7): its token and all values of its entry. Longest first, because one may contain
 * another.
 */
export const secretsOf = ({ env, launchToken }: LaunchParticulars): string[] =>
  [launchToken, ...Object.values(env)].filter((value) => value.length >= minSecretChars).sort((a, b) => b.length - a.length)
