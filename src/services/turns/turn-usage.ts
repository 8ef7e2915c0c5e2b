/** The tokens of a turn are those of all its requests to models (AC15). */
import type { TurnUsage } from '../../protocol/turns/agent-update.ts'
import type { Reader } from '../../store/store.ts'
import { modelUsageOfTurn } from '../../store/turns/model-usage.ts'

/**
 * What a turn used, and what a gateway counted of it. Where that is exact, it stands in the place
 * of what the agent reports.
 */
export async function usageOfTurn(reader: Reader, turnId: string, reported: TurnUsage | null) {
  const counted = await modelUsageOfTurn(reader, turnId)
  if (counted === null || counted.some(({ atLeast }) => atLeast))
    return { usage: reported, counted }
  const sum = (column: 'inputTokens' | 'outputTokens' | 'cachedTokens') =>
    counted.reduce((all, each) => all + each[column], 0)
  const tokens = {
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cachedTokens: sum('cachedTokens'),
  }
  return { usage: { ...tokens, cost: reported?.cost ?? null }, counted }
}
