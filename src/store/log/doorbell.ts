/** The doorbell of one process: tells listeners that a stream has new events. Carries no data. */
import type { StreamName } from '../../domain/stream-name.ts'
import type { Doorbell } from '../store.ts'

export class LocalDoorbell implements Doorbell {
  /** Sends a signal to the other nodes; undefined on a store with one node. */
  forwardSignal: ((signal: string, at: number) => void) | undefined
  readonly #signals = new Map<string, Set<(at: number) => void>>()
  readonly #listeners = new Map<StreamName, Set<(head: number) => void>>()
  readonly #any = new Set<(stream: StreamName, head: number) => void>()

  on(stream: StreamName, listener: (head: number) => void): () => void {
    return listen(this.#listeners, stream, listener)
  }

  onSignal(signal: string, listener: (at: number) => void): () => void {
    return listen(this.#signals, signal, listener)
  }

  sendSignal(signal: string, at: number): void {
    this.forwardSignal?.(signal, at)
  }

  /** Calls the listeners for a signal from another node. */
  receiveSignal(signal: string, at: number): void {
    for (const listener of [...(this.#signals.get(signal) ?? [])]) listener(at)
  }

  onAny(listener: (stream: StreamName, head: number) => void): () => void {
    this.#any.add(listener)
    return () => this.#any.delete(listener)
  }

  get streams(): Iterable<StreamName> {
    return this.#listeners.keys()
  }

  get anyListened(): boolean {
    return this.#any.size > 0
  }

  ring(heads: Iterable<readonly [StreamName, number]>): void {
    this.ringNamed(heads)
    this.ringAny(heads)
  }

  /** Calls the listeners of these streams; returns false when there are none. */
  ringNamed(heads: Iterable<readonly [StreamName, number]>): boolean {
    let rang = false
    for (const [stream, head] of heads) {
      for (const listener of [...(this.#listeners.get(stream) ?? [])]) {
        listener(head)
        rang = true
      }
    }
    return rang
  }

  ringAny(heads: Iterable<readonly [StreamName, number]>): void {
    for (const [stream, head] of heads)
      for (const listener of [...this.#any]) listener(stream, head)
  }
}

type Listener = (value: number) => void

function listen<Name>(all: Map<Name, Set<Listener>>, name: Name, listener: Listener): () => void {
  const listeners = all.get(name) ?? new Set()
  all.set(name, listeners.add(listener))
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0 && all.get(name) === listeners) all.delete(name)
  }
}
