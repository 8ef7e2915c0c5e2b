/**
 * The owner's token (SE1), made at the first start and kept in `<data>/secrets`; `HOLDFAST_TOKEN`
 * overrides it. Never logged.
 */
import { readSecret, writeSecret } from '../files/secret-files.ts'
import { StartFailure } from '../processes/start-failure.ts'
import { newSecret } from './secrets.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Shorter tokens can be guessed; generated ones have 43 random characters. */
const minTokenLength = 20
/** The longest token in a header (protocol/access/people.ts). */
const maxTokenLength = 512

/**
 * Loads the token for the server and makes one if there is none. Call it while holding the folder's
 * lock.
 */
export async function loadOwnerToken(data: string, env: Environment): Promise<string> {
  const given = tokenFromEnvironment(env)
  if (given) return given
  const stored = await readOwnerToken(data)
  if (stored) return stored
  const made = newSecret('owner')
  await writeSecret(data, 'owner-token', made)
  return made
}

export function tokenFromEnvironment(env: Environment): string | undefined {
  const token = env['HOLDFAST_TOKEN']?.trim()
  if (!token) return undefined
  if (
    /^[\x21-\x7e]+$/.test(token) &&
    token.length >= minTokenLength &&
    token.length <= maxTokenLength
  )
    return token
  throw new StartFailure(
    `HOLDFAST_TOKEN must have ${minTokenLength} to ${maxTokenLength} printable characters without spaces.`,
    'Make one with `openssl rand -base64 32`, or leave it unset and one is made for you.',
    { exitCode: 2 },
  )
}

/** Reads the token in the folder; undefined when there is none. */
export async function readOwnerToken(data: string): Promise<string | undefined> {
  const stored = await readSecret(data, 'owner-token')
  if (!stored) return undefined
  const { path, text: token } = stored
  if (token.length < minTokenLength || token.length > maxTokenLength || /\s/.test(token)) {
    throw new StartFailure(
      `${path} does not hold a token.`,
      'Delete the file; the next start makes a new one.',
    )
  }
  return token
}
