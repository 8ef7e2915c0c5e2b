/**
 * Builds the environment of an agent's process (SE4, CO4): an allowlist of inherited variables,
 * the agent entry's own, and those of the launch. Nothing else is inherited, so no key of the
 * server leaks. Pure.
 */

import type { LaunchMark } from '../platform/processes/launch-mark.ts'
import { markVariables } from '../platform/processes/launch-mark.ts'
import type { LaunchParticulars } from '../protocol/processes/link.ts'

/**
 * Variables of a launch (CO4) that can be used in an agent's arguments, as `${HOLDFAST_AGENT_ID}`:
 * there is no shell to expand them, and one entry serves many projects. The token is not among
 * them, because arguments are visible to other users.
 */
const fillable: ReadonlySet<string> = new Set([
  'HOLDFAST_URL',
  'HOLDFAST_MCP_URL',
  'HOLDFAST_AGENT_ID',
  'HOLDFAST_PROJECT_ID',
  'HOLDFAST_LAUNCH_ID',
  // GW2: where the gateway is. Its key is not among them, for the same reason.
  'HOLDFAST_GATEWAY_URL',
  'HOLDFAST_GATEWAY_MODEL',
])

/** Unknown variables stay as they are. */
export const filledIn = (
  args: readonly string[],
  values: Readonly<Record<string, string>>,
): string[] =>
  args.map((arg) =>
    arg.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) =>
      fillable.has(name) ? (values[name] ?? whole) : whole,
    ),
  )

type Variables = Readonly<Record<string, string | undefined>>

const allowed = new Set(['HOME', 'PATH', 'USER', 'SHELL', 'LANG', 'TMPDIR', 'SSH_AUTH_SOCK'])
const proxies = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'])
/**
 * Additional certificate authorities. Without them an agent may not reach a server that the
 * coordinator reaches (SC4).
 */
const trusted = new Set(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'])

const isAllowed = (name: string): boolean =>
  allowed.has(name) ||
  trusted.has(name) ||
  proxies.has(name.toUpperCase()) ||
  name.startsWith('XDG_')

/**
 * Launch variables override the project's secrets, which override the entry's, which override
 * inherited ones.
 */
export const agentEnvironment = (
  ours: Variables,
  particulars: Pick<LaunchParticulars, 'env' | 'secrets' | 'agentId' | 'projectId' | 'launchToken'>,
  mark: LaunchMark,
  serverUrl: string,
  secretPaths: Readonly<Record<string, string>>,
): Record<string, string> => ({
  ...inheritedFrom(ours),
  ...particulars.env,
  ...particulars.secrets.environment,
  ...secretPaths,
  HOLDFAST_URL: serverUrl,
  HOLDFAST_MCP_URL: `${serverUrl}/mcp`,
  HOLDFAST_AGENT_ID: particulars.agentId,
  HOLDFAST_PROJECT_ID: particulars.projectId,
  HOLDFAST_LAUNCH_TOKEN: particulars.launchToken,
  ...markVariables(mark),
})

/**
 * Environment of a set-up command (WT5): no token, but the mark, so that the next coordinator finds
 * the process (CO5).
 */
export const setUpEnvironment = (
  ours: Variables,
  { agentId, projectId, launchId }: LaunchParticulars,
  folderId: string,
): Record<string, string> => ({
  ...inheritedFrom(ours),
  HOLDFAST_AGENT_ID: agentId,
  HOLDFAST_PROJECT_ID: projectId,
  ...markVariables({ launchId, folderId }),
})

export const inheritedFrom = (ours: Variables): Record<string, string> =>
  Object.fromEntries(
    Object.entries(ours).filter(
      (each): each is [string, string] => isAllowed(each[0]) && each[1] !== undefined,
    ),
  )
