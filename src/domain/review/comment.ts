/**
 * How a comment goes on (RV3): a draft is its author's alone until it is sent; its agent answers,
 * and somebody resolves it. Pure.
 */
export const commentStates = ['draft', 'sent', 'answered', 'resolved', 'withdrawn'] as const
export type CommentState = (typeof commentStates)[number]

export type CommentMove = 'send' | 'answer' | 'resolve' | 'reopen' | 'withdraw'

/** The state after a move; undefined: it is not possible. */
export function afterMove(
  state: CommentState,
  move: CommentMove,
  isAnswered = false,
): CommentState | undefined {
  const open = state === 'sent' || state === 'answered'
  switch (move) {
    case 'send':
      return state === 'draft' ? 'sent' : undefined
    case 'answer':
      if (state === 'resolved') return state
      return open ? 'answered' : undefined
    case 'resolve':
      return open || state === 'resolved' ? 'resolved' : undefined
    case 'reopen':
      if (state === 'resolved') return isAnswered ? 'answered' : 'sent'
      return open ? state : undefined
    case 'withdraw':
      return state === 'draft' ? 'withdrawn' : undefined
  }
}

/** Lines such as `c7: I did it` in an agent's text answer the comments with these numbers. */
const answerLine = /^\s*(?:[-*•]\s+)?(?:\*\*|`)?c(\d{1,6})(?:\*\*|`)?\s*[:：](?:\*\*)?\s*(\S.*)$/gm

export function answersIn(text: string): { readonly number: number; readonly text: string }[] {
  const byNumber = new Map<number, string>()
  for (const [, number = '', answer = ''] of text.matchAll(answerLine))
    byNumber.set(Number(number), answer.trim())
  return [...byNumber].map(([number, answer]) => ({ number, text: answer }))
}

/** `c7`, as agents are told. */
export const nameOfComment = (number: number): string => `c${number}`

/** Comments that one prompt takes, and its characters. */
export const maxSentComments = 30
export const maxSentChars = 60_000
export const maxCommentChars = 10_000
