/**
 * Asks a session something that changes nothing (CX7): to set an option or the mode to what it is.
 * A session whose agent has lost a part of itself fails at that like at a prompt; what a model or
 * its vendor refuses does not reach it.
 */
import { methods, RequestError } from '@agentclientprotocol/sdk'
import type { Clock } from '../../platform/time/clock.ts'
import { type Detail, statusNotice } from '../../protocol/status-texts.ts'
import type { AgentOption, AgentUpdate } from '../../protocol/turns/agent-update.ts'
import { failureOf } from './failure.ts'
import { probeMs } from './limits.ts'
import { modelOption } from './updates.ts'

export interface ProbeOptions {
  readonly agent: { request(method: string, params: object): Promise<unknown> }
  readonly clock: Clock
}

interface Known {
  readonly acpSessionId: string
  readonly modeId: string | null
  readonly options: readonly AgentOption[]
}

/**
 * The agent does not offer the request, or not with these values: that says nothing about its
 * session.
 */
const notOffered: ReadonlySet<number> = new Set([-32601, -32602])

export class AcpSessionProbe {
  readonly #options: ProbeOptions
  #known: Known | undefined

  constructor(options: ProbeOptions) {
    this.#options = options
  }

  setOpened(opened: Known): void {
    this.#known = opened
  }

  note(update: AgentUpdate): void {
    if (!this.#known) return
    if (update.kind === 'mode') this.#known = { ...this.#known, modeId: update.modeId }
    if (update.kind === 'options') this.#known = { ...this.#known, options: update.options }
  }

  /** What it says, if it fails with the error that the prompt failed with. */
  async failsLike(failed: RequestError): Promise<Detail | null> {
    const error = await this.#try()
    return error && isSame(error, failed) ? wordsOf(error) : null
  }

  /** After an end without anything said, there is no error to compare with. */
  async failsTwice(): Promise<Detail | null> {
    const error = await this.#try()
    const again = error && (await this.#try())
    return error && again && isSame(error, again) ? wordsOf(error) : null
  }

  async #try(): Promise<RequestError | undefined> {
    const [method, params] = this.#request() ?? []
    if (method === undefined || params === undefined) return undefined
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const stopWaiting = this.#options.clock.after(probeMs, () => resolve(undefined))
    const request = this.#options.agent.request(method, params).then(
      () => undefined,
      (error: unknown) =>
        error instanceof RequestError && !notOffered.has(error.code) ? error : undefined,
    )
    return Promise.race([request, late]).finally(stopWaiting)
  }

  /** The mode only where there is no other option: an agent may change it without a word. */
  #request(): [method: string, params: object] | undefined {
    if (!this.#known) return undefined
    const { acpSessionId, modeId, options } = this.#known
    const { setConfigOption, setMode } = methods.agent.session
    const option = options.find(({ id, category }) => id !== modelOption && category !== 'mode')
    if (option) {
      const { id: configId, value } = option
      return [
        setConfigOption,
        {
          sessionId: acpSessionId,
          configId,
          ...(typeof value === 'boolean' ? { type: 'boolean', value } : { value }),
        },
      ]
    }
    return modeId === null ? undefined : [setMode, { sessionId: acpSessionId, modeId }]
  }
}

const isSame = (one: RequestError, other: RequestError): boolean =>
  one.code === other.code &&
  one.message === other.message &&
  JSON.stringify(one.data) === JSON.stringify(other.data)

const wordsOf = (error: RequestError): Detail => failureOf(error, statusNotice('thePrompt')).detail
