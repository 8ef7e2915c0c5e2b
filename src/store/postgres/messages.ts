/**
 * Encodes messages to PostgreSQL
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html) into one buffer. The
 * driver writes each message to the socket separately, which for a few dozen statements costs more
 * than everything else.
 */

/** Enough for a few statements. */
const firstBytes = 2048
/** Larger buffers are released after use. */
const keptBytes = 64 * 1024
/** A character of JavaScript is at most three bytes of UTF-8. */
const bytesPerCharacter = 3

const code = (letter: string): number => letter.charCodeAt(0)
const [parse, bind, describe, execute, close, sync] = ['P', 'B', 'D', 'E', 'C', 'S'].map(code) as [
  number,
  number,
  number,
  number,
  number,
  number,
]
const [statement, portal] = [code('S'), code('P')]

export class Messages {
  #bytes = Buffer.allocUnsafe(firstBytes)
  #at = 0

  /** Reuses the buffer: PostgreSQL has answered the previous messages. */
  begin(): void {
    this.#at = 0
    if (this.#bytes.length > keptBytes) this.#bytes = Buffer.allocUnsafe(firstBytes)
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }

  parse(name: string, sql: string): void {
    const from = this.#begin(parse)
    this.#text(name)
    this.#text(sql)
    this.#int16(0)
    this.#end(from)
  }

  /** Binds all values and all result columns as text. */
  bind(name: string, values: readonly (string | null)[]): void {
    const from = this.#begin(bind)
    this.#text('')
    this.#text(name)
    this.#int16(0)
    this.#int16(values.length)
    for (const value of values) this.#value(value)
    this.#int16(0)
    this.#end(from)
  }

  describe(): void {
    const from = this.#begin(describe)
    this.#byte(portal)
    this.#text('')
    this.#end(from)
  }

  execute(): void {
    const from = this.#begin(execute)
    this.#text('')
    // No row limit.
    this.#int32(0)
    this.#end(from)
  }

  close(name: string): void {
    const from = this.#begin(close)
    this.#byte(statement)
    this.#text(name)
    this.#end(from)
  }

  sync(): void {
    this.#end(this.#begin(sync))
  }

  #begin(kind: number): number {
    this.#byte(kind)
    this.#int32(0)
    return this.#at - 4
  }

  /** Fills in the message's length. */
  #end(from: number): void {
    this.#bytes.writeInt32BE(this.#at - from, from)
  }

  #value(value: string | null): void {
    if (value === null) return this.#int32(-1)
    this.#int32(0)
    const from = this.#at
    this.#characters(value)
    this.#bytes.writeInt32BE(this.#at - from, from - 4)
  }

  #text(text: string): void {
    this.#characters(text)
    this.#byte(0)
  }

  #characters(text: string): void {
    this.#room(text.length * bytesPerCharacter)
    this.#at += this.#bytes.write(text, this.#at)
  }

  #byte(value: number): void {
    this.#room(1)
    this.#bytes[this.#at++] = value
  }

  #int16(value: number): void {
    this.#room(2)
    this.#at = this.#bytes.writeUInt16BE(value, this.#at)
  }

  #int32(value: number): void {
    this.#room(4)
    this.#at = this.#bytes.writeInt32BE(value, this.#at)
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe((this.#at + bytes) * 2)
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}
