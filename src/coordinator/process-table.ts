/**
 * Lists the machine's processes for concurrent callers. One listing runs at a time, and a caller never gets one that began before
 * its call.
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
    // The running listing may have missed a process started just now.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        return this.list()
      })
    return this.#next
  }
}
