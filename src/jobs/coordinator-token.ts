/**
 * Maintains the token of the coordinator beside this server: created once per data folder, readable
 * by its owner only, and created again when the store does not know it.
 */
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { owner } from '../domain/access/caller.ts'
import { home } from '../domain/stream-name.ts'
import { writeFileAtomic } from '../platform/files/atomic-file.ts'
import { coordinatorIdFile } from '../platform/files/data-folder.ts'
import { readSecret, writeSecret } from '../platform/files/secret-files.ts'
import type { Logger } from '../platform/log/logger.ts'
import { hashSecret } from '../platform/secrets/secrets.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { EventType } from '../protocol/events.ts'
import type { TailFollower, Tails } from '../server/live/tail.ts'
import { createToken } from '../services/access/change-access.ts'
import { findCredential } from '../services/access/queries.ts'
import type { Store } from '../store/store.ts'

const revoked: EventType = 'token-revoked'
const retryMs = 1000
const idForm = /^[0-9a-f-]{36}$/

export interface CoordinatorTokenOptions {
  readonly store: Store
  readonly tails: Tails
  readonly data: string
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Resolves when the token is valid; the returned function stops the maintenance. A revoked token is
 * replaced under the same id, so that the coordinator keeps its identity and its processes: the
 * secret was revoked, not the machine. Deleting the file makes it a new machine.
 */
export async function maintainCoordinatorToken(
  options: CoordinatorTokenOptions,
): Promise<() => void> {
  const { tails, clock, logger } = options
  let isChecking = false
  let again = false
  let isStopped = false
  let stopRetry = (): void => {}
  const check = async (): Promise<void> => {
    again = true
    if (isChecking) return
    isChecking = true
    try {
      while (again) {
        again = false
        await renewToken(options)
      }
    } finally {
      isChecking = false
    }
  }
  const checkInBackground = (): void => {
    stopRetry()
    check().catch((error: unknown) => {
      logger.warn(
        { error: String(error) },
        'token of the local coordinator could not be checked; retrying',
      )
      if (!isStopped) stopRetry = clock.after(retryMs, checkInBackground)
    })
  }
  const tail = tails.acquire(home)
  const follower: TailFollower = {
    take: (events) => {
      if (events.some(({ type }) => type === revoked)) checkInBackground()
    },
  }
  tail.join(follower)
  const stop = (): void => {
    isStopped = true
    stopRetry()
    tail.leave(follower)
    tails.release(home)
  }
  try {
    await check()
  } catch (error) {
    stop()
    throw error
  }
  return stop
}

/** Checks the token in the file and replaces it if it is not valid. */
async function renewToken({ store, data, logger }: CoordinatorTokenOptions): Promise<void> {
  const secret = (await readSecret(data, 'coordinator-token'))?.text ?? ''
  const knownId = await readText(coordinatorIdFile(data))
  const writeId = async (id: string): Promise<void> => {
    if (id !== knownId) await writeFileAtomic(coordinatorIdFile(data), `${id}\n`)
  }
  const who = await store.query(findCredential, { hash: hashSecret(secret) })
  // Data folders of earlier versions have no id file.
  if (who?.kind === 'coordinator') return writeId(who.credentialId)
  const insteadOf = secret !== '' && idForm.test(knownId) ? knownId : null
  const name = `Coordinator on ${hostname()}`.slice(0, 200)
  const { id, token } = await store.run(createToken, {
    kind: 'coordinator',
    name,
    by: owner,
    insteadOf,
  })
  await writeSecret(data, 'coordinator-token', token)
  await writeId(id)
  if (insteadOf)
    logger.warn({ coordinatorId: id }, 'token of the local coordinator was revoked; replaced')
}

const readText = async (file: string): Promise<string> =>
  (await readFile(file, 'utf8').catch(() => '')).trim()
