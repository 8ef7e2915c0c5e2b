/** A gate that whoever reads an agent's output passes: closed while there is no room for what it says. */
export class OutputGate {
  #waiting: PromiseWithResolvers<void> | undefined

  /** Undefined while it is open. */
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
