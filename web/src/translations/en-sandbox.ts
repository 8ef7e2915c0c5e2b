/** Words of the fields that say how an agent is isolated. */
export const sandboxWords = {
  sandbox: 'Sandbox',
  sandboxes: { off: 'Off', workplace: 'Workplace', strict: 'Strict' },
  sandboxHints: {
    off: 'It can read and write what you can',
    workplace: 'It sees its workplace, its own settings and the internet, and nothing else of this machine',
    strict: 'As before, and it reaches only the hosts that are allowed',
  },
  allowFolders: 'Folders it may also read',
  allowFoldersHint: 'One path per line',
  allowHosts: 'Hosts it may reach',
  allowHostsHint: 'One per line: name, name:port or *.name',
  wrapper: 'Command in front',
  wrapperHint: 'One word per line, such as nix, develop, -c; it starts the agent',
}
