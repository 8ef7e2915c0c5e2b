/** `holdfast cutover`: shows and changes when a new day of conversations begins (DC1). */
import type { Cutover } from '../../protocol/conversations/cutover.ts'
import { command, defined } from '../command.ts'
import type { CommandContext } from '../context.ts'

async function showOrChange(context: CommandContext): Promise<void> {
  const hour = context.text('hour')
  // The server refuses what is not an hour.
  const wanted = hour === 'off' ? ('off' as const) : hour === undefined ? undefined : Number(hour)
  const body = defined({ hour: wanted, timezone: context.text('timezone') })
  const isChange = Object.keys(body).length > 0
  const cutover = isChange
    ? await context.client.put('/api/cutover', { body })
    : await context.client.get('/api/cutover')
  context.answer(cutover, () => inWords(cutover))
}

const sources: Readonly<Record<Cutover['source'], string>> = {
  usual: 'nobody has chosen otherwise; --timezone local takes that of this machine',
  chosen: 'chosen here',
  configuration: 'as the configuration says',
}

const inWords = ({ hour, timezone, source }: Cutover): string =>
  `${hour === 'off' ? 'Days of conversation are not closed' : `A new day of conversation begins at ${String(hour).padStart(2, '0')}:00 ${timezone}`} (${sources[source]}).`

export const cutover = command(showOrChange)`
  When a new day of conversation begins
  --hour <hour>  0 to 23, or off: days are not closed
  --timezone <zone>  an IANA name such as Europe/Berlin, or local: that of the server’s machine
  $ cutover  show it
  $ cutover --timezone local  days of this machine
  $ cutover --hour off  conversations go on for ever`
