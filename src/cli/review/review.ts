/** `holdfast review`: what a conversation has changed, and the comments on it. */

import { nameOfComment } from '../../domain/review/comment.ts'
import { visible, visibleLines } from '../../platform/log/visible.ts'
import type { ReviewComment } from '../../protocol/review/comment.ts'
import { command, operand, option } from '../command.ts'

const conversation = operand.required('its key, as `holdfast conversations` shows it')
const timeoutMs = 120_000

export const reviewCommand = command({
  summary: 'Print what a conversation has changed, then the comments on it',
  operands: { conversation },
  options: {
    uncommitted: option.flag('only what is not committed'),
    file: option.text('<path>', 'only of this file'),
    send: option.flag('send your drafts to the agent instead'),
  },
  examples: [
    ['review web:shop.coder', 'the diff, then the comments'],
    ['review web:shop.coder --send', 'your drafts become the next prompt'],
  ],
  async run(context, given) {
    const params = { key: given.conversation }
    if (given.send) {
      const sent = await context.client.post('/api/conversations/{key}/comments/send', {
        params,
        timeoutMs,
      })
      return context.finished(sent, `${sent.sent} sent to the agent`)
    }
    const view = given.uncommitted ? 'uncommitted' : 'all'
    const changes = await context.client.get('/api/conversations/{key}/review', {
      params,
      query: { view, path: given.file },
      timeoutMs,
    })
    const { items, checked } = await context.client.get('/api/conversations/{key}/comments', {
      params,
      timeoutMs,
    })
    context.answer({ ...changes, comments: items }, () =>
      [
        visibleLines(changes.text.trimEnd()) || 'Nothing has changed.',
        ...items.map((comment) => visibleLines(inWords(comment))),
      ].join('\n\n'),
    )
    if (context.json) return
    if (changes.cut) context.note('The diff is cut here; --file shows one file.')
    if (!checked) context.note('Its machine is away; comments stand where they were last.')
  },
})

function inWords(comment: ReviewComment): string {
  const { number, file, line, state, outdated, by, text, replies } = comment
  const where = `${visible(file)}:${line}`
  const head = `${nameOfComment(number)} ${where} (${outdated ? `${state}, outdated` : state})`
  const answers = replies.map((reply) => `  ${visible(reply.by)}: ${reply.text}`)
  return [head, `  ${visible(by)}: ${text}`, ...answers].join('\n')
}
