/**
 * Known coding agents and how each is added (AG5): as an agent that pulls its work over MCP
 * (docs/operating/agents-that-pull.md), and as an ACP agent (docs/operating/agents-in-roles.md). A launch fills in ${…} in the
 * arguments; the agent reads its token from the environment, so it appears in no argument, file or prompt. Data only.
 */
import type { DetectedAgent } from '../../protocol/agents/detected-agent.ts'

export interface KnownAgent {
  readonly name: string
  readonly protocol: 'acp' | 'mcp'
  /** The program. */
  readonly command: string
  readonly triedWith: string | null
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly setup: DetectedAgent['setup']
}

/** Prompt of every agent that pulls its work. The ids are not secret. */
const prompt =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: filled in by the launch
  'You are an agent that works through the MCP server "holdfast". Call its tool authenticate with agent_id "${HOLDFAST_AGENT_ID}" and project_id "${HOLDFAST_PROJECT_ID}". ' +
  'Then call get_next_action with wait_seconds 600, do exactly what its instruction says, and call it again, until its action is exit. ' +
  'Do not stop before, do not ask anybody, and write nothing outside of the tools.'

/** The agent's own time limit for a tool call, above our longest wait. */
const callLimitSeconds = 620
export const holdSeconds = 600

const claudeServers = {
  mcpServers: {
    holdfast: {
      type: 'http',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: filled in by the launch
      url: '${HOLDFAST_MCP_URL}',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: filled in by the agent, from its environment
      headers: { Authorization: 'Bearer ${HOLDFAST_LAUNCH_TOKEN}' },
    },
  },
}

const opencodeConfig = {
  mcp: {
    holdfast: {
      type: 'remote',
      url: '{env:HOLDFAST_MCP_URL}',
      headers: { Authorization: 'Bearer {env:HOLDFAST_LAUNCH_TOKEN}' },
      oauth: false,
      timeout: callLimitSeconds * 1000,
      enabled: true,
    },
  },
}

/** Settings of Gemini CLI and its forks, which cannot be set by arguments. */
const geminiSettings = {
  mcpServers: {
    holdfast: {
      httpUrl: '$HOLDFAST_MCP_URL',
      headers: { Authorization: 'Bearer $HOLDFAST_LAUNCH_TOKEN' },
      timeout: callLimitSeconds * 1000,
      trust: true,
    },
  },
}

const writtenTo = (file: string, settings: object): DetectedAgent['setup'] => ({
  file,
  content: JSON.stringify(settings, null, 2),
})

type Recipe = Pick<KnownAgent, 'name' | 'triedWith' | 'args'> & Partial<Pick<KnownAgent, 'env' | 'setup'>>

const pulling = (command: string, recipe: Recipe): KnownAgent => ({ protocol: 'mcp', command, env: {}, setup: null, ...recipe })
/** An ACP agent: it receives our tools in the protocol and only has to be started. */
const acpAgent = (command: string, recipe: Recipe): KnownAgent => ({ protocol: 'acp', command, env: {}, setup: null, ...recipe })

/** Recipes by proposed agent id. */
export const knownAgents: Readonly<Record<string, KnownAgent>> = {
  claude: pulling('claude', {
    name: 'Claude Code',
    triedWith: '2.1.325',
    args: [
      ...['-p', prompt],
      ...['--mcp-config', JSON.stringify(claudeServers), '--strict-mcp-config'],
      ...['--allowedTools', 'mcp__holdfast'],
    ],
    env: { MCP_TOOL_TIMEOUT: String(callLimitSeconds * 1000) },
  }),
  codex: pulling('codex', {
    name: 'Codex',
    triedWith: '0.166.0',
    args: [
      ...['exec', '--skip-git-repo-check'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: filled in by the launch
      ...['-c', 'mcp_servers.holdfast.url="${HOLDFAST_MCP_URL}"'],
      ...['-c', 'mcp_servers.holdfast.bearer_token_env_var="HOLDFAST_LAUNCH_TOKEN"'],
      ...['-c', `mcp_servers.holdfast.tool_timeout_sec=${callLimitSeconds}`],
      prompt,
    ],
  }),
  gemini: pulling('gemini', {
    name: 'Gemini CLI',
    triedWith: '0.61.0',
    args: ['-p', prompt, '--skip-trust'],
    setup: writtenTo('~/.gemini/settings.json', geminiSettings),
  }),
  opencode: pulling('opencode', {
    name: 'opencode',
    triedWith: '1.18.33',
    args: ['run', prompt],
    env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig) },
  }),
  qwen: pulling('qwen', {
    name: 'Qwen Code',
    triedWith: null,
    args: ['-p', prompt],
    setup: writtenTo('~/.qwen/settings.json', geminiSettings),
  }),
  goose: pulling('goose', {
    name: 'Goose',
    triedWith: null,
    // Runs `holdfast mcp`, the bridge to the server's MCP endpoint.
    args: ['run', '--no-session', '--with-extension', 'holdfast mcp', '-t', prompt],
    env: { GOOSE_MODE: 'auto' },
  }),
  'claude-acp': acpAgent('claude-agent-acp', { name: 'Claude Code', triedWith: '0.99.0', args: [] }),
  'gemini-acp': acpAgent('gemini', { name: 'Gemini CLI', triedWith: '0.61.0', args: ['--acp', '--skip-trust'] }),
  'opencode-acp': acpAgent('opencode', { name: 'opencode', triedWith: '1.18.33', args: ['acp'] }),
  'codex-acp': acpAgent('codex-acp', { name: 'Codex', triedWith: null, args: [] }),
  'qwen-acp': acpAgent('qwen', { name: 'Qwen Code', triedWith: null, args: ['--acp'] }),
  'goose-acp': acpAgent('goose', { name: 'Goose', triedWith: null, args: ['acp'] }),
}
