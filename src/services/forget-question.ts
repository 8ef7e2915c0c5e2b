/** Forgets a question whose answer was read and is of no use to anybody else: what a worktree looked like a moment ago. */
import { deleteAnswer, deleteQuestion } from '../store/queries/questions.ts'
import { defineUseCase } from '../store/store.ts'

export const forgetQuestion = defineUseCase({
  name: 'forget-question',
  streams: () => [],
  run: async (tx, { id }: { id: string }): Promise<void> => {
    await tx.write(deleteAnswer, { questionId: id })
    await tx.write(deleteQuestion, { id })
  },
})
