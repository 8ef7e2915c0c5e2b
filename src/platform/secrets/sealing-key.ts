/**
 * Key that seals agents' secrets (SE12): a file of the data folder, or the configured file, which
 * is never created.
 */
import { readFile } from 'node:fs/promises'
import type { ConfigValues } from '../../protocol/config.ts'
import { readSecret, secretFile } from '../files/secret-files.ts'
import { StartFailure } from '../processes/start-failure.ts'
import { Seals, sealingKeyIn } from './seals.ts'

type KeyLocation = Pick<ConfigValues, 'data' | 'sealing_key_file'>

export const sealingKeyFile = ({ data, sealing_key_file: named }: KeyLocation): string =>
  named ?? secretFile(data, 'sealing-key')

/** Returns undefined when the data folder has none yet. */
export async function readSeals(place: KeyLocation): Promise<Seals | undefined> {
  const named = place.sealing_key_file
  const stored =
    named === null
      ? await readSecret(place.data, 'sealing-key')
      : { path: named, text: await textOf(named) }
  if (!stored) return undefined
  const key = sealingKeyIn(stored.text)
  if (key) return new Seals(key)
  throw new StartFailure(
    `${stored.path} does not hold a sealing key.`,
    'Put the right file in its place; a new key is made with `openssl rand -base64 32`, and agents must then be given their keys again.',
  )
}

async function textOf(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw new StartFailure(
      `The sealing key ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
      'Put it there, the same on every node. A new one is made with `openssl rand -base64 32`. Or leave sealing_key_file unset.',
      { cause: error },
    )
  }
}
