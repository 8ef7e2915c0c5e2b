/** When days begin (DC1), and who says so. */
import { cutoverRule, type KeptRule } from '../store/queries/cutover-rule.ts'
import { defineQuery } from '../store/store.ts'

export const getCutoverRule = defineQuery({
  name: 'get-cutover-rule',
  run: (reader): Promise<KeptRule> => cutoverRule(reader),
})
