/**
 * Says when days begin (DC1). Chapters that are open keep their day and its end; those that begin from now on go by the new rule. Off,
 * no open one has an end; on again, all end with today.
 */
import { because } from '../domain/because.ts'
import { type CutoverRule, endOf, logicalDay } from '../domain/conversation/logical-day.ts'
import { Refusal } from '../domain/errors.ts'
import { endChapters, keepChaptersOpen } from '../store/queries/chapters.ts'
import { cutoverRule, type RuleSource, setRule } from '../store/queries/cutover-rule.ts'
import { defineUseCase } from '../store/store.ts'

type Input = Partial<CutoverRule> & { readonly source: RuleSource }

export const setCutoverRule = defineUseCase({
  name: 'set-cutover-rule',
  streams: () => [],
  run: async (tx, { source, ...change }: Input, { now }): Promise<CutoverRule & { source: RuleSource }> => {
    const before = await cutoverRule(tx)
    if (source === 'chosen' && before.source === 'configuration')
      throw new Refusal('wrong_state', because('cutoverConfigured'), { source: before.source })
    const rule = { hour: change.hour === undefined ? before.hour : change.hour, timezone: change.timezone ?? before.timezone }
    await setRule(tx, rule, source)
    if (rule.hour === null) await tx.write(keepChaptersOpen, {})
    else if (before.hour === null) await tx.write(endChapters, { dueAt: endOf(rule, logicalDay(rule, now)) })
    return { ...rule, source }
  },
})
