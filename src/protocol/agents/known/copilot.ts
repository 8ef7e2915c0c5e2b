/** GitHub Copilot CLI. */
import { callLimitSeconds, type KnownAgent, mcpServers, pullingPrompt } from '../known-agent.ts'

const servers = {
  mcpServers: {
    holdfast: { ...mcpServers.holdfast, tools: ['*'], timeout: callLimitSeconds * 1000 },
  },
}

export const copilot: KnownAgent = {
  id: 'copilot',
  name: 'GitHub Copilot',
  acpName: 'Copilot',
  packages: ['@github/copilot'],
  install: { npm: ['@github/copilot'] },
  signIn: {
    command: 'copilot login',
    press: { program: 'copilot', args: ['login'], takesCode: false },
    keys: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
    files: [],
  },
  acp: { program: 'copilot', args: ['--acp'], env: {}, triedWith: '1.0.102' },
  pulls: {
    program: 'copilot',
    args: [
      '-p',
      pullingPrompt,
      '--additional-mcp-config',
      JSON.stringify(servers),
      '--allow-tool',
      'holdfast',
    ],
    env: {},
    triedWith: '1.0.102',
  },
  sandbox: {
    folders: ['.copilot', '.config/github-copilot', '.cache/copilot', '.cache/Microsoft'],
    files: [],
    own: {
      folders: ['.copilot/session-state', '.copilot/history-session-state', '.copilot/logs'],
      files: [],
      shared: [],
    },
    userNamespaces: false,
  },
  gateway: {
    dialect: 'openai-chat',
    env: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: '{url}/v1',
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: '{key}',
      COPILOT_MODEL: '{model}',
    },
    files: {},
  },
  quirks: ['hides_model_errors', 'usage_so_far', 'sums_up_output'],
}
