/** Qwen Code, a fork of Gemini CLI. */
import { afterMcpAdd, type KnownAgent, pullingPrompt } from '../known-agent.ts'

export const qwen: KnownAgent = {
  id: 'qwen',
  name: 'Qwen Code',
  acpName: null,
  packages: ['@qwen-code/qwen-code'],
  install: { npm: ['@qwen-code/qwen-code'] },
  signIn: {
    command: 'qwen',
    press: null,
    keys: ['OPENAI_API_KEY'],
    files: ['.qwen/oauth_creds.json'],
  },
  acp: { program: 'qwen', args: ['--acp'], env: {}, triedWith: null },
  pulls: {
    program: 'qwen',
    command: 'sh',
    args: ['-c', afterMcpAdd('qwen', ''), pullingPrompt],
    env: {},
    triedWith: null,
  },
  sandbox: {
    folders: ['.qwen'],
    files: [],
    own: {
      folders: ['tmp', 'projects', 'history', 'todos', 'debug'].map((name) => `.qwen/${name}`),
      files: [],
      shared: [],
    },
    userNamespaces: false,
  },
  gateway: {
    dialect: 'openai-chat',
    env: { OPENAI_BASE_URL: '{url}/v1', OPENAI_API_KEY: '{key}', OPENAI_MODEL: '{model}' },
    files: {},
  },
  quirks: [],
}
