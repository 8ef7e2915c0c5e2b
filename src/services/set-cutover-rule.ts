/** Says when days begin (DC1). Chapters that are open keep their day and its end; those that begin from now on go by the new rule. */
import type { CutoverRule } from '../domain/conversation/logical-day.ts'
import { setMeta } from '../store/meta.ts'
import { defineUseCase } from '../store/store.ts'

export const setCutoverRule = defineUseCase({
  name: 'set-cutover-rule',
  streams: () => [],
  run: async (tx, { hour, timezone }: CutoverRule): Promise<void> =>
    tx.write(setMeta, { key: 'cutover', value: JSON.stringify({ hour, timezone }) }),
})
