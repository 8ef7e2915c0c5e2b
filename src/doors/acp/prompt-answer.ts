/** How a prompt is answered: what its turn came to, in the words of the protocol. Pure. */
import type { PromptResponse } from '@agentclientprotocol/sdk/unstable'
import type { ConversationTurn } from '../../protocol/turns/conversation-turn.ts'
import { codes, failure } from './failures.ts'

export type EndedPrompt = Pick<ConversationTurn, 'state' | 'stopReason' | 'error' | 'usage'>

/** Stop reasons that the protocol has words for. */
const named = ['max_tokens', 'max_turn_requests', 'refusal'] as const

/** Throws the error that an editor shows, in words, where the turn has failed. */
export function answerOf({ state, stopReason, error, usage }: EndedPrompt): PromptResponse {
  const stop = named.find((each) => each === stopReason)
  if (stop) return { stopReason: stop, ...usageOf(usage) }
  if (state === 'answered') return { stopReason: 'end_turn', ...usageOf(usage) }
  if (state === 'cancelled') {
    // The agent ended it because it was denied something: that is an end like any other.
    const isDenied = stopReason === 'denied'
    return { stopReason: isDenied ? 'end_turn' : 'cancelled', ...usageOf(usage) }
  }
  if (stopReason === 'empty') return { stopReason: 'end_turn', ...usageOf(usage) }
  throw failure(codes.internal, wordsOf(state, stopReason, error))
}

function wordsOf(
  state: EndedPrompt['state'],
  stopReason: string | null,
  error: string | null,
): string {
  if (state === 'unknown')
    return (
      'The process of the agent ended twice during this turn. What it did until then stays; ' +
      'send the prompt again.'
    )
  if (stopReason === 'took_too_long')
    return `The turn took too long and was ended. ${error ?? ''}`.trim()
  return error ?? 'The turn has failed, and the agent gave no reason.'
}

function usageOf(usage: EndedPrompt['usage']): Pick<PromptResponse, 'usage'> {
  if (!usage || (usage.inputTokens === null && usage.outputTokens === null)) return {}
  const { inputTokens, outputTokens, cachedTokens } = usage
  const [input, output, cached] = [inputTokens ?? 0, outputTokens ?? 0, cachedTokens ?? 0]
  return {
    usage: {
      inputTokens: input,
      outputTokens: output,
      ...(cachedTokens !== null && { cachedReadTokens: cached }),
      totalTokens: input + output,
    },
  }
}
