/** Lets an agent resolve the conflicts of a landing (LD4): an ordinary prompt with both sides. */
import { withNumbers } from '../../../protocol/unseen-characters.ts'
import { defineUseCase } from '../../../store/store.ts'
import { currentConversation, streamOfKey } from '../../conversations/conversation-record.ts'
import { promptAgent } from './send-comments.ts'

interface Conflict {
  readonly key: string
  readonly by: string
  readonly into: string
  readonly tip: string
  readonly files: readonly string[]
}

const maxNamed = 50

export const promptToResolve = defineUseCase('prompt-to-resolve', {
  scope: 'write',
  on: 'conversation',
  streams: ({ key }: Conflict) => [streamOfKey(key)],
  run: async (tx, { key, by, into, tip, files }, context): Promise<{ turnId: string }> => {
    const row = await currentConversation(tx, key, context.now)
    const named = files.slice(0, maxNamed).map((file) => `- ${withNumbers(file)}`)
    const more = files.length > maxNamed ? [`- and ${files.length - maxNamed} more`] : []
    const content = [
      `Your branch and ${into} (${tip}) have changed the same lines:`,
      ...named,
      ...more,
      '',
      `Merge it into your branch (\`git merge ${tip}\`) and resolve the conflicts so that`,
      'both changes keep what they are for. Leave no conflict markers, run what tests there',
      'are, and commit the merge. Do not change other branches.',
    ].join('\n')
    return promptAgent(tx, row, { content, by }, context)
  },
})
