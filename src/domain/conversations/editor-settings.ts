/** What to enter in an editor so that it starts `holdfast acp`. Pure. */

export const editors = ['zed', 'jetbrains', 'codecompanion', 'avante', 'agent-shell'] as const
export type Editor = (typeof editors)[number]

/** With absolute paths: editors that are opened from a desktop know few folders of programs. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
}

export interface EditorSettings {
  /** Where it belongs. */
  readonly file: string
  readonly text: string
}

const lua = (text: string): string => JSON.stringify(text)

/** Emacs has the same escapes for what stands in paths. */
const lisp = (text: string): string => JSON.stringify(text)

const inJson = (server: object): string =>
  JSON.stringify({ agent_servers: { Holdfast: server } }, null, 2)

const writers: Readonly<Record<Editor, (program: Program) => EditorSettings>> = {
  zed: ({ command, args }) => ({
    file: 'settings.json (zed: open settings)',
    text: inJson({ type: 'custom', command, args, env: {} }),
  }),
  jetbrains: ({ command, args }) => ({
    file: '~/.jetbrains/acp.json',
    text: inJson({ command, args, env: {} }),
  }),
  codecompanion: ({ command, args }) => ({
    file: 'the setup of codecompanion.nvim',
    text: `require("codecompanion").setup({
  adapters = {
    acp = {
      holdfast = function()
        return require("codecompanion.adapters").extend("gemini_cli", {
          name = "holdfast",
          formatted_name = "Holdfast",
          commands = { default = { ${[command, ...args].map(lua).join(', ')} } },
          defaults = { auth_method = "holdfast" },
        })
      end,
    },
  },
  interactions = { chat = { adapter = "holdfast" } },
})`,
  }),
  avante: ({ command, args }) => ({
    file: 'the setup of avante.nvim',
    text: `require("avante").setup({
  provider = "holdfast",
  acp_providers = {
    ["holdfast"] = {
      command = ${lua(command)},
      args = { ${args.map(lua).join(', ')} },
      auth_method = "holdfast",
    },
  },
})`,
  }),
  'agent-shell': ({ command, args }) => ({
    file: 'the init file of Emacs',
    text: `(setq agent-shell-preferred-agent-config
      (agent-shell-make-agent-config
       :identifier 'holdfast
       :mode-line-name "Holdfast"
       :buffer-name "Holdfast"
       :shell-prompt "Holdfast> "
       :shell-prompt-regexp "Holdfast> "
       :client-maker
       (lambda (buffer)
         (agent-shell--make-acp-client
          :command ${lisp(command)}
          :command-params '(${args.map(lisp).join(' ')})
          :context-buffer buffer))))`,
  }),
}

export const settingsFor = (editor: Editor, program: Program): EditorSettings =>
  writers[editor](program)
