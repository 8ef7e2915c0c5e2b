/** `holdfast token`: credentials for scripts, coordinators and editors. */
import { tokenKinds } from '../../domain/access/caller.ts'
import { personScopes } from '../../domain/access/scopes.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { madeBelow } from '../../protocol/access/made-below.ts'
import type { Token } from '../../protocol/access/people.ts'
import { type CommandSpec, command, operand, option } from '../command.ts'
import { usage } from '../failure.ts'
import { findByName } from '../find-by-name.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { parseMoment } from '../times.ts'
import { secretOnce } from './secret-once.ts'

const create = command({
  summary: 'Make a token; prints it once',
  operands: { name: operand.required('what it is for') },
  options: {
    kind: option.choice('<kind>', tokenKinds, 'who will use it; script when left out'),
    scope: option.list('<scope>', 'what it allows; all you may do when left out', personScopes),
    expires: option.text('<when>', '30d, 12h, 90m, 4w or a moment; never when left out'),
  },
  examples: [
    ['token create ci --scope read --scope write --expires 30d', 'for a script'],
    ['token create laptop --kind coordinator', 'for a coordinator on another machine'],
    [
      'token create vscode --kind door --scope read --scope write --scope approve',
      'for an editor that takes only an address',
    ],
  ],
  async run(context, given) {
    const expires = given.expires
    const expiresAt = expires === undefined ? undefined : parseMoment(expires, systemClock.now())
    if (expires !== undefined && !expiresAt) {
      throw usage(
        `--expires ${expires} is not a time.`,
        'Write 30d, 12h, 90m, 4w, or a moment such as 2027-01-31T00:00:00Z.',
      )
    }
    const token = await context.client.post('/api/tokens', {
      body: {
        name: given.name,
        kind: given.kind ?? 'script',
        scopes: given.scope,
        expiresAt,
      },
    })
    context.done(
      `Made the ${token.kind} token ${context.paint('bold', visible(token.name))} (${token.scopes.join(', ')})`,
    )
    context.answer(token, () =>
      secretOnce(
        context,
        'Token',
        token.token,
        token.kind === 'door'
          ? 'It stands in the address of the editor’s connection: …/ahp?tkn=TOKEN'
          : 'Hand it over as HOLDFAST_TOKEN, or send it as a bearer.',
      ),
    )
  },
})

const list = command({
  summary: 'List the tokens that are valid (the default)',
  options: { limit: limitOption },
  examples: [['token list', 'never shows the tokens themselves']],
  async run(context) {
    await context.printList(context.client.pages('/api/tokens'), {
      empty: 'No tokens. Make one: holdfast token create NAME --scope read',
      columns: [
        { title: 'NAME', of: (each) => each.name, shrinks: true, style: 'bold' },
        { title: 'KIND', of: (each) => each.kind },
        { title: 'SCOPES', of: (each) => each.scopes.join(', '), shrinks: true },
        {
          title: 'EXPIRES',
          of: (each) => (each.expiresAt ? context.ago(each.expiresAt) : 'never'),
        },
        { title: 'MADE', of: (each) => context.ago(each.createdAt), style: 'dim' },
        { title: 'BY', of: (each) => each.createdByName ?? each.createdBy, shrinks: true },
        { title: 'ID', of: (each) => each.id },
      ],
    })
  },
})

const revoke = command({
  summary: 'Revoke a token; it stops working at once',
  operands: { token: operand.required('id, or name where only one has it') },
  options: {
    keepMade: option.flag('leave what was made with it; otherwise that is revoked too'),
    yes: yesOption,
  },
  examples: [
    ['token revoke ci --yes', 'without being asked, and what it made too'],
    ['token revoke ci --keep-made', 'only this one'],
  ],
  async run(context, given) {
    const { id, name } = await findByName('token', given.token, context.client.pages('/api/tokens'))
    const tokens: Token[] = []
    for await (const each of context.client.pages('/api/tokens')) tokens.push(each)
    const made = given.keepMade ? 'keep' : 'revoke'
    const below = madeBelow(id, tokens)
    const names = below.map((each) => visible(each.name)).join(', ')
    const loss =
      below.length === 0
        ? ''
        : made === 'keep'
          ? ` What it made stays: ${names}.`
          : ` So is what it made: ${names}.`
    await context.confirm(
      `Revoke the token ${visible(name)}?`,
      `Whatever uses it is cut off at once.${loss}`,
    )
    await context.client.delete('/api/tokens/{tokenId}', {
      params: { tokenId: id },
      query: { made },
    })
    const revoked = made === 'keep' ? [] : below.map((each) => each.id)
    context.finished(
      { id, revoked: true, made: revoked },
      `Revoked the token ${visible(name)}${revoked.length > 0 ? `, with ${names}` : ''}`,
    )
  },
})

export const token: CommandSpec = {
  summary: 'Tokens for scripts, coordinators and editors',
  examples: [
    ['token', 'list them'],
    ['token create ci --scope read --expires 30d', 'for a script that only looks, for a month'],
    ['token revoke ci', 'cut it off'],
  ],
  commands: { list, create, revoke },
}
