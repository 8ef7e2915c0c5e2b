/**
 * Takes secrets out of text before it is written anywhere (SE7): our own tokens and passkeys, credentials in headers, and the
 * forms of well-known keys. It errs on the side of hiding. Masking twice changes nothing more. Every pattern is linear in the
 * length of the text: strangers write what is masked here.
 */

/** What stands where a secret was. */
export const masked = '[masked]'

/** Names whose values are secrets, in headers, queries, JSON and environment variables; also as the last part: `ownerToken`, `DB_PASSWORD`. */
const secretName =
  '(?:password|passwd|passphrase|passkey|secret|token|credential|api[-_]?key|access[-_]?key|private[-_]?key|auth|authorization|cookie)'

/** Each puts `masked` in the place of the secret and keeps the words around it. */
const rules: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // A private key, even one that was cut off before its end.
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g, masked],
  // A whole header line holds nothing but the credential.
  [/\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s*[:=]\s*["']?)[^\r\n"']+/gi, `$1$2${masked}`],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${masked}`],
  // Ours: owner, person, script, coordinator, agent, launch, sign-in … (platform/secrets.ts)
  [/hf_[a-z][\w-]{16,}/g, masked],
  [/\bsk-[\w-]{16,}/g, masked],
  [/\b[srp]k_(?:live|test)_\w{10,}/g, masked],
  [/\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|npm_[A-Za-z0-9]{30,})/g, masked],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, masked],
  [/\bAIza[\w-]{30,}/g, masked],
  [/\bxox[a-z]-[\w-]{10,}/g, masked],
  // A bot of Telegram: its token stands in every address of theirs, with `bot` before it.
  [/(\/bot|\b)\d{6,20}:[\w-]{30,}/g, `$1${masked}`],
  // A JSON web token: two base64url objects and a signature.
  [/(?<![\w-])eyJ[\w-]{5,}\.eyJ[\w-]{5,}\.[\w-]*/g, masked],
  // user:password@host in any address.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/?#@]*):[^\s/?#@]+@/gi, `$1:${masked}@`],
  // The one-time code of a sign-in link.
  [/(\/sign-in#)[^\s"'<>]+/g, `$1${masked}`],
  // password=…, "token": "…", --api-key …: quoted values up to their quote (also in JSON within JSON),
  // bare ones up to a space or separator.
  [new RegExp(String.raw`(${secretName}\\{0,4}["']?\s*[:=]\s*\\{0,4})(["'])(?:\\.|(?!\2)[^\\])+`, 'gi'), `$1$2${masked}`],
  [new RegExp(String.raw`(${secretName}\s*[:=]\s*)(?:\[masked\]|[^\s"',;&)}\]]+)`, 'gi'), `$1${masked}`],
]

/** No rule finds anything in a text without one of these; looking for them first keeps ordinary lines cheap. */
const hint =
  /-----BEGIN|authorization|cookie|bearer|basic|hf_|sk-|[srp]k_|gh[pousr]_|github_pat_|glpat-|npm_|AKIA|ASIA|AIza|xox|\d{6}:[\w-]{8}|eyJ|:\/\/|sign-in#|pass(?:w|phrase|key)|secret|token|credential|api[-_]?key|access[-_]?key|private[-_]?key|auth/i

export const looksSecret = (text: string): boolean => hint.test(text)

export function mask(text: string): string {
  if (!looksSecret(text)) return text
  let result = text
  for (const [pattern, replacement] of rules) result = result.replace(pattern, replacement)
  return result
}

const secretKey = new RegExp(`${secretName}s?$`, 'i')

/** Deeper than anything that is logged; what lies below is left out, so that no shape can hide a secret or never end. */
const maxDepth = 12

/** A copy of plain data with every string masked; under a name that means a secret the whole text goes. */
export function maskDeep(value: unknown, key = '', depth = 0): unknown {
  if (typeof value === 'string') return secretKey.test(key) && value !== '' ? masked : mask(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return '…'
  if (Array.isArray(value)) return value.map((each) => maskDeep(each, key, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [mask(name), maskDeep(each, name, depth + 1)]))
}
