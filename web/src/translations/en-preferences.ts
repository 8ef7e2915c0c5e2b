/** The words of what a person prefers, and of signing in on a phone, in English. */
export const preferences = {
  theme: 'Theme',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  language: 'Language',
  languages: { system: 'As the browser', en: 'English', ja: '日本語' },
  open: 'Account and preferences',
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
