/** `holdfast people`: the people who may sign in, and their roles. */
import type { Client } from '../../client/client.ts'
import { type Role, roles } from '../../domain/access/scopes.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Person, PersonWithToken } from '../../protocol/access/people.ts'
import type { CommandSpec, Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { findByName } from '../find-by-name.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { table } from '../table.ts'
import { relative } from '../times.ts'
import { secretOnce } from './secret-once.ts'

const pageSize = { query: { limit: 200 } }

async function list(context: CommandContext): Promise<void> {
  const client = await context.client()
  const { items, nextCursor, more } = await context.list(client.pages('/api/people', pageSize))
  const now = systemClock.now()
  context.answer({ items, nextCursor }, () =>
    items.length === 0
      ? context.hint('Nobody yet. Add somebody: holdfast people add NAME --role member')
      : table(
          items,
          [
            { title: 'NAME', of: (each) => each.name, shrinks: true, style: 'bold' },
            { title: 'ROLE', of: (each) => each.role },
            { title: 'ID', of: (each) => each.id },
            { title: 'SINCE', of: (each) => relative(each.createdAt, now), style: 'dim' },
          ],
          context.paint,
          context.width,
        ),
  )
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

const answerToken = (context: CommandContext, client: Client, person: PersonWithToken): void =>
  context.answer(person, () =>
    secretOnce(context, 'Token', person.token, `They sign in with it on ${client.url}, or send it as a bearer.`),
  )

async function add(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const body = { name: given.operand(0), role: (given.text('role') ?? 'member') as Role }
  const person = await client.post('/api/people', { body })
  context.done(`${context.paint('bold', visible(person.name))} was added as ${person.role}`)
  answerToken(context, client, person)
}

const find = (client: Client, given: Given): Promise<Person> =>
  findByName('person', given.operand(0), client.pages('/api/people', pageSize))

async function changeRole(context: CommandContext, given: Given): Promise<void> {
  const typed = given.operand(1)
  const role = roles.find((each) => each === typed)
  if (!role) throw usage(`There is no role ${JSON.stringify(typed)}.`, `There is ${roles.join(', ')}.`)
  const client = await context.client()
  const { id } = await find(client, given)
  const person = await client.patch('/api/people/{personId}', { params: { personId: id }, body: { role } })
  context.finished(person, `${context.paint('bold', visible(person.name))} is ${person.role} now`)
  if (person.revokedTokens.length > 0)
    context.note(`Revoked, because they allowed more: ${person.revokedTokens.map(visible).join(', ')}`)
}

async function renew(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id, name } = await find(client, given)
  await context.confirm(`Give ${visible(name)} a new token?`, 'The old one and their signed-in browsers stop working at once.')
  const person = await client.post('/api/people/{personId}/token', { params: { personId: id } })
  context.done(`${context.paint('bold', visible(name))} has a new token`)
  answerToken(context, client, person)
}

async function remove(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id, name } = await find(client, given)
  await context.confirm(`Remove ${visible(name)}?`, 'Every credential of theirs stops working at once.')
  await client.delete('/api/people/{personId}', { params: { personId: id } })
  context.finished({ id, removed: true }, `${visible(name)} was removed`)
}

const person = { name: 'person', about: 'id, or name where only one has it' }

export const people: CommandSpec = {
  name: 'people',
  summary: 'People who may sign in',
  examples: [
    ['people', 'list them'],
    ['people add Aiko --role member', 'add somebody; prints their token once'],
    ['people role Aiko viewer', 'change what they may do'],
  ],
  commands: [
    {
      name: 'list',
      summary: 'List the people (the default)',
      options: [limitOption],
      examples: [['people list', 'who may sign in']],
      isDefault: true,
      run: list,
    },
    {
      name: 'add',
      summary: 'Add a person; prints their token once',
      operands: [{ name: 'name', about: 'what they are called' }],
      options: [{ flags: '--role <role>', about: 'what they may do; member when left out', choices: roles }],
      examples: [
        ['people add Aiko', 'may read, write and approve'],
        ['people add Ben --role viewer', 'may only look'],
      ],
      run: add,
    },
    {
      name: 'role',
      summary: 'Change what a person may do; tokens of theirs that allow more are revoked',
      operands: [person, { name: 'role', about: roles.join(', ') }],
      examples: [
        ['people role Aiko viewer', 'may only look from now on'],
        ['people role Ben owner', 'may do everything'],
      ],
      run: changeRole,
    },
    {
      name: 'renew',
      summary: 'Give a person a new token, printed once; the old one stops working at once',
      operands: [person],
      options: [yesOption],
      examples: [['people renew Aiko --yes', 'without being asked']],
      run: renew,
    },
    {
      name: 'remove',
      summary: 'Remove a person; their credentials stop working at once',
      operands: [person],
      options: [yesOption],
      examples: [['people remove Aiko --yes', 'without being asked']],
      run: remove,
    },
  ],
}
