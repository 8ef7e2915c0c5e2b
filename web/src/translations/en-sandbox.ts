/** Words of the fields that say how an agent is isolated. */
export const sandboxWords = {
  sandbox: 'Sandbox',
  sandboxes: { auto: 'Automatic', off: 'Off', workplace: 'Workplace', strict: 'Strict' },
  sandboxHints: {
    auto: 'It is tried in a sandbox first: Workplace if it runs there, else off',
    off: 'It can read and write what you can',
    workplace:
      'It sees its workplace, its own settings and the internet, and nothing else of this machine',
    strict: 'As before, and it reaches only the hosts that are allowed',
  },
  sandboxChosen: (mode: 'off' | 'workplace' | 'strict'): string =>
    mode === 'off'
      ? 'It runs without a sandbox: it did not run in one here. `holdfast doctor` says what is missing.'
      : 'It runs in a sandbox, as was tried. It can be switched off among its settings.',
  reachesHost: (host: string) => `Reach ${host} from the sandbox`,
  readsFolder: (folder: string) => `Read ${folder} from the sandbox`,
  /** By the names that the server gives them. */
  sandboxAnswers: {} as Readonly<Record<string, string>>,
  allowFolders: 'Folders it may also read',
  allowFoldersHint: 'One path per line',
  allowHosts: 'Hosts it may reach',
  allowHostsHint: 'One per line: name, name:port or *.name',
  allowState: 'What its own home begins with',
  allowStateHint:
    'For an agent that Holdfast does not know: files and folders of your home, one path per line, copied once',
  wrapper: 'Command in front',
  wrapperHint: 'One word per line, such as nix, develop, -c; it starts the agent',
  gateway: 'Its key for the model',
  gateways: { off: 'Its own', on: 'A secret of the project' },
  gatewayHints: {
    off: 'Its own sign-in, or a key among its variables',
    on: 'Its requests go through Holdfast, which adds the key and counts tokens; the agent never sees it',
  },
  upstream: 'Address of the model',
  upstreamProblem: 'An address that begins with http:// or https://',
  gatewaySecret: 'Name of the secret',
  gatewaySecretHint: 'Of the project it works in; holdfast secrets set NAME sets it',
  gatewayModel: 'Model',
  gatewayModelHint: 'For agents that must be told which one to ask for',
}
