/** `holdfast cutover`: shows and changes when a new day of conversations begins (DC1). */
import type { Cutover } from '../../protocol/conversations/cutover.ts'
import { command, defined, option } from '../command.ts'

const sources: Readonly<Record<Cutover['source'], string>> = {
  usual: 'nobody has chosen otherwise; --timezone local takes that of this machine',
  chosen: 'chosen here',
  configuration: 'as the configuration says',
}

const inWords = ({ hour, timezone, source }: Cutover): string =>
  `${hour === 'off' ? 'Days of conversation are not closed' : `A new day of conversation begins at ${String(hour).padStart(2, '0')}:00 ${timezone}`} (${sources[source]}).`

export const cutover = command({
  summary: 'When a new day of conversation begins',
  options: {
    hour: option.text('<hour>', '0 to 23, or off: days are not closed'),
    timezone: option.text(
      '<zone>',
      'an IANA name such as Europe/Berlin, or local: that of the server’s machine',
    ),
  },
  examples: [
    ['cutover', 'show it'],
    ['cutover --timezone local', 'days of this machine'],
    ['cutover --hour off', 'conversations go on for ever'],
  ],
  async run(context, given) {
    const hour = given.hour
    // The server refuses what is not an hour.
    const wanted = hour === 'off' ? ('off' as const) : hour === undefined ? undefined : Number(hour)
    const body = defined({ hour: wanted, timezone: given.timezone })
    const isChange = Object.keys(body).length > 0
    const cutover = isChange
      ? await context.client.put('/api/cutover', { body })
      : await context.client.get('/api/cutover')
    context.answer(cutover, () => inWords(cutover))
  },
})
