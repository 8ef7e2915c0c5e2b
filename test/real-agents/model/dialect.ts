/**
 * What each vendor's words have in common: a request is read into a turn, an answer is written into
 * a stream.
 */
import { type ModelAnswer, type ModelTurn, withoutInjected } from './script.ts'

export interface Sink {
  json(body: object): void
  /** One server-sent event. */
  event(data: object, name?: string): void
  text(text: string): void
  /** Between two pieces; false when nobody listens any more. */
  pause(ms: number): Promise<boolean>
}

export interface Dialect {
  matches(path: string): boolean
  read(body: Body, path: string): ModelTurn
  write(sink: Sink, id: string, answer: ModelAnswer, turn: ModelTurn, used: Used): Promise<void>
}

/** What a request is said to have used, another number for each. */
export interface Used {
  readonly input: number
  readonly output: number
}

// biome-ignore lint/suspicious/noExplicitAny: it is read field by field, and what is missing is missing
export type Body = any

/** Either something the person said, which begins a turn, or what a tool answered in it. */
export type Item = { readonly user: string } | { readonly result: string }

/** The last turn of a conversation. */
export function lastTurn(items: readonly Item[]): Pick<ModelTurn, 'user' | 'results'> {
  let user = ''
  let results: string[] = []
  for (const item of items) {
    if ('result' in item) results.push(item.result)
    else if (withoutInjected(item.user) !== '') {
      user = withoutInjected(item.user)
      results = []
    }
  }
  return { user, results }
}

export const textOf = (content: Body): string =>
  typeof content === 'string'
    ? content
    : (content ?? [])
        .map((part: Body) => part.text ?? (part.content ? textOf(part.content) : ''))
        .join('\n')

/** The prompt is the last text that is not put there by the agent itself. */
export const promptIn = (content: Body): string =>
  typeof content === 'string'
    ? content
    : ((content ?? [])
        .map((part: Body) => withoutInjected(part.text ?? ''))
        .filter(Boolean)
        .at(-1) ?? '')

/** Piece by piece, until nobody listens. */
export async function inPieces(
  sink: Sink,
  answer: Extract<ModelAnswer, { pieces: unknown }>,
  write: (text: string, isLast: boolean) => void,
): Promise<void> {
  for (const [index, piece] of answer.pieces.entries()) {
    write(piece, index === answer.pieces.length - 1)
    if (answer.pauseMs > 0 && !(await sink.pause(answer.pauseMs))) return
  }
}

export const whole = (answer: ModelAnswer): string =>
  'pieces' in answer ? answer.pieces.join('') : ''
