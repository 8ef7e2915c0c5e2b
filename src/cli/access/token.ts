/** `holdfast token`: credentials for scripts and coordinators. */
import { type PersonScope, personScopes } from '../../domain/access/scopes.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { madeBelow } from '../../protocol/access/made-below.ts'
import type { Token } from '../../protocol/access/people.ts'
import { command, group } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { findByName } from '../find-by-name.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { parseMoment } from '../times.ts'
import { secretOnce } from './secret-once.ts'

const kinds = ['script', 'coordinator'] as const

async function create(context: CommandContext): Promise<void> {
  const expires = context.text('expires')
  const expiresAt = expires === undefined ? undefined : parseMoment(expires, systemClock.now())
  if (expires !== undefined && !expiresAt) {
    throw usage(
      `--expires ${expires} is not a time.`,
      'Write 30d, 12h, 90m, 4w, or a moment such as 2027-01-31T00:00:00Z.',
    )
  }
  const token = await context.client.post('/api/tokens', {
    body: {
      name: context.operand(0),
      kind: (context.text('kind') ?? 'script') as (typeof kinds)[number],
      scopes: context.values('scope') as PersonScope[] | undefined,
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
      'Hand it over as HOLDFAST_TOKEN, or send it as a bearer.',
    ),
  )
}

async function list(context: CommandContext): Promise<void> {
  await context.printList(context.client.pages('/api/tokens'), {
    empty: 'No tokens. Make one: holdfast token create NAME --scope read',
    columns: [
      { title: 'NAME', of: (each) => each.name, shrinks: true, style: 'bold' },
      { title: 'KIND', of: (each) => each.kind },
      { title: 'SCOPES', of: (each) => each.scopes.join(', '), shrinks: true },
      { title: 'EXPIRES', of: (each) => (each.expiresAt ? context.ago(each.expiresAt) : 'never') },
      { title: 'MADE', of: (each) => context.ago(each.createdAt), style: 'dim' },
      { title: 'BY', of: (each) => each.createdByName ?? each.createdBy, shrinks: true },
      { title: 'ID', of: (each) => each.id },
    ],
  })
}

async function revoke(context: CommandContext): Promise<void> {
  const { id, name } = await findByName(
    'token',
    context.operand(0),
    context.client.pages('/api/tokens'),
  )
  const tokens: Token[] = []
  for await (const each of context.client.pages('/api/tokens')) tokens.push(each)
  const made = context.flag('keep-made') ? 'keep' : 'revoke'
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
  await context.client.delete('/api/tokens/{tokenId}', { params: { tokenId: id }, query: { made } })
  const revoked = made === 'keep' ? [] : below.map((each) => each.id)
  context.finished(
    { id, revoked: true, made: revoked },
    `Revoked the token ${visible(name)}${revoked.length > 0 ? `, with ${names}` : ''}`,
  )
}

export const token = group`
  Tokens for scripts and coordinators
  $ token  list them
  $ token create ci --scope read --expires 30d  for a script that only looks, for a month
  $ token revoke ci  cut it off
`({
  list: command(list, limitOption)`
    List the tokens that are valid (the default)
    $ token list  never shows the tokens themselves`,
  create: command(create)`
    Make a token; prints it once
    <name>  what it is for
    --kind <kind>  who will use it; script when left out ${kinds}
    --scope <scope>...  what it allows; all you may do when left out ${personScopes}
    --expires <when>  30d, 12h, 90m, 4w or a moment; never when left out
    $ token create ci --scope read --scope write --expires 30d  for a script
    $ token create laptop --kind coordinator  for a coordinator on another machine`,
  revoke: command(revoke)`
    Revoke a token; it stops working at once
    <token>  id, or name where only one has it
    --keep-made  leave what was made with it; otherwise that is revoked too
    ${yesOption}
    $ token revoke ci --yes  without being asked, and what it made too
    $ token revoke ci --keep-made  only this one`,
})
