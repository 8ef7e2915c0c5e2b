/**
 * Removes secrets from text before it is written (SE7): our own tokens and passkeys, credentials in
 * headers, and well-known forms of keys. Prefers hiding too much. Masking twice changes nothing.
 * Every pattern runs in linear time, because anyone can write what is masked here.
 */
import type { Detail } from '../../domain/notices.ts'

/** The replacement of a secret. */
export const masked = '[masked]'

/**
 * Names whose values are secrets, in headers, queries, JSON and variables; also ends of names:
 * `ownerToken`, `DB_PASSWORD`.
 */
const secretName =
  '(?:password|passwd|passphrase|passkey|secret|token|credential|api[-_]?key|access[-_]?key|private[-_]?key|auth|authorization|cookie)'

type Rule = readonly [pattern: RegExp, replacement: string]

/** Keys that are known by their own form, whatever stands around them. */
const keyForms: readonly Rule[] = [
  // A private key, also one that is cut off.
  [
    /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
    masked,
  ],
  // Ours: owner, person, script, coordinator, agent, launch, sign-in …
  // (platform/secrets/secrets.ts)
  [/hf_[a-z][\w-]{16,}/g, masked],
  [/\bsk-[\w-]{16,}/g, masked],
  [/\b[srp]k_(?:live|test)_\w{10,}/g, masked],
  [/\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|npm_[A-Za-z0-9]{30,})/g, masked],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, masked],
  [/\bAIza[\w-]{30,}/g, masked],
  [/\b(?:xox[a-z]|xapp)-[\w-]{10,}/g, masked],
  // A Discord bot's token: an id, a time and a signature, in base64url.
  [/(?<![\w-])[\w-]{18,40}\.[\w-]{6}\.[\w-]{27,64}/g, masked],
  // A Telegram bot's token, which is in every address of its API after `bot`.
  [/(\/bot|\b)\d{6,20}:[\w-]{30,}/g, `$1${masked}`],
  // A JSON web token: two base64url objects and a signature.
  [/(?<![\w-])eyJ[\w-]{5,}\.eyJ[\w-]{5,}\.[\w-]*/g, masked],
  // user:password@host in any address.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/?#@]*):[^\s/?#@]+@/gi, `$1:${masked}@`],
]

/** Each rule replaces the secret and keeps the text around it. */
const rules: readonly Rule[] = [
  // A header that holds only a credential.
  [
    /\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s*[:=]\s*["']?)[^\r\n"']+/gi,
    `$1$2${masked}`,
  ],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${masked}`],
  ...keyForms,
  // The one-time code of a sign-in link.
  [/(\/sign-in#)[^\s"'<>]+/g, `$1${masked}`],
  // password=…, "token": "…", --api-key …: quoted values up to their quote (also in JSON within
  // JSON), bare ones up to a space or separator.
  [
    new RegExp(
      String.raw`(${secretName}\\{0,4}["']?\s*[:=]\s*\\{0,4})(["'])(?:\\.|(?!\2)[^\\])+`,
      'gi',
    ),
    `$1$2${masked}`,
  ],
  [
    new RegExp(String.raw`(${secretName}\s*[:=]\s*)(?:\[masked\]|[^\s"',;&)}\]]+)`, 'gi'),
    `$1${masked}`,
  ],
]

/**
 * Every text that a rule matches contains one of these; checking them first keeps ordinary lines
 * cheap.
 */
const hint =
  /-----BEGIN|authorization|cookie|bearer|basic|hf_|sk-|[srp]k_|gh[pousr]_|github_pat_|glpat-|npm_|AKIA|ASIA|AIza|xox|xapp-|\.[\w-]{6}\.|\d{6}:[\w-]{8}|eyJ|:\/\/|sign-in#|pass(?:w|phrase|key)|secret|token|credential|api[-_]?key|access[-_]?key|private[-_]?key|auth/i

export const looksSecret = (text: string): boolean => hint.test(text)

export const mask = (text: string): string => withoutSecrets(text, rules)

/**
 * Removes only what is a key by its own form: texts of people and agents keep their `name = value`
 * lines, which are source code more often than secrets.
 */
export const maskKeys = (text: string): string => withoutSecrets(text, keyForms)

function withoutSecrets(text: string, by: readonly Rule[]): string {
  if (!looksSecret(text)) return text
  let result = text
  for (const [pattern, replacement] of by) result = result.replace(pattern, replacement)
  return result
}

const secretKey = new RegExp(`${secretName}s?$`, 'i')

/** Deeper values are left out, so that no structure can hide a secret or recurse for ever. */
const maxDepth = 12

/** Copies plain data with every string masked; the whole text under a secret's name. */
export function maskDeep(value: unknown, key = '', depth = 0): unknown {
  if (typeof value === 'string') return secretKey.test(key) && value !== '' ? masked : mask(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return '…'
  if (Array.isArray(value)) return value.map((each) => maskDeep(each, key, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [mask(name), maskDeep(each, name, depth + 1)]),
  )
}

/** Masks a text and the parameters of its notice. */
export const maskDetail = <Given extends Detail | null>(detail: Given): Given =>
  maskDeep(detail) as Given
