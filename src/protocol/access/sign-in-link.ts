/** The link of a one-time sign-in (SE1). The code is in the fragment, which browsers never send. */
export const signInLink = (address: string, code: string): string =>
  `${address.replace(/\/$/, '')}/sign-in#${code}`
