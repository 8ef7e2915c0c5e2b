/** The words of installing an agent and signing it in, in English. */
export const preparation = {
  install: 'Install',
  installName: (name: string) => `Install ${name}`,
  states: {
    install: (name: string) => `Installing ${name}…`,
    sign_in: (name: string) => `Signing in to ${name}…`,
  },
  done: {
    install: (name: string) => `${name} is installed`,
    sign_in: (name: string) => `${name} is signed in`,
  },
  cancelled: 'Cancelled.',
  cancel: 'Cancel',
  cancelOf: (name: string) => `Cancel ${name}`,
  output: 'Output',
  open: 'Open',
  openThere: (host: string) => `Open ${host}`,
  typeThere: 'There, type',
  codeName: 'the code',
  code: 'Code that the opened page shows',
  send: 'Sign in',
  again: 'Try again',
}
