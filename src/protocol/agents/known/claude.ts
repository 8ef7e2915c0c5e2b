/** Claude Code, and its ACP adapter. */
import { callLimitSeconds, type KnownAgent, mcpServers, pullingPrompt } from '../known-agent.ts'

export const claude: KnownAgent = {
  id: 'claude',
  name: 'Claude Code',
  acpName: '@agentclientprotocol/claude-agent-acp',
  packages: [
    '@anthropic-ai/claude-code',
    '@agentclientprotocol/claude-agent-acp',
    '@zed-industries/claude-code-acp',
  ],
  install: { npm: ['@anthropic-ai/claude-code', '@agentclientprotocol/claude-agent-acp'] },
  signIn: {
    command: 'claude /login',
    press: { program: 'claude', args: ['auth', 'login'], takesCode: true },
    keys: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'],
    files: ['.claude/.credentials.json'],
  },
  acp: { program: 'claude-agent-acp', args: [], env: {}, triedWith: '0.99.0' },
  pulls: {
    program: 'claude',
    args: [
      ...['-p', pullingPrompt],
      ...['--mcp-config', JSON.stringify({ mcpServers }), '--strict-mcp-config'],
      ...['--allowedTools', 'mcp__holdfast'],
    ],
    env: { MCP_TOOL_TIMEOUT: String(callLimitSeconds * 1000) },
    triedWith: '2.1.325',
  },
  sandbox: {
    folders: ['.claude', '.config/claude', '.cache/claude-cli-nodejs'],
    files: ['.claude.json'],
    own: {
      folders: [
        ...[
          '.claude/projects',
          '.claude/sessions',
          '.claude/todos',
          '.claude/tasks',
          '.claude/plans',
          '.claude/file-history',
        ],
        ...[
          '.claude/shell-snapshots',
          '.claude/session-env',
          '.claude/paste-cache',
          '.claude/image-cache',
          '.claude/debug',
        ],
        '.cache/claude-cli-nodejs',
      ],
      files: ['.claude/history.jsonl'],
      shared: [],
    },
    userNamespaces: false,
  },
  gateway: {
    dialect: 'anthropic',
    env: { ANTHROPIC_BASE_URL: '{url}', ANTHROPIC_API_KEY: '{key}' },
    files: {},
  },
  quirks: [],
}
