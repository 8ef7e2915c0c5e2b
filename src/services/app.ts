/**
 * What doors call. Use cases, queries and streams say which scope they need and whose they are
 * (domain/access/rights.ts); here, and nowhere else, this is compared with who asks. What is not
 * the caller's is refused like what is not there (SE28).
 */
import type { Caller } from '../domain/access/caller.ts'
import type { Rights } from '../domain/access/rights.ts'
import { type Viewer, viewerOf } from '../domain/access/visibility.ts'
import { Refusal } from '../domain/errors.ts'
import { refusalText } from '../domain/refusal-texts.ts'
import { parseStream, type StreamName } from '../domain/stream-name.ts'
import type { Query, ReceiptKey, Store, UseCase } from '../store/store.ts'
import { checkAccess } from './access/check-access.ts'
import { belongingOfStream, belongingOn } from './access/owners.ts'
import { requireScope } from './access/require-scope.ts'
import { streamRights } from './access/stream-rights.ts'

/** The eyes with which something is read are the caller's. */
export type Asked<Input> = Input extends { readonly viewer: Viewer } ? Omit<Input, 'viewer'> : Input

export class App {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Where nothing has to be looked up first, the store is called at once: calls keep their order,
   * and may share a commit.
   */
  async run<Input, Output>(
    useCase: UseCase<Input, Output>,
    input: Input,
    who: Caller,
    receipt?: ReceiptKey,
  ): Promise<Output> {
    const checking = this.#check(useCase, input, who)
    if (checking) await checking
    return this.#store.run(useCase, input, receipt)
  }

  async read<Input, Output>(
    query: Query<Input, Output>,
    input: Asked<Input>,
    who: Caller,
  ): Promise<Output> {
    const checking = this.#check(query, input, who)
    if (checking) await checking
    const whole = query.on === 'viewer' ? { ...input, viewer: viewerOf(who) } : input
    return this.#store.query(query, whole as Input)
  }

  /** Refuses streams that the caller may not follow. */
  async watch(streams: readonly StreamName[], who: Caller): Promise<void> {
    const viewer = viewerOf(who)
    for (const stream of streams) {
      const { kind = 'note', id } = parseStream(stream) ?? {}
      const { scope, on } = streamRights[kind]
      requireScope(who, scope)
      const thing = belongingOfStream(stream)
      if (thing && viewer !== null)
        await this.#store.query(checkAccess, { viewer, thing, isThere: true })
      if (on === 'caller' && id !== who.id)
        throw new Refusal('not_found', refusalText('noStream'), { stream })
    }
  }

  /** Refuses who may not do this to what the input names. */
  async require(rights: Rights, input: unknown, who: Caller): Promise<void> {
    await this.#check(rights, input, who)
  }

  #check({ scope, on }: Rights, input: unknown, who: Caller): Promise<void> | undefined {
    requireScope(who, scope)
    const thing = belongingOn(on, input)
    const viewer = viewerOf(who)
    if (thing && viewer !== null) return this.#store.query(checkAccess, { viewer, thing })
    return undefined
  }
}
