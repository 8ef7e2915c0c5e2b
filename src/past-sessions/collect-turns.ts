/**
 * Puts turns together from a stream of prompts, texts and tool calls, within the bounds that hold
 * for turns that run here. One turn is in memory at a time.
 */
import { extname } from 'node:path'
import type { Instant } from '../domain/instant.ts'
import { maskKeys } from '../platform/log/mask.ts'
import {
  type AgentUpdate,
  maxMediaChars,
  maxOutputText,
  maxShownLine,
  maxShownOutput,
  maxShownText,
  maxTextPiece,
  type ToolCall,
} from '../protocol/turns/agent-update.ts'
import { jsonOf, textAt } from './fields.ts'
import {
  maxKeptOutput,
  maxMediaPerTurn,
  maxMessageChars,
  maxTurnOutput,
  maxUpdates,
} from './limits.ts'
import type { PastEnd, PastMedia, PastTurn } from './port.ts'

interface Prompt {
  readonly id: string
  readonly text: string
  readonly at: Instant
  readonly media?: readonly PastMedia[]
}

interface Call {
  readonly id: string
  readonly name: string
  readonly input: unknown
  readonly parentId?: string | null
}

interface Result {
  readonly id: string
  readonly output: string
  readonly isError?: boolean
  readonly isDenied?: boolean
}

interface OpenTurn {
  readonly id: string
  readonly startedAt: Instant
  readonly media: PastMedia[]
  readonly updates: AgentUpdate[]
  readonly calls: Map<string, ToolCall>
  readonly denied: string[]
  prompt: string
  endedAt: Instant
  model: string | null
  end: PastEnd
  error: string | null
  chars: number
  outputChars: number
}

const cutMark = '\n[…]'

const cutTo = (text: string, chars: number): string =>
  text.length > chars ? text.slice(0, chars - cutMark.length) + cutMark : text

const lineOf = (text: string): string => text.slice(0, maxShownLine).replaceAll(/\p{Cc}+/gu, ' ')

/** Keys in texts leave the machine masked (IM8). */
const textWithoutKeys = <Given extends string | null | undefined>(text: Given): Given =>
  (typeof text === 'string' ? maskKeys(text) : text) as Given

/** Beginning and end of an output that is too long to show. */
function shownOf(output: string): string {
  if (output.length <= maxShownOutput) return output
  const half = Math.floor((maxShownOutput - cutMark.length - 1) / 2)
  return `${output.slice(0, half)}${cutMark}\n${output.slice(-half)}`
}

const kindWords: readonly (readonly [ToolCall['toolKind'], RegExp])[] = [
  ['edit', /edit|write|patch|replace|create|notebook/i],
  ['execute', /bash|shell|exec|command|terminal/i],
  ['search', /grep|glob|search_file|find|list|^ls$|codebase/i],
  ['fetch', /fetch|web|browser/i],
  ['read', /read|view|cat/i],
  ['delete', /delete|remove/i],
  ['think', /think|todo|plan|agent|task/i],
]

const kindOf = (name: string): ToolCall['toolKind'] =>
  kindWords.find(([, words]) => words.test(name))?.[0] ?? 'other'

const commandFields = ['command', 'cmd', 'script']
const pathFields = ['file_path', 'filePath', 'path', 'notebook_path', 'absolute_path', 'pattern']

const firstText = (input: unknown, names: readonly string[]): string | undefined =>
  names.map((name) => textAt(input, name)).find((text) => text !== null) ?? undefined

export class TurnCollector {
  readonly #takenBack: boolean
  #open: OpenTurn | undefined

  constructor({ takenBack = false } = {}) {
    this.#takenBack = takenBack
  }

  get turnId(): string | undefined {
    return this.#open?.id
  }

  get end(): PastEnd | undefined {
    return this.#open?.end
  }

  /** Gives the turn before, if there was one. */
  begin({ id, text, at, media = [] }: Prompt): PastTurn | undefined {
    const before = this.finish()
    this.#open = {
      id,
      startedAt: at,
      media: [...media.slice(0, maxMediaPerTurn)],
      updates: [],
      calls: new Map(),
      denied: [],
      prompt: cutTo(maskKeys(text), maxMessageChars),
      endedAt: at,
      model: null,
      end: 'unknown',
      error: null,
      chars: 0,
      outputChars: 0,
    }
    return before
  }

  /** Adds what the person said while the turn ran. */
  addPrompt(text: string, media: readonly PastMedia[] = []): void {
    const open = this.#open
    if (!open) return
    if (text !== '') open.prompt = cutTo(`${open.prompt}\n\n${maskKeys(text)}`, maxMessageChars)
    open.media.push(...media.slice(0, maxMediaPerTurn - open.media.length))
  }

  at(time: Instant | null): void {
    if (this.#open && time !== null && time > this.#open.endedAt) this.#open.endedAt = time
  }

  model(name: string | null): void {
    if (this.#open && name !== null && name !== '') this.#open.model = lineOf(name)
  }

  text(text: string): void {
    this.#say('text', text)
    if (this.#open && text !== '') this.#open.end = 'answered'
  }

  thought(text: string): void {
    this.#say('thought', text)
  }

  media({ mimeType, data }: PastMedia): void {
    if (!/^(?:image|audio)\//.test(mimeType)) return
    this.#add({
      kind: 'media',
      media: mimeType.startsWith('audio/') ? 'audio' : 'image',
      mimeType: lineOf(mimeType),
      data,
    })
  }

  compaction(id: string, summary: string | null): void {
    const cut = summary === null ? null : cutTo(maskKeys(summary), maxShownText)
    this.#add({
      kind: 'compaction',
      compactionId: lineOf(id),
      status: 'completed',
      summary: cut,
      error: null,
    })
  }

  /** A call that is known already gets the other's name and input. */
  call({ id, name, input, parentId }: Call): void {
    const open = this.#open
    if (!open) return
    const json = textWithoutKeys(jsonOf(input))
    const command = textWithoutKeys(firstText(input, commandFields))
    const path = textWithoutKeys(firstText(input, pathFields))
    const call: ToolCall = {
      ...(open.calls.get(id) ?? { status: 'pending', content: [] }),
      toolCallId: lineOf(id),
      title: lineOf([name, command ?? path ?? ''].join(' ').trim()),
      toolKind: kindOf(name),
      input: json === null ? null : cutTo(json, maxShownText),
      locations: path !== undefined && extname(path) ? [{ path: lineOf(path), line: null }] : [],
      cut: json !== null && json.length > maxShownText,
      ...(command !== undefined && { command: lineOf(command) }),
      ...(parentId && { parentId: lineOf(parentId) }),
    }
    if (parentId == null) open.end = 'unknown'
    this.#put(open, id, call)
  }

  result({ id, output: given, isError = false, isDenied = false }: Result): void {
    const output = maskKeys(given)
    const open = this.#open
    const call = open?.calls.get(id)
    if (!open || !call) return
    if (isDenied && !open.denied.includes(id)) open.denied.push(id)
    const failed = isError || isDenied
    this.#put(open, id, {
      ...call,
      status: failed ? 'failed' : 'completed',
      ...(output !== '' && { output: shownOf(output), outputLength: output.length }),
    })
    if (call.parentId === undefined) open.end = 'unknown'
    this.#keepOutput(open, call.toolCallId, output)
  }

  ended(end: PastEnd, error: string | null = null): void {
    if (!this.#open) return
    this.#open.end = end
    if (error !== null) this.#open.error = cutTo(maskKeys(error), maxShownText)
  }

  finish(): PastTurn | undefined {
    const open = this.#open
    this.#open = undefined
    if (!open) return undefined
    const { calls: _calls, chars: _chars, outputChars: _outputChars, ...turn } = open
    return { ...turn, takenBack: this.#takenBack }
  }

  #say(kind: 'text' | 'thought', text: string): void {
    const open = this.#open
    if (!open || open.chars >= maxMessageChars) return
    const piece = cutTo(maskKeys(text), maxMessageChars - open.chars)
    open.chars += piece.length
    for (let at = 0; at < piece.length; at += maxTextPiece)
      this.#add({ kind, text: piece.slice(at, at + maxTextPiece) })
  }

  #add(update: AgentUpdate): void {
    if (this.#open && this.#open.updates.length < maxUpdates) this.#open.updates.push(update)
  }

  #put(open: OpenTurn, id: string, call: ToolCall): void {
    const before = open.calls.get(id)
    const index = before
      ? open.updates.findIndex((each) => each.kind === 'tool' && each.call === before)
      : -1
    if (index >= 0) open.updates[index] = { kind: 'tool', call }
    else this.#add({ kind: 'tool', call })
    open.calls.set(id, call)
  }

  /** The whole of an output that is longer than what its call shows. */
  #keepOutput(open: OpenTurn, toolCallId: string, output: string): void {
    if (output.length <= maxShownOutput || toolCallId.length > 200) return
    const room = Math.min(maxKeptOutput, maxTurnOutput - open.outputChars)
    const text = output.slice(0, Math.max(0, room))
    open.outputChars += text.length
    for (let part = 0; part * maxOutputText < text.length; part++)
      this.#add({
        kind: 'output',
        toolCallId,
        part,
        text: text.slice(part * maxOutputText, (part + 1) * maxOutputText),
      })
  }
}

/** A picture or sound in base64; one that is too large is only named. */
export function mediaOf(
  mimeType: string | null,
  data: string | null,
  name?: string | null,
): PastMedia {
  const fits = data !== null && data.length <= maxMediaChars && /^[\w+/]*={0,2}$/.test(data)
  return {
    mimeType: mimeType ?? 'application/octet-stream',
    data: fits ? data : null,
    name: name ?? null,
  }
}

export const answerText = ({ updates }: Pick<PastTurn, 'updates'>): string =>
  updates.map((each) => (each.kind === 'text' ? each.text : '')).join('')
