/** Goose, which speaks ACP itself. */
import { type KnownAgent, pullingPrompt } from '../known-agent.ts'

export const goose: KnownAgent = {
  id: 'goose',
  name: 'Goose',
  acpName: null,
  packages: [],
  install: {
    command:
      'curl -fsSL https://github.com/block/goose/releases/download/stable/download_cli.sh | bash',
  },
  signIn: {
    command: 'goose configure',
    press: null,
    keys: [],
    files: ['.config/goose/config.yaml'],
  },
  acp: { program: 'goose', args: ['acp'], env: {}, triedWith: null },
  pulls: {
    program: 'goose',
    // Runs `holdfast mcp`, the bridge to the server's MCP endpoint.
    args: ['run', '--no-session', '--with-extension', 'holdfast mcp', '-t', pullingPrompt],
    env: { GOOSE_MODE: 'auto' },
    triedWith: null,
  },
  sandbox: {
    folders: ['.config/goose', '.local/share/goose', '.local/state/goose', '.cache/goose'],
    files: [],
    own: { folders: ['.local/share/goose', '.local/state/goose'], files: [], shared: [] },
    userNamespaces: false,
  },
  gateway: null,
  quirks: [],
}
