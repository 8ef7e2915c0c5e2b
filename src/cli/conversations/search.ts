/** `holdfast search`: full-text search over all conversations (DC5). */

import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { SearchHit } from '../../protocol/conversations/search.ts'
import type { CommandSpec, Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { limitOption } from '../options-everywhere.ts'
import { namedProject } from '../projects/choose-project.ts'
import type { Paint } from '../terminal.ts'
import { exact } from '../times.ts'

const pageSize = 200

export const search: CommandSpec = {
  name: 'search',
  summary: 'Search what was said in all conversations, on any day',
  operands: [{ name: '[words...]', about: 'what to find; quoted words stand together exactly' }],
  options: [
    { flags: '--conversation <key>', about: 'only in this one, such as telegram:123456' },
    { flags: '--channel <name>', about: 'only on this channel: web, agent, telegram …' },
    { flags: '--project <project>', about: 'only in this project: its id, or its name where only one has it' },
    { flags: '--from <day>', about: 'from this day on, such as 2026-11-15' },
    { flags: '--to <day>', about: 'up to this day, inclusive' },
    limitOption,
  ],
  examples: [
    ['search approval', 'messages with a word that begins so, newest first'],
    ['search 承認待ち --from 2026-11-01', 'two characters are enough'],
    [`search '"ready to merge"' --channel telegram`, 'exactly these words, on one channel'],
  ],
  run: searchMessages,
}

async function searchMessages(context: CommandContext, given: Given): Promise<void> {
  const q = given.rest(0).join(' ').trim()
  if (q === '') throw usage('There is nothing to search for.', 'Type the words behind `search`.')
  const client = await context.client()
  const project = await namedProject(client, given)
  const query = { q, ...narrowed(given), ...(project && { project: project.id }), limit: pageSize }
  const found = client.pages('/api/search', { query })
  const { items, nextCursor, more } = await context.list(found)
  const now = systemClock.now()
  context.answer({ items, nextCursor }, () =>
    items.length === 0 ? 'Nothing was found.' : items.map((hit) => shown(hit, context.paint, now)).join('\n\n'),
  )
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

function narrowed(given: Given): Record<string, string> {
  const options = ['conversation', 'channel', 'from', 'to'].flatMap((name) => {
    const value = given.text(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(options)
}

function shown({ conversationKey, seq, role, createdAt, ...found }: SearchHit, paint: Paint, now: number): string {
  const head = `${paint('bold', visible(conversationKey))} ${paint('dim', `#${seq} · ${role} · ${exact(createdAt, now)}`)}`
  return `${head}\n  ${marked(found, paint)}`
}

type Found = Pick<SearchHit, 'excerpt' | 'highlights' | 'cutBefore' | 'cutAfter'>

/** Formats an excerpt in one line with its matches marked. */
function marked({ excerpt, highlights, cutBefore, cutAfter }: Found, paint: Paint): string {
  const plain = (from: number, to?: number): string => visible(excerpt.slice(from, to).replaceAll(/\s+/g, ' '))
  let text = cutBefore ? '…' : ''
  let at = 0
  for (const { start, end } of highlights) {
    text += plain(at, start) + paint(['bold', 'yellow'], plain(start, end))
    at = end
  }
  return text + plain(at) + (cutAfter ? '…' : '')
}
