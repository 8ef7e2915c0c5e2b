/**
 * Splits bytes into lines. Of a line that is too long, only the size and the beginning are kept. Holds at most one line of the
 * maximum length.
 */
export interface LineOptions {
  readonly maxBytes: number
  readonly onLine: (line: string) => void
  readonly onTooLong: (bytes: number, beginning: string) => void
  /** Length of the beginning that is kept. */
  readonly sampleBytes: number
}

const newline = 0x0a
const smallest = 16 * 1024
const nothing = Buffer.alloc(0)

export class LineReader {
  readonly #options: LineOptions
  /** An incomplete line. Copied, because a small chunk may retain a large buffer. */
  #buffer = nothing
  #bytes = 0

  constructor(options: LineOptions) {
    this.#options = options
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(newline, start); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#finish(chunk.subarray(start, end))
      start = end + 1
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
  }

  /** Handles the end of the input: text without a newline counts as a line. */
  end(): void {
    if (this.#bytes > 0) this.#finish(nothing)
  }

  #keep(part: Buffer): void {
    const { maxBytes, sampleBytes } = this.#options
    const before = this.#bytes
    this.#bytes += part.length
    if (before > maxBytes) return
    if (this.#bytes > maxBytes) {
      this.#buffer = Buffer.concat([this.#buffer.subarray(0, before), part]).subarray(0, sampleBytes)
      return
    }
    if (this.#buffer.length < this.#bytes) {
      const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(smallest, 2 * this.#bytes)))
      this.#buffer.copy(larger, 0, 0, before)
      this.#buffer = larger
    }
    part.copy(this.#buffer, before)
  }

  #finish(last: Buffer): void {
    const { maxBytes, sampleBytes, onLine, onTooLong } = this.#options
    if (this.#bytes > 0) this.#keep(last)
    const bytes = this.#bytes || last.length
    const whole = this.#bytes > 0 ? this.#buffer.subarray(0, Math.min(bytes, this.#buffer.length)) : last
    this.#bytes = 0
    this.#buffer = nothing
    if (bytes > maxBytes) return onTooLong(bytes, whole.subarray(0, sampleBytes).toString())
    const line = whole.toString().trim()
    if (line !== '') onLine(line)
  }
}
