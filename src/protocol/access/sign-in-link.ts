/** The link of a one-time sign-in (SE1). The code stands behind the #, which a browser never sends to anybody. */
export const signInLink = (address: string, code: string): string => `${address.replace(/\/$/, '')}/sign-in#${code}`
