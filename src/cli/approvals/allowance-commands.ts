/** Allowances at the command line (AG6): granting, listing and revoking "allow always". */
import { allowanceMinutes, allowanceScopes } from '../../domain/approvals/allowance.ts'
import { epochMs } from '../../domain/instant.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Allowance, AlwaysTerms } from '../../protocol/approvals/allowance.ts'
import type { CommandOption, Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { CommandFailure, usage } from '../failure.ts'
import { chooseProject } from '../projects/choose-project.ts'
import { table } from '../table.ts'
import { parseMoment, relative } from '../times.ts'

const route = '/api/projects/{projectId}/allowances'
const minuteMs = 60_000

export const alwaysOptions: readonly CommandOption[] = [
  { flags: '--always', about: 'of a permission: do not ask for the same again; kept by Holdfast, with an end, revocable' },
  { flags: '--for <time>', about: 'with --always: 90m, 8h, 30d; 8h when left out' },
  {
    flags: '--scope <scope>',
    about: 'with --always: exactly this request (when left out), files in its folder, or this kind of tool',
    choices: allowanceScopes,
  },
  { flags: '--folder <path>', about: 'with --scope folder: another folder than that of the file' },
]

/** Returns undefined for this once only. */
export function alwaysTerms(given: Given): AlwaysTerms | undefined {
  const scope = given.text('scope') as AlwaysTerms['scope'] | undefined
  const [time, folder] = [given.text('for'), given.text('folder')]
  if (!given.flag('always')) {
    if (scope ?? time ?? folder) throw usage('--for, --scope and --folder say what is always allowed.', 'Add --always.')
    return undefined
  }
  const now = systemClock.now()
  const until = time === undefined ? undefined : parseMoment(time, now)
  if (time !== undefined && !until) throw usage(`--for ${time} is not a time.`, 'Write 90m, 8h, 30d or 4w.')
  const expiresInMinutes = until ? Math.round((epochMs(until) - now) / minuteMs) : allowanceMinutes.default
  return { scope: scope ?? 'request', ...(folder !== undefined && { folder }), expiresInMinutes }
}

export async function listAllowed(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id: projectId } = await chooseProject(context, given)
  const query = { limit: 200, ended: given.flag('all') }
  const { items, nextCursor, more } = await context.list(client.pages(route, { params: { projectId }, query }))
  const now = systemClock.now()
  context.answer({ items, nextCursor }, () => {
    if (items.length === 0) return 'Nothing is allowed without asking.'
    return table(
      items,
      [
        { title: 'ID', of: (each) => each.id, style: 'bold' },
        { title: 'AGENT', of: (each) => each.agentId },
        { title: 'WHAT', of: (each) => what(each), shrinks: true },
        { title: 'UNTIL', of: (each) => (each.revokedAt ? 'revoked' : relative(each.expiresAt, now)) },
        { title: 'BY', of: (each) => each.createdBy, style: 'dim' },
      ],
      context.paint,
      context.width,
    )
  })
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

const what = ({ scope, title, toolKind, folder }: Allowance): string =>
  ({ request: title, folder: `${toolKind} in ${folder}`, tool: `every ${toolKind}` })[scope]

export async function revoke(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const { id: projectId } = await chooseProject(context, given)
  const typed = given.operand(0)
  const found: Allowance[] = []
  for await (const each of client.pages(route, { params: { projectId }, query: { limit: 200 } }))
    if (each.id.startsWith(typed)) found.push(each)
  const [allowance] = found
  if (!allowance || found.length > 1) {
    const said = allowance ? `${found.length} allowances begin with ${typed}.` : `Nothing that is allowed begins with ${typed}.`
    throw new CommandFailure('notFound', said, '`holdfast approvals allowed` shows the ids.')
  }
  const revoked = await client.delete(`${route}/{allowanceId}`, { params: { projectId, allowanceId: allowance.id } })
  context.finished(revoked, `Taken back: ${visible(what(allowance))}. ${visible(allowance.agentId)} asks again the next time`)
}
