/** `holdfast people`: the people who may sign in, and their roles. */
import { roles } from '../../domain/access/scopes.ts'
import { visible } from '../../platform/log/visible.ts'
import type { Person, PersonWithToken } from '../../protocol/access/people.ts'
import { type CommandSpec, command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { findByName } from '../find-by-name.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { secretOnce } from './secret-once.ts'

const person = operand.required('id, or name where only one has it')

const list = command({
  summary: 'List the people (the default)',
  options: { limit: limitOption },
  examples: [['people list', 'who may sign in']],
  async run(context) {
    await context.printList(context.client.pages('/api/people'), {
      empty: 'Nobody yet. Add somebody: holdfast people add NAME --role member',
      columns: [
        { title: 'NAME', of: (each) => each.name, shrinks: true, style: 'bold' },
        { title: 'ROLE', of: (each) => each.role },
        { title: 'ID', of: (each) => each.id },
        { title: 'SINCE', of: (each) => context.ago(each.createdAt), style: 'dim' },
      ],
    })
  },
})

const answerToken = (context: CommandContext, person: PersonWithToken): void =>
  context.answer(person, () =>
    secretOnce(
      context,
      'Token',
      person.token,
      `They sign in with it on ${context.client.url}, or send it as a bearer.`,
    ),
  )

const add = command({
  summary: 'Add a person; prints their token once',
  operands: { name: operand.required('what they are called') },
  options: { role: option.choice('<role>', roles, 'what they may do; member when left out') },
  examples: [
    ['people add Aiko', 'may read, write and approve'],
    ['people add Ben --role viewer', 'may only look'],
  ],
  async run(context, given) {
    const body = { name: given.name, role: given.role ?? 'member' }
    const person = await context.client.post('/api/people', { body })
    context.done(`${context.paint('bold', visible(person.name))} was added as ${person.role}`)
    answerToken(context, person)
  },
})

const findPerson = (context: CommandContext, typed: string): Promise<Person> =>
  findByName('person', typed, context.client.pages('/api/people'))

const changeRole = command({
  summary: 'Change what a person may do; tokens of theirs that allow more are revoked',
  operands: { person, role: operand.required(`${roles.join(', ')}`) },
  examples: [
    ['people role Aiko viewer', 'may only look from now on'],
    ['people role Ben owner', 'may do everything'],
  ],
  async run(context, given) {
    const typed = given.role
    const role = roles.find((each) => each === typed)
    if (!role)
      throw usage(`There is no role ${JSON.stringify(typed)}.`, `There is ${roles.join(', ')}.`)
    const { id } = await findPerson(context, given.person)
    const person = await context.client.patch('/api/people/{personId}', {
      params: { personId: id },
      body: { role },
    })
    context.finished(person, `${context.paint('bold', visible(person.name))} is ${person.role} now`)
    if (person.revokedTokens.length > 0)
      context.note(
        `Revoked, because they allowed more: ${person.revokedTokens.map(visible).join(', ')}`,
      )
  },
})

const renew = command({
  summary: 'Give a person a new token, printed once; the old one stops working at once',
  operands: { person },
  options: { yes: yesOption },
  examples: [['people renew Aiko --yes', 'without being asked']],
  async run(context, given) {
    const { id, name } = await findPerson(context, given.person)
    await context.confirm(
      `Give ${visible(name)} a new token?`,
      'The old one and their signed-in browsers stop working at once.',
    )
    const person = await context.client.post('/api/people/{personId}/token', {
      params: { personId: id },
    })
    context.done(`${context.paint('bold', visible(name))} has a new token`)
    answerToken(context, person)
  },
})

const remove = command({
  summary: 'Remove a person; their credentials stop working at once',
  operands: { person },
  options: { yes: yesOption },
  examples: [['people remove Aiko --yes', 'without being asked']],
  async run(context, given) {
    const { id, name } = await findPerson(context, given.person)
    await context.confirm(
      `Remove ${visible(name)}?`,
      'Every credential of theirs stops working at once.',
    )
    await context.client.delete('/api/people/{personId}', { params: { personId: id } })
    context.finished({ id, removed: true }, `${visible(name)} was removed`)
  },
})

export const people: CommandSpec = {
  summary: 'People who may sign in',
  examples: [
    ['people', 'list them'],
    ['people add Aiko --role member', 'add somebody; prints their token once'],
    ['people role Aiko viewer', 'change what they may do'],
  ],
  commands: { list, add, role: changeRole, renew, remove },
}
