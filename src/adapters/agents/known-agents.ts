/**
 * Coding agents that people have installed, and how each is added (AG5): as one that pulls its work over MCP, by the recipes of
 * docs/operating/agents-that-pull.md, and as one that is spoken to over ACP (docs/operating/agents-in-roles.md). A launch fills in what stands in ${…} of the arguments; the token is taken from the
 * environment by the agent itself, so it is in no argument, no file and no prompt. Data only.
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

/** What every one that pulls is told. The ids are not secret. */
const prompt =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: filled in by the launch
  'You are an agent that works through the MCP server "holdfast". Call its tool authenticate with agent_id "${HOLDFAST_AGENT_ID}" and project_id "${HOLDFAST_PROJECT_ID}". ' +
  'Then call get_next_action with wait_seconds 600, do exactly what its instruction says, and call it again, until its action is exit. ' +
  'Do not stop before, do not ask anybody, and write nothing outside of the tools.'

/** Their own limit for a call, above the longest that we hold one. */
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

/** Of Gemini CLI and what was made from it; these have no way to be told at their start. */
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
/** These are handed our tools when they are spoken to, and need no more than to be started. */
const spokenTo = (command: string, recipe: Recipe): KnownAgent => ({ protocol: 'acp', command, env: {}, setup: null, ...recipe })

/** By the id that is proposed. */
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
    // It starts a program for it: the one that carries MCP to the server.
    args: ['run', '--no-session', '--with-extension', 'holdfast mcp', '-t', prompt],
    env: { GOOSE_MODE: 'auto' },
  }),
  'claude-acp': spokenTo('claude-agent-acp', { name: 'Claude Code', triedWith: '0.99.0', args: [] }),
  'gemini-acp': spokenTo('gemini', { name: 'Gemini CLI', triedWith: '0.61.0', args: ['--acp', '--skip-trust'] }),
  'opencode-acp': spokenTo('opencode', { name: 'opencode', triedWith: '1.18.33', args: ['acp'] }),
  'codex-acp': spokenTo('codex-acp', { name: 'Codex', triedWith: null, args: [] }),
  'qwen-acp': spokenTo('qwen', { name: 'Qwen Code', triedWith: null, args: ['--acp'] }),
  'goose-acp': spokenTo('goose', { name: 'Goose', triedWith: null, args: ['acp'] }),
}
