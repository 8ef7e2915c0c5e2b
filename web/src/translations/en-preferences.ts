/** The words of what a person prefers, and of signing in on a phone, in English. */
export const preferences = {
  devices: {
    title: 'Signed in with',
    about: 'The browsers you are signed in with. Tokens are not among them.',
    none: 'No browser: you came with a token.',
    thisOne: 'this browser',
    used: 'used',
    signOut: 'Sign out',
    signOutName: (name: string) => `Sign out ${name}`,
    signOutTitle: (name: string) => `Sign ${name} out?`,
    signOutText: 'What it has open ends at once.',
    signedOut: (name: string) => `${name} is signed out`,
  },
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  language: 'Language',
  languages: { system: 'As the browser', en: 'English', ja: '日本語' },
  open: 'Account and preferences',
  settings: 'Settings',
  enterSends: 'Enter sends what you write',
  outside: 'Notices from this browser',
  outsideForbidden: 'The browser does not allow notices for this address. Its settings can.',
  signOut: 'Sign out',
}

export const phone = {
  open: 'Sign in on your phone',
  scan: 'Point the phone’s camera at this. It signs you in once, as yourself.',
  code: 'A code for the camera of your phone',
  expires: 'Good until',
  orLink: 'Or copy the link and send it to yourself.',
  again: 'Make a new one',
  unreachable: 'A phone cannot reach this address: it is this machine’s own.',
  unreachableNext: 'Put Holdfast behind a proxy, set public_url to its address, and start again.',
}

export const shortcuts = {
  title: 'Keyboard shortcuts',
  these: 'These shortcuts',
  palette: 'Search, or do something',
  newSession: 'Begin a session',
  composer: 'Go to the composer',
  send: 'Send',
  line: 'A new line',
  commands: 'Commands of the agent, at the beginning of a message',
  files: 'Files of the workplace',
  stop: 'Stop what runs, in a session',
  rows: 'On Now: move, and unfold',
  digits: 'On Now: press the button with the digit',
  undo: 'On Now: undo what was just decided',
  reviewFiles: 'In a review: filter its files',
  viewed: 'In a review: mark the file as viewed, and go to the next',
}

export const signIn = {
  title: 'Sign in',
  working: 'Signing you in…',
  lead: 'Open the sign-in link that the server printed when it started.',
  used: 'This link does not work any more',
  usedWhy: 'A sign-in link works once, for 10 minutes.',
  signedOut: 'You are signed out',
  noCookie:
    'This browser did not keep the sign-in. Allow cookies for this address, then sign in again.',
  ended:
    'You are no longer signed in: you signed out in another window, or your access was revoked or has expired.',
  getNew: 'For a new one, run this on the machine where Holdfast runs:',
  inClone: 'In a clone of the repository:',
  paste: 'Or paste a link, a code or a token',
  pasteEmpty: 'Paste a link, a code or a token',
  button: 'Sign in',
}
