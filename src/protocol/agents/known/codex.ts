/** Codex, and its ACP adapter. */
import { callLimitSeconds, type KnownAgent, pullingPrompt } from '../known-agent.ts'

/**
 * `CODEX_CONFIG` of the adapter: settings as JSON. `OPENAI_BASE_URL` alone does not reach the
 * address.
 */
const gatewayConfig = {
  model_provider: 'holdfast',
  model_providers: {
    holdfast: {
      name: 'Holdfast',
      base_url: '{url}/v1',
      env_key: 'OPENAI_API_KEY',
      wire_api: 'responses',
    },
  },
}

export const codex: KnownAgent = {
  id: 'codex',
  name: 'Codex',
  acpName: '@agentclientprotocol/codex-acp',
  packages: ['@openai/codex', '@agentclientprotocol/codex-acp'],
  install: { npm: ['@openai/codex', '@agentclientprotocol/codex-acp'] },
  signIn: {
    command: 'codex login',
    press: { program: 'codex', args: ['login', '--device-auth'], takesCode: false },
    keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    files: ['.codex/auth.json'],
  },
  acp: { program: 'codex-acp', args: [], env: {}, triedWith: '2.6.0' },
  pulls: {
    program: 'codex',
    args: [
      ...['exec', '--skip-git-repo-check'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: filled in by the launch
      ...['-c', 'mcp_servers.holdfast.url="${HOLDFAST_MCP_URL}"'],
      ...['-c', 'mcp_servers.holdfast.bearer_token_env_var="HOLDFAST_LAUNCH_TOKEN"'],
      ...['-c', `mcp_servers.holdfast.tool_timeout_sec=${callLimitSeconds}`],
      pullingPrompt,
    ],
    env: {},
    triedWith: '0.166.0',
  },
  sandbox: {
    folders: ['.codex'],
    files: [],
    // Databases beside the sign-in hold what was said too.
    own: {
      folders: ['.codex'],
      files: [],
      shared: ['auth.json', 'config.toml', 'AGENTS.md', 'prompts', 'rules', 'skills'].map(
        (name) => `.codex/${name}`,
      ),
    },
    userNamespaces: true,
  },
  gateway: {
    dialect: 'openai-responses',
    env: { CODEX_CONFIG: JSON.stringify(gatewayConfig), OPENAI_API_KEY: '{key}' },
    pullingArgs: [
      ...['-c', 'model_provider="holdfast"', '-c', 'model_providers.holdfast.name="Holdfast"'],
      ...[
        '-c',
        'model_providers.holdfast.base_url="{url}/v1"',
        '-c',
        'model_providers.holdfast.env_key="OPENAI_API_KEY"',
      ],
      ...['-c', 'model_providers.holdfast.wire_api="responses"'],
    ],
    files: {},
  },
  quirks: ['authenticate_first', 'first_start_alone', 'hides_model_errors'],
}
