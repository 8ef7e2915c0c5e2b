/** `holdfast devices`: the browsers that somebody is signed in with. */
import { visible } from '../../platform/log/visible.ts'
import { type CommandSpec, command, operand } from '../command.ts'
import { findByName } from '../find-by-name.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'

const list = command({
  summary: 'List your own browsers (the default); tokens are not among them',
  options: { limit: limitOption },
  examples: [['devices', 'with the address that each signed in from']],
  async run(context) {
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
  },
})

const revoke = command({
  summary: 'Sign a browser out; what it has open ends at once',
  operands: { device: operand.required('id, or name where only one has it') },
  options: { yes: yesOption },
  examples: [['devices revoke 3f9c0f52 --yes', 'without being asked']],
  async run(context, given) {
    const { id, name } = await findByName(
      'device',
      given.device,
      context.client.pages('/api/devices'),
    )
    await context.confirm(`Sign ${visible(name)} out?`, 'What it has open ends at once.')
    await context.client.delete('/api/devices/{deviceId}', { params: { deviceId: id } })
    context.finished({ id, revoked: true }, `Signed ${visible(name)} out`)
  },
})

export const devices: CommandSpec = {
  summary: 'The browsers you are signed in with',
  examples: [
    ['devices', 'list them'],
    ['devices revoke ID', 'sign one out'],
  ],
  commands: { list, revoke },
}
