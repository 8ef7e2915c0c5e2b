/**
 * The environment of an agent's process (SE4, CO4): what a signed-in program needs of ours, what the agent's entry names, and what
 * the launch tells it. Nothing else of ours gets through, so no key of the server's surroundings does either. Pure.
 */
import { type LaunchMark, markVariables } from '../platform/launch-mark.ts'
import type { LaunchParticulars } from '../protocol/processes/link.ts'

type Variables = Readonly<Record<string, string | undefined>>

const allowed = new Set(['HOME', 'PATH', 'USER', 'SHELL', 'LANG', 'TMPDIR', 'SSH_AUTH_SOCK'])
const proxies = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'])
/** Whom the machine trusts besides the usual authorities: without it an agent cannot reach a server that the coordinator can (SC4). */
const trusted = new Set(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'])

const isAllowed = (name: string): boolean =>
  allowed.has(name) || trusted.has(name) || proxies.has(name.toUpperCase()) || name.startsWith('XDG_')

/** What the launch says wins over the entry, which wins over what is inherited. */
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
 * WT5: of the project's set-up command: what a signed-in program needs, what it works for, and nothing it could sign in here with. Marked, so that
 * the next coordinator finds it when this one dies (CO5).
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

/** Shorter values are words such as `true`, which would be taken out of everything. */
const minSecretChars = 6

/** What must not be seen in what the agent writes (SE7): its token, and every value of its entry. Longest first: one may hold another. */
export const secretsOf = ({ env, launchToken }: LaunchParticulars): string[] =>
  [launchToken, ...Object.values(env)].filter((value) => value.length >= minSecretChars).sort((a, b) => b.length - a.length)
