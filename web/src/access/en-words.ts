/** The texts of connecting an editor, in English. */
export const editors = {
  title: 'Editors',
  note: 'Begin, follow and answer sessions in an editor. They go on when it is closed.',
  connect: 'Connect an editor',
  about:
    'The editor starts Holdfast as its agent. What you open there is a session here, with ' +
    'any of the agents, in the folder that is open.',
  editor: 'Editor',
  settings: 'settings',
  names: {
    zed: 'Zed',
    jetbrains: 'JetBrains',
    codecompanion: 'codecompanion.nvim',
    avante: 'avante.nvim',
    'agent-shell': 'agent-shell',
  },
  where: {
    zed: 'Enter this in settings.json (zed: open settings):',
    jetbrains: 'Enter this in ~/.jetbrains/acp.json:',
    codecompanion: 'Enter this in the setup of codecompanion.nvim (Neovim):',
    avante: 'Enter this in the setup of avante.nvim (Neovim):',
    'agent-shell': 'Enter this in the init file of Emacs:',
  },
  elsewhere:
    'It is for the machine that this server runs on, and sessions are the owner’s. For your ' +
    'own, set HOLDFAST_TOKEN to your token where the editor is started. On another machine, ' +
    'holdfast acp --print with --server prints the settings.',
  connectVsCode: 'Connect VS Code',
  aboutVsCode:
    'VS Code lists the sessions, begins new ones and answers what agents ask. It connects ' +
    'as you, with what you tick here, until you revoke its token.',
  address: 'Address for VS Code',
  how: (host: string) =>
    `Where VS Code asks for an agent host: the address is ${host}, the connection token is ` +
    'what stands behind tkn=.',
}
