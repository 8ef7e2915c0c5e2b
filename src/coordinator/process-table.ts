/**
 * Looks at the machine's processes for everybody who waits for the end of some: however many ask, one look is under way, and what
 * one gets was never looked up before one asked.
 */
import type { LiveProcess, ProcessSource } from '../platform/processes.ts'

export class ProcessTable {
  readonly source: ProcessSource
  #running: Promise<LiveProcess[]> | undefined
  #next: Promise<LiveProcess[]> | undefined

  constructor(source: ProcessSource) {
    this.source = source
  }

  list(): Promise<LiveProcess[]> {
    if (!this.#running) {
      this.#running = this.source.list().finally(() => {
        this.#running = undefined
      })
      return this.#running
    }
    // The one under way may have passed by already what has just been started.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        return this.list()
      })
    return this.#next
  }
}
