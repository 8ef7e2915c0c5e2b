/**
 * The secrets of a launch. Those given as files (SR3) are in a folder of the launch, for its owner
 * only, removed with the launch; what a killed coordinator left is removed at the next start. All
 * are masked in what the agent writes (SE7, SR4).
 */
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { KnownSecrets } from '../platform/log/known-secrets.ts'
import type { LaunchParticulars } from '../protocol/processes/link.ts'
import { gatewayToken } from './gateway/gateway.ts'

export const secretFilesFolder = (launchFolder: string): string => join(launchFolder, 'secrets')

export async function writeSecretFiles(
  launchFolder: string,
  files: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const paths: Record<string, string> = {}
  if (Object.keys(files).length === 0) return paths
  const folder = secretFilesFolder(launchFolder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const [name, value] of Object.entries(files)) {
    const path = join(folder, name)
    await writeFile(path, value, { mode: 0o600, flag: 'wx' })
    paths[`${name}_FILE`] = path
  }
  return paths
}

export const removeSecretFiles = (launchFolder: string): Promise<void> =>
  rm(secretFilesFolder(launchFolder), { recursive: true, force: true })

/**
 * Finds the launches of an earlier coordinator. Call before any is started; the answer removes
 * their secret files.
 */
export function findLeftSecretFiles(launchesFolder: string): () => Promise<void> {
  const launches = existsSync(launchesFolder) ? readdirSync(launchesFolder) : []
  return async () => {
    for (const launch of launches)
      await removeSecretFiles(join(launchesFolder, launch)).catch(() => {})
  }
}

/** Shorter values are words such as `true`, which would be masked everywhere. */
const minOutputSecretChars = 6
const secretName = /key|token|secret|passw|credential|auth/i
const minNamedSecretChars = 8

const alwaysSecret = ({ launchToken, secrets, gatewayKey }: LaunchParticulars): string[] => [
  launchToken,
  ...(gatewayKey === undefined ? [] : [gatewayKey, gatewayToken(launchToken)]),
  ...Object.values(secrets.environment),
  ...Object.values(secrets.files),
]

/**
 * Secrets to mask in the agent's output (SE7): its token, the project's secrets and all values of
 * its entry.
 */
export const secretsInOutput = (particulars: LaunchParticulars): KnownSecrets =>
  new KnownSecrets([
    ...alwaysSecret(particulars),
    ...Object.values(particulars.env).filter((value) => value.length >= minOutputSecretChars),
  ])

/**
 * Secrets to mask in what the agent says (SE7, SR4). Values of its entry that do not look like
 * secrets are ordinary words.
 */
export const secretsInTurns = (particulars: LaunchParticulars): KnownSecrets =>
  new KnownSecrets([
    ...alwaysSecret(particulars),
    ...Object.entries(particulars.env)
      .filter(([name, value]) => secretName.test(name) && value.length >= minNamedSecretChars)
      .map(([, value]) => value),
  ])
