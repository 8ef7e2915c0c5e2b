/** Parses what a person pastes or opens to sign in: a link, its code, or a token. */

/**
 * Takes the code out of the address and cleans the address at once, so that it stays in no history.
 */
export function takeCode(): string | undefined {
  const code = location.hash.slice(1)
  if (!code) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return code
}

/** A link has its code behind the `#`; codes say what they are, whatever else is a token. */
export function loginFrom(text: string): { code: string } | { token: string } {
  const secret = (text.split('#').at(-1) ?? '').trim()
  return text.includes('#') || secret.startsWith('hf_code_') ? { code: secret } : { token: secret }
}
