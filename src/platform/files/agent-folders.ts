/**
 * What known agents keep in the home folder, by the name of their program (SB3): a sandbox shows these to the agent and nothing else
 * of home. Missing folders are made before the start, because some agents hang or forget everything without them. Data only.
 */
export interface AgentFolders {
  readonly folders: readonly string[]
  /** Single files. */
  readonly files?: readonly string[]
  /** It brings a sandbox of its own and needs user namespaces inside ours. */
  readonly nestedNamespaces?: boolean
}

const claude: AgentFolders = { folders: ['.claude', '.config/claude'], files: ['.claude.json'] }
const codex: AgentFolders = { folders: ['.codex'], nestedNamespaces: true }
const opencode: AgentFolders = {
  folders: ['.config/opencode', '.local/share/opencode', '.local/state/opencode', '.cache/opencode'],
}
const pi: AgentFolders = { folders: ['.pi'] }

export const agentFolders: Readonly<Record<string, AgentFolders>> = {
  claude,
  'claude-agent-acp': claude,
  'claude-code-acp': claude,
  codex,
  'codex-acp': codex,
  gemini: { folders: ['.gemini'] },
  qwen: { folders: ['.qwen'] },
  opencode,
  copilot: { folders: ['.copilot', '.config/github-copilot'] },
  pi,
  'pi-acp': pi,
  goose: { folders: ['.config/goose', '.local/share/goose', '.local/state/goose'] },
}
