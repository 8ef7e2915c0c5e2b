/**
 * Who sent a request (SE2, SE3): the bearer token or the browser's cookie, looked up by hash. Knows nothing of routes; never
 * keeps a secret longer than its request, and never says how wrong a wrong one was.
 */
import type { IncomingMessage } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import { owner, type Who } from '../../domain/access/who.ts'
import { Refusal } from '../../domain/errors.ts'
import { hashSecret, kindOf, sameHash } from '../../platform/secrets.ts'
import { findCredential } from '../../services/access/queries.ts'
import type { Store } from '../../store/store.ts'

/** A request's credential, found valid. */
export interface Presented {
  readonly who: Who
  /** What opens the caller's own sealed receipts; held by the request alone. */
  readonly secret: string
  readonly hash: string
  readonly by: 'bearer' | 'cookie'
  /** Behind a launch's token: the context whose tools it was given to. */
  readonly contextId?: string | undefined
}

const maxSecretLength = 512
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export class Credentials {
  /** Cookies ignore ports, so the name says whose it is. */
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

  /** The valid credential of a request; a Refusal when there is none, or it is wrong, or a cookie comes from nowhere. */
  async of(request: IncomingMessage): Promise<Presented> {
    const found = this.#presented(request)
    if (!found) throw new Refusal('unauthenticated')
    if (found.secret === '' || found.secret.length > maxSecretLength) throw new Refusal('authentication_failed')
    const hash = hashSecret(found.secret)
    const who = await this.whoHas(hash, found.secret)
    if (!who) throw new Refusal('authentication_failed')
    const unsafe = !safeMethods.has(request.method ?? '') || request.headers.upgrade !== undefined
    if (found.by === 'cookie' && unsafe && request.headers.origin === undefined) {
      throw new Refusal('forbidden_origin', 'With the cookie, a change needs the Origin header')
    }
    return { who, hash, ...found }
  }

  /** Asked again for every message on an open connection: revoking bites at once. With the secret it is found sooner. */
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
      // A token of ours has no dot; what stands behind one says in which context a launch's tools are called.
      const at = secret.indexOf('.')
      if (at === -1 || kindOf(secret) !== 'launch') return { secret, by: 'bearer' }
      return { secret: secret.slice(0, at), by: 'bearer', contextId: secret.slice(at + 1) }
    }
    const secret = headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[this.cookieName]
    return secret === undefined ? undefined : { secret, by: 'cookie' }
  }
}
