/** When days begin (DC1), as the store knows it: all who write in it go by the same rule. */
import { type CutoverRule, usualRule } from '../../domain/conversation/logical-day.ts'
import { selectMeta } from '../meta.ts'
import type { Reader } from '../store.ts'

export async function cutoverRule(reader: Reader): Promise<CutoverRule> {
  const kept = await reader.first(selectMeta, { key: 'cutover' })
  return kept ? (JSON.parse(kept.value) as CutoverRule) : usualRule
}
