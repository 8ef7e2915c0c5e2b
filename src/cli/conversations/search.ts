/** `holdfast search`: full-text search over all conversations (DC5). */

import { visible } from '../../platform/log/visible.ts'
import type { SearchHit } from '../../protocol/conversations/search.ts'
import { command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { limitOption } from '../options-everywhere.ts'
import { namedProject } from '../projects/choose-project.ts'
import type { Paint } from '../terminal.ts'

export const search = command({
  summary: 'Search what was said in all conversations, on any day',
  operands: { words: operand.rest('what to find; quoted words stand together exactly') },
  options: {
    conversation: option.text('<key>', 'only in this one, such as telegram:123456'),
    channel: option.text('<name>', 'only on this channel: web, agent, telegram …'),
    project: option.text(
      '<project>',
      'only in this project: its id, or its name where only one has it',
    ),
    from: option.text('<day>', 'from this day on, such as 2026-11-15'),
    to: option.text('<day>', 'up to this day, inclusive'),
    limit: limitOption,
  },
  examples: [
    ['search approval', 'messages with a word that begins so, newest first'],
    ['search 承認待ち --from 2026-11-01', 'two characters are enough'],
    ['search \'"ready to merge"\' --channel telegram', 'exactly these words, on one channel'],
  ],
  async run(context, given) {
    const q = given.words.join(' ').trim()
    if (q === '') throw usage('There is nothing to search for.', 'Type the words behind `search`.')
    const query = {
      q,
      conversation: given.conversation,
      channel: given.channel,
      project: (await namedProject(context))?.id,
      from: given.from,
      to: given.to,
    }
    const { items, more } = await context.firstOf(context.client.pages('/api/search', { query }))
    context.answer(
      { items, nextCursor: null },
      () => items.map((hit) => shown(hit, context)).join('\n\n') || 'Nothing was found.',
    )
    if (more) context.noteMore()
  },
})

function shown(
  { conversationKey, seq, role, createdAt, ...found }: SearchHit,
  context: CommandContext,
): string {
  const { paint } = context
  const head = `${paint('bold', visible(conversationKey))} ${paint('dim', `#${seq} · ${role} · ${context.time(createdAt)}`)}`
  return `${head}\n  ${marked(found, paint)}`
}

type Found = Pick<SearchHit, 'excerpt' | 'highlights' | 'cutBefore' | 'cutAfter'>

/** Formats an excerpt in one line with its matches marked. */
function marked({ excerpt, highlights, cutBefore, cutAfter }: Found, paint: Paint): string {
  const plain = (from: number, to?: number): string =>
    visible(excerpt.slice(from, to).replaceAll(/\s+/g, ' '))
  let text = cutBefore ? '…' : ''
  let at = 0
  for (const { start, end } of highlights) {
    text += plain(at, start) + paint(['bold', 'yellow'], plain(start, end))
    at = end
  }
  return text + plain(at) + (cutAfter ? '…' : '')
}
