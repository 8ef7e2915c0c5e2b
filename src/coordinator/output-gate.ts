/** Blocks readers of an agent's output while the spool is full. */
export class OutputGate {
  #waiting: PromiseWithResolvers<void> | undefined

  /** Resolves when the gate opens; undefined while it is open. */
  get opened(): Promise<void> | undefined {
    return this.#waiting?.promise
  }

  set(open: boolean): void {
    if (!open) this.#waiting ??= Promise.withResolvers<void>()
    else {
      this.#waiting?.resolve()
      this.#waiting = undefined
    }
  }
}
