/** A set of ids that drops the oldest when it is full. Used to ignore repeated orders. */
export class RecentIds extends Set<string> {
  readonly #max: number

  constructor(max: number) {
    super()
    this.#max = max
  }

  override add(id: string): this {
    if (this.size >= this.#max) this.delete(this.values().next().value ?? '')
    return super.add(id)
  }
}
