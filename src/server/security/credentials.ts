/**
 * Identifies the sender of a request (SE2, SE3) by bearer token or cookie, looked up by hash. Never keeps a secret longer than
 * its request, and never says in which way a wrong one is wrong.
 */

import type { IncomingMessage } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import { owner, type Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { hashSecret, kindOf, sameHash } from '../../platform/secrets/secrets.ts'
import { findCredential } from '../../services/access/queries.ts'
import type { Store } from '../../store/store.ts'

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
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export class Credentials {
  /** Names this server, because browsers share cookies between ports. */
  readonly cookieName: string
  readonly #store: Store
  readonly #ownerTokenHash: string
  readonly #secure: boolean

  constructor(store: Store, ownerTokenHash: string, publicUrl: string | null) {
    this.#store = store
    this.#ownerTokenHash = ownerTokenHash
    this.#secure = publicUrl?.startsWith('https:') ?? false
    this.cookieName = `holdfast_${store.id.replaceAll('-', '').slice(-12)}`
  }

  /** Returns the valid credential of a request; throws a Refusal if it is missing, wrong, or a cookie without Origin. */
  async of(request: IncomingMessage): Promise<Presented> {
    const found = this.#presented(request)
    if (!found) throw new Refusal('unauthenticated')
    if (found.secret === '' || found.secret.length > maxSecretLength) throw new Refusal('authentication_failed')
    const hash = hashSecret(found.secret)
    const who = await this.whoHas(hash, found.secret)
    if (!who) throw new Refusal('authentication_failed')
    const unsafe = !safeMethods.has(request.method ?? '') || request.headers.upgrade !== undefined
    if (found.by === 'cookie' && unsafe && request.headers.origin === undefined) {
      throw new Refusal('forbidden_origin', refusalText('originNeeded'))
    }
    return { who, hash, ...found }
  }

  /** Looks a credential up again for every message, so that revoking takes effect at once. With the secret it is faster. */
  async whoHas(hash: string, secret = ''): Promise<Who | undefined> {
    if (this.isOwner(hash)) return owner
    return this.#store.query(findCredential, { hash, likely: kindOf(secret) })
  }

  isOwner(hash: string): boolean {
    return sameHash(hash, this.#ownerTokenHash)
  }

  cookieFor(value: string, maxAge: number): string {
    const rules = { httpOnly: true, sameSite: 'strict', path: '/', secure: this.#secure, maxAge } as const
    return stringifySetCookie({ name: this.cookieName, value, ...rules })
  }

  get noCookie(): string {
    return this.cookieFor('', 0)
  }

  #presented({ headers }: IncomingMessage): Pick<Presented, 'secret' | 'by' | 'contextId'> | undefined {
    if (headers.authorization !== undefined) {
      const [, secret = ''] = /^Bearer +([\x21-\x7e]+)$/i.exec(headers.authorization) ?? []
      // Tokens contain no dot; the text after one names the context in which a launch calls its tools.
      const at = secret.indexOf('.')
      if (at === -1 || kindOf(secret) !== 'launch') return { secret, by: 'bearer' }
      return { secret: secret.slice(0, at), by: 'bearer', contextId: secret.slice(at + 1) }
    }
    const secret = headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[this.cookieName]
    return secret === undefined ? undefined : { secret, by: 'cookie' }
  }
}
