/**
 * Sends requests to coordinators and waits for the answers. Both are in the store: the coordinator
 * may be connected to another node, and a repeated request with the same key gets the same answer.
 * Holds no state but the waiting calls.
 */

import { theServer } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { detailFrom } from '../../domain/notices.ts'
import { coordinatorStream } from '../../domain/stream-name.ts'
import type { Clock } from '../../platform/time/clock.ts'
import {
  type CoordinatorAnswer,
  changingRequests,
} from '../../protocol/processes/coordinator-requests.ts'
import { App } from '../../services/app.ts'
import {
  findCoordinatorAnswer,
  forgetCoordinatorRequest,
  type RequestToCoordinator,
  requestFromCoordinator,
} from '../../services/processes/coordinator-requests.ts'
import type { ReceiptKey, Store } from '../../store/store.ts'
import { untilSeen } from '../live/until-seen.ts'

export class CoordinatorRequests {
  readonly #store: Store
  readonly #app: App
  readonly #clock: Clock

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#app = new App(store)
    this.#clock = clock
  }

  /** Returns the value of the answer; a failure on the machine is a Refusal. */
  async ask<Value>(request: RequestToCoordinator, receipt?: ReceiptKey): Promise<Value> {
    const { id } = await this.#app.run(requestFromCoordinator, request, theServer, receipt)
    const answer = await this.#untilAnswered(id, request)
    if (!changingRequests.has(request.ask.kind))
      await this.#app.run(forgetCoordinatorRequest, { id }, theServer)
    return valueIn<Value>(answer)
  }

  /** The same for a request that was sent before. */
  async answerTo<Value>(
    id: string,
    sent: Pick<RequestToCoordinator, 'coordinatorId' | 'withinMs'>,
  ): Promise<Value> {
    return valueIn<Value>(await this.#untilAnswered(id, sent))
  }

  async #untilAnswered(
    id: string,
    { coordinatorId, withinMs }: Pick<RequestToCoordinator, 'coordinatorId' | 'withinMs'>,
  ): Promise<CoordinatorAnswer> {
    const stream = coordinatorStream(coordinatorId)
    const look = (): Promise<CoordinatorAnswer | undefined> =>
      this.#store.query(findCoordinatorAnswer, { id })
    const answer = await untilSeen({
      store: this.#store,
      clock: this.#clock,
      stream,
      withinMs,
      look,
    })
    if (!answer) throw new Refusal('no_answer', undefined, { coordinatorId })
    return answer
  }
}

function valueIn<Value>(answer: CoordinatorAnswer): Value {
  if (answer.ok) return answer.value as Value
  throw refusalFor(answer)
}

const codes = {
  gone: 'not_found',
  not_ours: 'wrong_state',
  git_refused: 'git_refused',
  needs_filter: 'needs_filter',
  invalid: 'invalid_request',
  busy: 'busy',
} as const

const refusalFor = ({ reason, why, notice }: Extract<CoordinatorAnswer, { ok: false }>): Refusal =>
  new Refusal(codes[reason], detailFrom(why, notice), reason === 'not_ours' ? { reason } : {})
