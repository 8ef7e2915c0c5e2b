/**
 * A stand-in of Telegram's Bot API: a real HTTP server with long polling, acknowledgement by
 * offset, one poller at a time, and whatever trouble a test asks for. It keeps updates until they
 * are acknowledged, and every message that arrived, as Telegram does.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const telegramToken = '1234567890:AAtestTokenOfNobody_abcdefghijklmno'

export interface SentMessage {
  readonly chatId: string
  /** As a person sees it. */
  readonly text: string
  readonly html: string | undefined
}

/**
 * What happens to the next call of a method. `cut`: the connection breaks before it is done;
 * `cut-after`: after. `hang`: done, not answered.
 */
export type Trouble =
  | { readonly status: number; readonly description?: string; readonly retryAfter?: number }
  | 'cut'
  | 'cut-after'
  | 'hang'

export interface Writer {
  readonly chatId?: number
  readonly name?: string
  readonly username?: string
  readonly language?: string
  readonly group?: string
  /** Instead of text. */
  readonly photo?: boolean
  /** Delivered before under this id. */
  readonly messageId?: number
}

export class TelegramStandIn {
  readonly sent: SentMessage[] = []
  readonly calls: string[] = []
  readonly typing: string[] = []
  readonly #updates: { update_id: number; message: object }[] = []
  readonly #troubles = new Map<string, Trouble[]>()
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  #waiting: { wake: () => void; replace: () => void } | undefined
  #nextUpdate = 1
  #nextMessage = 1
  #watchers: (() => void)[] = []

  async open(port = 0): Promise<this> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    this.#waiting?.wake()
  }

  /** Somebody writes to the bot; the id of their message. */
  say(
    text: string,
    { chatId = 42, name = 'Aiko', username, language = 'en', group, photo, messageId }: Writer = {},
  ): number {
    const id = messageId ?? this.#nextMessage++
    const from = {
      id: Math.abs(chatId),
      is_bot: false,
      first_name: name,
      language_code: language,
      ...(username && { username }),
    }
    const chat = group
      ? { id: chatId, type: 'supergroup', title: group }
      : { id: chatId, type: 'private', first_name: name, ...(username && { username }) }
    const content = photo
      ? { photo: [{ file_id: 'x', width: 1, height: 1 }], ...(text && { caption: text }) }
      : { text }
    this.#updates.push({
      update_id: this.#nextUpdate++,
      message: { message_id: id, date: 1, chat, from, ...content },
    })
    this.#waiting?.wake()
    return id
  }

  /** Updates that nobody has acknowledged. */
  get unacknowledged(): number {
    return this.#updates.length
  }

  trouble(method: string, ...troubles: Trouble[]): void {
    this.#troubles.set(method, [...(this.#troubles.get(method) ?? []), ...troubles])
  }

  /** Resolves when it is so; looked at after every call, and when updates are acknowledged. */
  async until(isSo: () => boolean, withinMs = 30_000): Promise<void> {
    const gaveUp = AbortSignal.timeout(withinMs)
    while (!isSo()) {
      await new Promise<void>((resolve, reject) => {
        gaveUp.addEventListener('abort', () =>
          reject(new Error(`Not within ${withinMs} ms; sent: ${JSON.stringify(this.sent)}`)),
        )
        this.#watchers.push(resolve)
      })
    }
  }

  /** Everything a chat was sent, in order. */
  textsOf = (chatId: number): string[] =>
    this.sent.filter((each) => each.chatId === String(chatId)).map(({ text }) => text)

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)/.exec(request.url ?? '') ?? []
    let body = ''
    for await (const chunk of request) body += chunk
    const payload = body === '' ? {} : JSON.parse(body)
    this.calls.push(method)
    const refuse = (status: number, description: string, parameters?: object) =>
      send(response, status, {
        ok: false,
        error_code: status,
        description,
        ...(parameters && { parameters }),
      })
    if (token !== telegramToken) refuse(401, 'Unauthorized')
    else await this.#runMethod(method, payload, response, refuse)
    this.#tell()
  }

  #tell(): void {
    for (const watch of this.#watchers.splice(0)) watch()
  }

  async #runMethod(
    method: string,
    payload: Record<string, never>,
    response: ServerResponse,
    refuse: (status: number, description: string, parameters?: object) => void,
  ): Promise<void> {
    const trouble = this.#troubles.get(method)?.shift()
    if (trouble === 'cut') return void response.destroy()
    if (typeof trouble === 'object')
      return refuse(
        trouble.status,
        trouble.description ?? 'Trouble',
        trouble.retryAfter ? { retry_after: trouble.retryAfter } : undefined,
      )
    const result = await this.#do(method, payload, refuse)
    if (result === undefined || trouble === 'hang') return
    if (trouble === 'cut-after') return void response.destroy()
    send(response, 200, { ok: true, result })
  }

  async #do(
    method: string,
    payload: Record<string, unknown>,
    refuse: (status: number, description: string) => void,
  ): Promise<unknown> {
    switch (method) {
      case 'getMe':
        return {
          id: 1_234_567_890,
          is_bot: true,
          first_name: 'Holdfast',
          username: 'holdfast_test_bot',
        }
      case 'getUpdates':
        return this.#poll(Number(payload['offset'] ?? 0), Number(payload['timeout'] ?? 0), refuse)
      case 'sendMessage':
        return this.#takeMessage(
          String(payload['chat_id']),
          String(payload['text']),
          payload['parse_mode'] === 'HTML',
          refuse,
        )
      case 'sendChatAction':
        this.typing.push(String(payload['chat_id']))
        return true
      default:
        return refuse(404, 'Not Found')
    }
  }

  async #poll(
    offset: number,
    timeout: number,
    refuse: (status: number, description: string) => void,
  ): Promise<unknown> {
    while (this.#updates[0] && this.#updates[0].update_id < offset) this.#updates.shift()
    this.#tell()
    this.#waiting?.replace()
    if (this.#updates.length === 0 && timeout > 0) {
      const woken = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), timeout * 1000).unref()
        const end = (isOurs: boolean) => {
          clearTimeout(timer)
          this.#waiting = undefined
          resolve(isOurs)
        }
        this.#waiting = { wake: () => end(true), replace: () => end(false) }
      })
      if (!woken) return refuse(409, 'Conflict: terminated by other getUpdates request')
    }
    return this.#updates.slice(0, 100)
  }

  #takeMessage(
    chatId: string,
    text: string,
    isHtml: boolean,
    refuse: (status: number, description: string) => void,
  ): unknown {
    if (isHtml && !isBalanced(text))
      return refuse(400, "Bad Request: can't parse entities: unbalanced tag")
    const shown = isHtml ? plain(text) : text
    if (shown.length > 4096) return refuse(400, 'Bad Request: message is too long')
    if (shown.trim() === '') return refuse(400, 'Bad Request: message text is empty')
    this.sent.push({ chatId, text: shown, html: isHtml ? text : undefined })
    return {
      message_id: this.#nextMessage++,
      date: 1,
      chat: { id: Number(chatId), type: 'private' },
      text: shown,
    }
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function isBalanced(html: string): boolean {
  const open: string[] = []
  for (const [, closing, name = ''] of html.matchAll(/<(\/?)(\w+)[^>]*>/g)) {
    if (closing) {
      if (open.pop() !== name) return false
    } else open.push(name)
  }
  return open.length === 0
}

const plain = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
