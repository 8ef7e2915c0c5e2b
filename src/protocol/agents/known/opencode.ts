/** opencode, which speaks ACP itself. */
import { callLimitSeconds, type KnownAgent, pullingPrompt } from '../known-agent.ts'

const pullingConfig = {
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

const gatewayConfig = {
  model: 'holdfast/{model}',
  small_model: 'holdfast/{model}',
  provider: {
    holdfast: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Holdfast',
      options: { baseURL: '{url}/v1', apiKey: '{key}' },
      models: { '{model}': { name: '{model}' } },
    },
  },
}

export const opencode: KnownAgent = {
  id: 'opencode',
  name: 'opencode',
  acpName: 'OpenCode',
  packages: ['opencode-ai'],
  install: { npm: ['opencode-ai'] },
  signIn: {
    command: 'opencode auth login',
    press: null,
    keys: [],
    files: ['.local/share/opencode/auth.json'],
  },
  acp: { program: 'opencode', args: ['acp'], env: {}, triedWith: '1.18.33' },
  pulls: {
    program: 'opencode',
    args: ['run', pullingPrompt],
    env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(pullingConfig) },
    triedWith: '1.18.33',
  },
  sandbox: {
    folders: [
      '.config/opencode',
      '.local/share/opencode',
      '.local/state/opencode',
      '.cache/opencode',
    ],
    files: [],
    // One database holds all sessions, and sign-ins of its own.
    own: {
      folders: ['.local/share/opencode', '.local/state/opencode'],
      files: [],
      shared: [
        '.local/share/opencode/auth.json',
        '.local/share/opencode/mcp-auth.json',
        '.local/share/opencode/bin',
      ],
    },
    userNamespaces: false,
  },
  gateway: {
    dialect: 'openai-chat',
    env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(gatewayConfig) },
    files: {},
  },
  quirks: ['usage_of_last_request'],
}
