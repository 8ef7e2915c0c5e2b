/**
 * Passes: short-lived credentials and those that stand in an address, each good for one thing until
 * its end. One table for all kinds. A pass counts for nothing once the credential it was made with
 * is gone.
 */
import { type Instant, later } from '../../domain/instant.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type { Ticket } from '../../protocol/access/people.ts'
import type { PassKind, PassRow } from '../../store/access/credentials.ts'
import { type Context, defineUseCase, type Tx } from '../../store/store.ts'

interface NewPass {
  readonly kind: PassKind
  /** What it is good for. */
  readonly scope: string
  /** Who has what it opens. */
  readonly holderId: string
  /**
   * The hash of the credential it is made with, or `owner`: the owner's token is not in the store.
   */
  readonly madeWith: string
  readonly lifetimeMs: number
}

export async function addPass(tx: Tx, { lifetimeMs, ...pass }: NewPass, { now, random }: Context) {
  const secret = random.secret(pass.kind)
  const expiresAt = later(now, lifetimeMs)
  await tx.insert('passes', {
    hash: hashSecret(secret),
    kind: pass.kind,
    scope: pass.scope,
    holder_id: pass.holderId,
    made_with: pass.madeWith,
    created_at: now,
    expires_at: expiresAt,
  })
  return { secret, expiresAt }
}

/** Uses up a pass that is good once. Who asks looks whether what it was made with is still good. */
export async function takePass(
  tx: Tx,
  kind: PassKind,
  hash: string,
  now: Instant,
): Promise<PassRow | undefined> {
  const pass = await tx.row('passes', { hash })
  if (pass?.kind !== kind || pass.expires_at <= now) return undefined
  await tx.delete('passes', { hash })
  return pass
}

const ticketLifetimeMs = 60_000
/** The upgrade of `/ws`. */
const ticketScope = 'ws'

/**
 * SE25: a ticket stands in the address of a WebSocket, where browsers can send no token: once, and
 * for a minute.
 */
export const createTicket = defineUseCase('create-ticket', {
  scope: 'anybody',
  on: 'caller',
  answersSecret: true,
  streams: () => [],
  run: async (
    tx,
    { holderId, madeWith }: Pick<NewPass, 'holderId' | 'madeWith'>,
    context,
  ): Promise<Ticket> => {
    const pass = {
      kind: 'ticket',
      scope: ticketScope,
      holderId,
      madeWith,
      lifetimeMs: ticketLifetimeMs,
    } as const
    const { secret: ticket, expiresAt } = await addPass(tx, pass, context)
    return { ticket, expiresAt }
  },
})

/** Uses a ticket up; returns what it was made with. */
export const takeTicket = defineUseCase('take-ticket', {
  scope: 'server',
  on: 'nobody',
  streams: () => [home],
  run: async (tx, { hash }: { hash: string }, { now }): Promise<string | null> =>
    (await takePass(tx, 'ticket', hash, now))?.made_with ?? null,
})
