/**
 * One event of the log as followers receive it. Each form is built once and shared by all followers of the stream; the body is
 * inserted as stored text, never parsed.
 */

import { parseStream, type StreamName } from '../../domain/stream-name.ts'
import { relayText } from '../../protocol/consoles/relay.ts'
import { encodeCursor } from '../../store/log/cursor.ts'
import type { StoredEvent } from '../../store/store.ts'

export class FeedEvent {
  readonly stream: StreamName
  readonly seq: number
  readonly type: string
  readonly #event: StoredEvent
  readonly #incarnation: string
  #json: string | undefined
  #cursor: string | undefined
  #socketFrame: Buffer | undefined
  #relayFrame: Buffer | undefined

  constructor(event: StoredEvent, incarnation: string) {
    this.stream = event.stream
    this.seq = event.seq
    this.type = event.type
    this.#event = event
    this.#incarnation = incarnation
  }

  /** Approximate number of characters in any form. */
  get size(): number {
    return (this.#event.data?.length ?? 0) + headSize
  }

  get json(): string {
    this.#json ??= eventJson(this.#event)
    return this.#json
  }

  /** Cursor directly after this event in its stream. */
  get cursor(): string {
    this.#cursor ??= encodeCursor(this.#incarnation, new Map([[this.stream, this.seq]]))
    return this.#cursor
  }

  /** WebSocket frame of the event, shared by all clients: server frames are not masked (RFC 6455). */
  get socketFrame(): Buffer {
    this.#socketFrame ??= textFrame(`{"type":"event","event":${this.json},"cursor":"${this.cursor}"}`)
    return this.#socketFrame
  }

  /** The same for clients attached to the user session of the stream (RL3). */
  get relayFrame(): Buffer {
    const { stream, seq, type, at, data } = this.#event
    this.#relayFrame ??= textFrame(relayText(type, parseStream(stream)?.id ?? '', seq, at, data ?? '{}'))
    return this.#relayFrame
  }
}

/** Approximate size of the JSON around a body. */
const headSize = 150

function eventJson({ stream, seq, type, at, data, refStream, refSeq }: StoredEvent): string {
  const head = `{"type":${JSON.stringify(type)},"stream":${JSON.stringify(stream)},"seq":${seq},"at":"${at}"`
  if (data !== null) return `${head},"data":${data}}`
  return `${head},"ref":{"stream":${JSON.stringify(refStream)},"seq":${refSeq}}}`
}

/** Builds one final text frame with a length of 7, 16 or 64 bits. */
function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = 0x81
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127
  if (head.length === 4) head.writeUInt16BE(length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, Buffer.from(text)])
}
