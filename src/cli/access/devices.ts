/** `holdfast devices`: the browsers that somebody is signed in with. */
import { visible } from '../../platform/log/visible.ts'
import { command, group } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { findByName } from '../find-by-name.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'

async function list(context: CommandContext): Promise<void> {
  await context.printList(context.client.pages('/api/devices'), {
    empty: 'You are signed in with no browser. Sign one in: holdfast open',
    columns: [
      { title: 'NAME', of: (each) => each.name, shrinks: true, style: 'bold' },
      { title: 'FROM', of: (each) => each.address ?? '' },
      { title: 'USED', of: (each) => context.ago(each.usedAt) },
      { title: 'EXPIRES', of: (each) => context.ago(each.expiresAt) },
      { title: 'SINCE', of: (each) => context.ago(each.createdAt), style: 'dim' },
      { title: 'ID', of: (each) => each.id },
    ],
  })
}

async function revoke(context: CommandContext): Promise<void> {
  const { id, name } = await findByName(
    'device',
    context.operand(0),
    context.client.pages('/api/devices'),
  )
  await context.confirm(`Sign ${visible(name)} out?`, 'What it has open ends at once.')
  await context.client.delete('/api/devices/{deviceId}', { params: { deviceId: id } })
  context.finished({ id, revoked: true }, `Signed ${visible(name)} out`)
}

export const devices = group`
  The browsers you are signed in with
  $ devices  list them
  $ devices revoke ID  sign one out
`({
  list: command(list, limitOption)`
    List your own browsers (the default); tokens are not among them
    $ devices  with the address that each signed in from`,
  revoke: command(revoke)`
    Sign a browser out; what it has open ends at once
    <device>  id, or name where only one has it
    ${yesOption}
    $ devices revoke 3f9c0f52 --yes  without being asked`,
})
