/**
 * Identifies the sender of a request (SE2, SE3) by bearer token or cookie, looked up by hash. Never
 * keeps a secret longer than its request, and never says in which way a wrong one is wrong.
 */

import type { IncomingMessage } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import { owner, ownerId, theServer, type Who } from '../../domain/access/caller.ts'
import type { SignInRules } from '../../domain/access/sign-in-rules.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Logger } from '../../platform/log/logger.ts'
import { hashSecret, kindOf, sameHash } from '../../platform/secrets/secrets.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { takeTicket } from '../../services/access/passes.ts'
import { findCredential } from '../../services/access/queries.ts'
import { useBrowser } from '../../services/access/sign-in.ts'
import { App } from '../../services/app.ts'
import type { Store } from '../../store/store.ts'
import type { ClientAddress } from './client-address.ts'
import { anonymousRequestsPerMinute, callersRequestsPerMinute, RateLimit } from './rate-limit.ts'

/** A valid credential of a request. */
export interface Presented {
  readonly who: Who
  /** Secret that opens the caller's own sealed receipts; kept only by the request. */
  readonly secret: string
  readonly hash: string
  readonly by: 'bearer' | 'cookie'
  /** Context of the caller, for a launch's token with a context. */
  readonly contextId?: string | undefined
}

const maxSecretLength = 512
/** Browsers take a cookie of such a name over TLS only, and from no other host. */
const hostPrefix = '__Host-'
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A browser's use is written down once in so long. */
const useWrittenMs = 3_600_000
/** Upper bound of browsers whose use is remembered; a forgotten one is written down once more. */
const maxRemembered = 10_000

interface CredentialsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly ownerTokenHash: string
  readonly publicUrl: string | null
  readonly addressOf: ClientAddress
  readonly rules: SignInRules
}

export class Credentials {
  /** Names this server, because browsers share cookies between ports. */
  readonly cookieName: string
  readonly #options: CredentialsOptions
  readonly #app: App
  readonly #publicHost: string | undefined
  readonly #anonymous: RateLimit
  readonly #callers: RateLimit
  readonly #usedAt = new Map<string, number>()

  constructor(options: CredentialsOptions) {
    const { store, clock, publicUrl } = options
    this.#options = options
    this.#app = new App(options.store)
    this.#publicHost = publicUrl?.startsWith('https:') ? new URL(publicUrl).host : undefined
    this.#anonymous = new RateLimit(clock, anonymousRequestsPerMinute, 'requests')
    this.#callers = new RateLimit(clock, callersRequestsPerMinute, 'requests')
    this.cookieName = `holdfast_${store.id.replaceAll('-', '').slice(-12)}`
  }

  /**
   * `find`, and the request counts for its credential; one without a valid one for its address
   * (SE27).
   */
  async of(request: IncomingMessage): Promise<Presented> {
    return this.#counted(request, () => this.find(request))
  }

  async #counted(request: IncomingMessage, find: () => Promise<Presented>): Promise<Presented> {
    const presented = await find().catch((error: unknown) => {
      if (error instanceof Refusal) this.countAnonymous(request)
      throw error
    })
    this.#callers.attempt(presented.who.credentialId)
    this.use(presented)
    return presented
  }

  /** Counts a request to what needs no credential. */
  async count(request: IncomingMessage): Promise<void> {
    if (!this.#presented(request)) return this.countAnonymous(request)
    await this.of(request).catch((error: unknown) => {
      if (error instanceof Refusal && error.code === 'rate_limited') throw error
    })
  }

  countAnonymous(request: IncomingMessage): void {
    this.#anonymous.attempt(this.#options.addressOf(request))
  }

  /**
   * The caller of an upgrade: a ticket in its address stands for the credential it was made with
   * (SE25).
   */
  ofUpgrade(request: IncomingMessage): Promise<Presented> {
    const ticket = new URLSearchParams(request.url?.split('?')[1]).get('ticket')
    return ticket === null ? this.of(request) : this.#counted(request, () => this.#ofTicket(ticket))
  }

  /**
   * The caller of an upgrade with a token in its address. Only one that was made for that counts
   * there (SE31): another kind would open more than a door, from wherever the address is kept.
   */
  ofDoor(request: IncomingMessage, secret: string): Promise<Presented> {
    return this.#counted(request, async () => {
      const hash = secret.length > maxSecretLength ? undefined : hashSecret(secret)
      const who = hash && (await this.whoHas(hash, secret))
      if (!hash || !who) throw new Refusal('authentication_failed')
      if (who.kind !== 'door')
        throw new Refusal('authentication_failed', refusalText('onlyDoorTokens'))
      return { who, hash, secret, by: 'bearer' }
    })
  }

  async #ofTicket(ticket: string): Promise<Presented> {
    const madeWith =
      ticket.length > maxSecretLength
        ? null
        : await this.#app.run(takeTicket, { hash: hashSecret(ticket) }, theServer)
    const hash = madeWith === ownerId ? this.#options.ownerTokenHash : madeWith
    const who = hash === null ? undefined : await this.whoHas(hash)
    if (hash === null || !who) throw new Refusal('authentication_failed')
    return { who, hash, secret: ticket, by: 'bearer' }
  }

  /**
   * Returns the valid credential of a request; throws a Refusal if it is missing, wrong, or a
   * cookie without Origin.
   */
  async find(request: IncomingMessage): Promise<Presented> {
    const found = this.#presented(request)
    if (!found) throw new Refusal('unauthenticated')
    if (found.secret === '' || found.secret.length > maxSecretLength)
      throw new Refusal('authentication_failed')
    const hash = hashSecret(found.secret)
    const who = await this.whoHas(hash, found.secret)
    if (!who) throw new Refusal('authentication_failed')
    const unsafe = !safeMethods.has(request.method ?? '') || request.headers.upgrade !== undefined
    if (found.by === 'cookie' && unsafe && request.headers.origin === undefined) {
      throw new Refusal('forbidden_origin', refusalText('originNeeded'))
    }
    return { who, hash, ...found }
  }

  /** A browser that is used stays signed in (SE1). */
  use({ who, by }: Pick<Presented, 'who' | 'by'>): void {
    const { clock, logger, rules } = this.#options
    const now = clock.now()
    if (by !== 'cookie' || now - (this.#usedAt.get(who.credentialId) ?? 0) < useWrittenMs) return
    if (this.#usedAt.size >= maxRemembered) this.#usedAt.clear()
    this.#usedAt.set(who.credentialId, now)
    this.#app
      .run(useBrowser, { credentialId: who.credentialId, rules }, theServer)
      .catch((error: unknown) =>
        logger.warn({ err: error }, 'use of a browser could not be recorded'),
      )
  }

  /**
   * Looks a credential up again for every message, so that revoking takes effect at once. With the
   * secret it is faster.
   */
  async whoHas(hash: string, secret = ''): Promise<Who | undefined> {
    if (this.isOwner(hash)) return owner
    return this.#options.store.query(findCredential, { hash, likely: kindOf(secret) })
  }

  isOwner(hash: string): boolean {
    return sameHash(hash, this.#options.ownerTokenHash)
  }

  cookieFor(request: IncomingMessage, value: string, maxAge: number): string {
    const secure = this.#isOverHttps(request)
    const name = secure ? hostPrefix + this.cookieName : this.cookieName
    return stringifySetCookie({
      name,
      value,
      httpOnly: true,
      sameSite: 'strict',
      path: '/',
      secure,
      maxAge,
    })
  }

  noCookie(request: IncomingMessage): string {
    return this.cookieFor(request, '', 0)
  }

  /**
   * This machine's own address is reached without TLS. A proxy may put it in the place of ours; a
   * page says where it is from.
   */
  #isOverHttps(request: IncomingMessage): boolean {
    const { host, origin } = request.headers
    return (
      this.#publicHost !== undefined &&
      (host?.toLowerCase() === this.#publicHost || !!origin?.startsWith('https:'))
    )
  }

  #presented({
    headers,
  }: IncomingMessage): Pick<Presented, 'secret' | 'by' | 'contextId'> | undefined {
    if (headers.authorization !== undefined) {
      const [, secret = ''] = /^Bearer +([\x21-\x7e]+)$/i.exec(headers.authorization) ?? []
      // Tokens contain no dot; the text after one names the context in which a launch calls its
      // tools.
      const at = secret.indexOf('.')
      if (at === -1 || kindOf(secret) !== 'launch') return { secret, by: 'bearer' }
      return { secret: secret.slice(0, at), by: 'bearer', contextId: secret.slice(at + 1) }
    }
    const cookies = headers.cookie === undefined ? {} : parseCookie(headers.cookie)
    // Under our own name a cookie without the prefix may be from another host of the domain.
    const plain =
      headers.host?.toLowerCase() === this.#publicHost ? undefined : cookies[this.cookieName]
    const secret = cookies[hostPrefix + this.cookieName] ?? plain
    return secret === undefined ? undefined : { secret, by: 'cookie' }
  }
}
