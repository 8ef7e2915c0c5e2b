/** When days begin (DC1). */
import type { CutoverRule } from '../domain/conversation/logical-day.ts'
import { cutoverRule } from '../store/queries/cutover-rule.ts'
import { defineQuery } from '../store/store.ts'

export const getCutoverRule = defineQuery({
  name: 'get-cutover-rule',
  run: (reader): Promise<CutoverRule> => cutoverRule(reader),
})
