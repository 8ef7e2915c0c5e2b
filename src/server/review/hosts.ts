/**
 * Hosts and their tokens, shared by REST, the link and landings (LD7): a token is tried when it is
 * set, kept sealed, and opened for one step of a landing.
 */
import { type Caller, theServer } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Seals } from '../../platform/secrets/seals.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Host, HostKind } from '../../protocol/review/hosts.ts'
import { App } from '../../services/app.ts'
import {
  findCredential,
  findRemotesAt,
  listHosts,
  mayPutHost,
  removeHost,
  setHost,
} from '../../services/review/hosts.ts'
import type { Tables } from '../../store/schema/tables.ts'
import type { ReceiptKey, Store } from '../../store/store.ts'
import { apisOf, GitHub, type PullRequest, schemeOf } from './github.ts'

const hostForm = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/
const tryMs = 20_000

/** What git is given for a push. */
export interface PushCredential {
  readonly username: string
  readonly password: string
  readonly address?: string | undefined
}

export class Hosts {
  readonly #app: App
  readonly #seals: Seals
  readonly #clock: Clock

  constructor(store: Store, seals: Seals, clock: Clock) {
    this.#app = new App(store)
    this.#seals = seals
    this.#clock = clock
  }

  async set(
    who: Caller,
    given: {
      readonly host: string
      readonly token: string
      readonly kind?: HostKind | undefined
      readonly projectId?: string | undefined
    },
    receipt?: ReceiptKey,
  ): Promise<Host> {
    const host = given.host.toLowerCase()
    if (!hostForm.test(host))
      throw new Refusal('invalid_request', refusalText('hostForm'), { field: 'host' })
    const { projectId, token, kind = host === 'github.com' ? 'github' : 'git' } = given
    const whose = { host, projectId, by: who.id, scopes: who.scopes }
    await this.#app.read(mayPutHost, whose, who)
    const tried =
      kind === 'github' ? await this.#tryGitHub(host, token) : await this.#tryGit(host, token)
    const sealed = this.#seals.seal(nameOf(host), token)
    return this.#app.run(setHost, { ...whose, kind, ...tried, sealed }, who, receipt)
  }

  remove(who: Caller, host: string, projectId: string | undefined, receipt?: ReceiptKey) {
    const whose = { host: host.toLowerCase(), projectId, by: who.id, scopes: who.scopes }
    return this.#app.run(removeHost, whose, who, receipt)
  }

  list(who: Caller): Promise<Host[]> {
    return this.#app.read(listHosts, { by: who.id }, who)
  }

  /** For the machine that pushes, while the step runs. */
  async credential(
    who: Caller,
    { landingId, n }: { readonly landingId: string; readonly n: number },
  ): Promise<PushCredential | null> {
    const ofStep = { landingId, n, coordinatorId: who.id }
    const { token, host, step } = await this.#app.read(findCredential, ofStep, who)
    return token && pushCredential(this.#open(token), host, JSON.parse(step).address)
  }

  async pullRequest(landingId: string, n: number, text: string): Promise<PullRequest> {
    const { token, step } = await this.#app.read(findCredential, { landingId, n }, theServer)
    if (token?.kind !== 'github') throw new Refusal('host_refused', refusalText('noHostToken'))
    const { repository, head, base, title } = JSON.parse(step)
    const github = new GitHub(token.api, this.#open(token), this.#clock)
    return github.pullRequest({ repository, head, base, title, text })
  }

  #open({ host, sealed }: Tables['host_tokens']): string {
    const name = nameOf(host)
    return this.#seals.open({ [name]: JSON.parse(sealed) })[name] ?? ''
  }

  async #tryGitHub(host: string, token: string): Promise<{ api: string; account: string }> {
    for (const api of apisOf(host)) {
      const account = await new GitHub(api, token, this.#clock).account()
      if (account !== undefined) return { api, account }
    }
    throw new Refusal('host_refused', refusalText('noGitHub', { host }))
  }

  /** As `git ls-remote` does, at an address that is known; without one the host has to answer. */
  async #tryGit(host: string, token: string): Promise<{ api: string; account: null }> {
    const [address] = await this.#app.read(findRemotesAt, { host }, theServer)
    const base = `${schemeOf(host)}://${host}`
    const path = address === undefined ? '' : (URL.parse(address)?.pathname ?? '')
    const url = path === '' ? `${base}/` : `${base}${path}/info/refs?service=git-upload-pack`
    const { username, password } = pushCredential(token, host, base)
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(tryMs),
      headers: {
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
        'user-agent': 'git/2 holdfast',
      },
    }).catch((error: unknown) => {
      throw new Refusal('host_refused', error instanceof Error ? error.message : String(error))
    })
    await response.body?.cancel()
    if (response.status === 401 || response.status === 403)
      throw new Refusal('host_refused', undefined, { status: response.status })
    return { api: base, account: null }
  }
}

const nameOf = (host: string): string => `host:${host}`

/** `user:password`, or a token alone. A host with a token is pushed to over https. */
function pushCredential(token: string, host: string, address: string): PushCredential {
  const at = token.indexOf(':')
  const [username, password] =
    at > 0 ? [token.slice(0, at), token.slice(at + 1)] : ['x-access-token', token]
  const [, path] = /^(?:ssh:\/\/[^/]+\/|[\w.-]+@[\w.-]+:)(.+)$/.exec(address) ?? []
  return {
    username,
    password,
    ...(path !== undefined && {
      address: `${schemeOf(host)}://${host}/${path.replace(/^\/+/, '')}`,
    }),
  }
}
