/** When days begin (DC1), as the store knows it: all who write in it go by the same rule. */
import { type CutoverRule, usualRule } from '../../domain/conversation/logical-day.ts'
import { selectMeta, setMeta } from '../meta.ts'
import type { Reader, Tx } from '../store.ts'

/** Who says it: nobody yet, a person at run time, or the configuration, which nothing overrules. */
export type RuleSource = 'usual' | 'chosen' | 'configuration'

export interface KeptRule extends CutoverRule {
  readonly source: RuleSource
  /** Whether it was ever written down: before, nobody was told of it. */
  readonly isKept: boolean
}

export async function cutoverRule(reader: Reader): Promise<KeptRule> {
  const kept = await reader.first(selectMeta, { key: 'cutover' })
  if (!kept) return { ...usualRule, source: 'usual', isKept: false }
  // Only the configuration could say it before.
  return { source: 'configuration', ...(JSON.parse(kept.value) as CutoverRule), isKept: true }
}

export const setRule = async (tx: Tx, { hour, timezone }: CutoverRule, source: RuleSource): Promise<void> =>
  tx.write(setMeta, { key: 'cutover', value: JSON.stringify({ hour, timezone, source }) })
