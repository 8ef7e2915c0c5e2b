/** What a coordinator has answered to a question, whole; undefined as long as it has not. */
import type { Answer } from '../protocol/link-questions.ts'
import { selectAnswer, selectQuestion } from '../store/queries/questions.ts'
import { defineQuery } from '../store/store.ts'

export const findAnswer = defineQuery({
  name: 'find-answer',
  run: async (reader, { id }: { id: string }): Promise<Answer | undefined> => {
    if (((await reader.first(selectQuestion, { id }))?.answered_at ?? null) === null) return undefined
    const parts = await reader.all(selectAnswer, { questionId: id })
    return JSON.parse(parts.map(({ said }) => said).join(''))
  },
})
