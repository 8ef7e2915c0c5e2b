/** Gemini CLI, which speaks ACP itself. */
import { afterMcpAdd, type KnownAgent, pullingPrompt } from '../known-agent.ts'

export const gemini: KnownAgent = {
  id: 'gemini',
  name: 'Gemini CLI',
  acpName: 'gemini-cli',
  packages: ['@google/gemini-cli'],
  install: { npm: ['@google/gemini-cli'] },
  signIn: {
    command: 'gemini',
    press: null,
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    files: ['.gemini/oauth_creds.json'],
  },
  acp: { program: 'gemini', args: ['--acp', '--skip-trust'], env: {}, triedWith: '0.61.0' },
  pulls: {
    program: 'gemini',
    command: 'sh',
    args: ['-c', afterMcpAdd('gemini', ' --skip-trust'), pullingPrompt],
    env: {},
    triedWith: '0.61.0',
  },
  sandbox: {
    folders: ['.gemini'],
    files: [],
    own: { folders: ['.gemini/tmp', '.gemini/history'], files: [], shared: [] },
    userNamespaces: false,
  },
  gateway: {
    dialect: 'gemini',
    env: { GOOGLE_GEMINI_BASE_URL: '{url}', GEMINI_API_KEY: '{key}' },
    files: {},
  },
  quirks: ['load_loses', 'no_command_output', 'no_git_identity'],
}
