/** `holdfast people`: the people who may sign in, and their roles. */
import { type Role, roles } from '../../domain/access/scopes.ts'
import { visible } from '../../platform/log/visible.ts'
import type { Person, PersonWithToken } from '../../protocol/access/people.ts'
import { command, group } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { findByName } from '../find-by-name.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { secretOnce } from './secret-once.ts'

async function list(context: CommandContext): Promise<void> {
  await context.printList(context.client.pages('/api/people'), {
    empty: 'Nobody yet. Add somebody: holdfast people add NAME --role member',
    columns: [
      { title: 'NAME', of: (each) => each.name, shrinks: true, style: 'bold' },
      { title: 'ROLE', of: (each) => each.role },
      { title: 'ID', of: (each) => each.id },
      { title: 'SINCE', of: (each) => context.ago(each.createdAt), style: 'dim' },
    ],
  })
}

const answerToken = (context: CommandContext, person: PersonWithToken): void =>
  context.answer(person, () =>
    secretOnce(
      context,
      'Token',
      person.token,
      `They sign in with it on ${context.client.url}, or send it as a bearer.`,
    ),
  )

async function add(context: CommandContext): Promise<void> {
  const body = { name: context.operand(0), role: (context.text('role') ?? 'member') as Role }
  const person = await context.client.post('/api/people', { body })
  context.done(`${context.paint('bold', visible(person.name))} was added as ${person.role}`)
  answerToken(context, person)
}

const find = (context: CommandContext): Promise<Person> =>
  findByName('person', context.operand(0), context.client.pages('/api/people'))

async function changeRole(context: CommandContext): Promise<void> {
  const typed = context.operand(1)
  const role = roles.find((each) => each === typed)
  if (!role)
    throw usage(`There is no role ${JSON.stringify(typed)}.`, `There is ${roles.join(', ')}.`)
  const { id } = await find(context)
  const person = await context.client.patch('/api/people/{personId}', {
    params: { personId: id },
    body: { role },
  })
  context.finished(person, `${context.paint('bold', visible(person.name))} is ${person.role} now`)
  if (person.revokedTokens.length > 0)
    context.note(
      `Revoked, because they allowed more: ${person.revokedTokens.map(visible).join(', ')}`,
    )
}

async function renew(context: CommandContext): Promise<void> {
  const { id, name } = await find(context)
  await context.confirm(
    `Give ${visible(name)} a new token?`,
    'The old one and their signed-in browsers stop working at once.',
  )
  const person = await context.client.post('/api/people/{personId}/token', {
    params: { personId: id },
  })
  context.done(`${context.paint('bold', visible(name))} has a new token`)
  answerToken(context, person)
}

async function remove(context: CommandContext): Promise<void> {
  const { id, name } = await find(context)
  await context.confirm(
    `Remove ${visible(name)}?`,
    'Every credential of theirs stops working at once.',
  )
  await context.client.delete('/api/people/{personId}', { params: { personId: id } })
  context.finished({ id, removed: true }, `${visible(name)} was removed`)
}

const person = { name: 'person', about: 'id, or name where only one has it' }

export const people = group`
  People who may sign in
  $ people  list them
  $ people add Aiko --role member  add somebody; prints their token once
  $ people role Aiko viewer  change what they may do
`({
  list: command(list, limitOption)`
    List the people (the default)
    $ people list  who may sign in`,
  add: command(add)`
    Add a person; prints their token once
    <name>  what they are called
    --role <role>  what they may do; member when left out ${roles}
    $ people add Aiko  may read, write and approve
    $ people add Ben --role viewer  may only look`,
  role: command(changeRole, person)`
    Change what a person may do; tokens of theirs that allow more are revoked
    <role>  ${roles.join(', ')}
    $ people role Aiko viewer  may only look from now on
    $ people role Ben owner  may do everything`,
  renew: command(renew, person, yesOption)`
    Give a person a new token, printed once; the old one stops working at once
    $ people renew Aiko --yes  without being asked`,
  remove: command(remove, person, yesOption)`
    Remove a person; their credentials stop working at once
    $ people remove Aiko --yes  without being asked`,
})
