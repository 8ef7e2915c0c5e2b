/**
 * One event of the log as followers get it. Each form is made once and shared by everybody who follows the stream: the body
 * is put in as the text it was stored as, never parsed.
 */

import type { StreamName } from '../../domain/stream/name.ts'
import { encodeCursor } from '../../store/cursor.ts'
import type { StoredEvent } from '../../store/store.ts'

export class FeedEvent {
  readonly stream: StreamName
  readonly seq: number
  readonly type: string
  readonly json: string
  readonly #incarnation: string
  #cursor: string | undefined
  #socketMessage: Buffer | undefined

  constructor(event: StoredEvent, incarnation: string) {
    this.stream = event.stream
    this.seq = event.seq
    this.type = event.type
    this.json = eventJson(event)
    this.#incarnation = incarnation
  }

  /** Right behind this event in its stream. */
  get cursor(): string {
    this.#cursor ??= encodeCursor(this.#incarnation, new Map([[this.stream, this.seq]]))
    return this.#cursor
  }

  /** The WebSocket message, the same bytes for all. */
  get socketMessage(): Buffer {
    this.#socketMessage ??= Buffer.from(`{"type":"event","event":${this.json},"cursor":"${this.cursor}"}`)
    return this.#socketMessage
  }
}

function eventJson({ stream, seq, type, at, data, refStream, refSeq }: StoredEvent): string {
  const head = `{"type":${JSON.stringify(type)},"stream":${JSON.stringify(stream)},"seq":${seq},"at":"${at}"`
  if (data !== null) return `${head},"data":${data}}`
  return `${head},"ref":{"stream":${JSON.stringify(refStream)},"seq":${refSeq}}}`
}
