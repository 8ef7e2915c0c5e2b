/** `holdfast cutover`: shows and changes when a new day of conversations begins (DC1). */
import type { Cutover } from '../../protocol/conversations/cutover.ts'
import type { CommandSpec, Given } from '../command.ts'
import type { CommandContext } from '../context.ts'

async function showOrChange(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const [hour, timezone] = [given.text('hour'), given.text('timezone')]
  const body = {
    // The server refuses what is not an hour.
    ...(hour !== undefined && { hour: hour === 'off' ? ('off' as const) : Number(hour) }),
    ...(timezone !== undefined && { timezone }),
  }
  const isChange = Object.keys(body).length > 0
  const cutover = isChange ? await client.put('/api/cutover', { body }) : await client.get('/api/cutover')
  context.answer(cutover, () => inWords(cutover))
}

const sources: Readonly<Record<Cutover['source'], string>> = {
  usual: 'nobody has chosen otherwise; --timezone local takes that of this machine',
  chosen: 'chosen here',
  configuration: 'as the configuration says',
}

const inWords = ({ hour, timezone, source }: Cutover): string =>
  `${hour === 'off' ? 'Days of conversation are not closed' : `A new day of conversation begins at ${String(hour).padStart(2, '0')}:00 ${timezone}`} (${sources[source]}).`

export const cutover: CommandSpec = {
  name: 'cutover',
  summary: 'When a new day of conversation begins',
  options: [
    { flags: '--hour <hour>', about: '0 to 23, or off: days are not closed' },
    { flags: '--timezone <zone>', about: 'an IANA name such as Europe/Berlin, or local: that of the server’s machine' },
  ],
  examples: [
    ['cutover', 'show it'],
    ['cutover --timezone local', 'days of this machine'],
    ['cutover --hour off', 'conversations go on for ever'],
  ],
  run: showOrChange,
}
