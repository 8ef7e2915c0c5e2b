/** Allowances at the command line (AG6): granting, listing and revoking "allow always". */
import { allowanceMinutes, allowanceScopes } from '../../domain/approvals/allowance.ts'
import { epochMs } from '../../domain/instant.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Allowance, AlwaysTerms } from '../../protocol/approvals/allowance.ts'
import { options } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { notFound, usage } from '../failure.ts'
import { chooseProject } from '../projects/choose-project.ts'
import { parseMoment } from '../times.ts'

const route = '/api/projects/{projectId}/allowances'
const minuteMs = 60_000

export const alwaysOptions = options`
  --always  of a permission: do not ask for the same again; kept by Holdfast, with an end, revocable
  --for <time>  with --always: 90m, 8h, 30d; 8h when left out
  --scope <scope>  with --always: exactly this request (when left out), files in its folder, or this kind of tool ${allowanceScopes}
  --folder <path>  with --scope folder: another folder than that of the file`

/** Returns undefined for this once only. */
export function alwaysTerms(context: CommandContext): AlwaysTerms | undefined {
  const scope = context.text('scope') as AlwaysTerms['scope'] | undefined
  const [time, folder] = [context.text('for'), context.text('folder')]
  if (!context.flag('always')) {
    if (scope ?? time ?? folder) throw usage('--for, --scope and --folder say what is always allowed.', 'Add --always.')
    return undefined
  }
  const now = systemClock.now()
  const until = time === undefined ? undefined : parseMoment(time, now)
  if (time !== undefined && !until) throw usage(`--for ${time} is not a time.`, 'Write 90m, 8h, 30d or 4w.')
  const expiresInMinutes = until ? Math.round((epochMs(until) - now) / minuteMs) : allowanceMinutes.default
  return { scope: scope ?? 'request', folder, expiresInMinutes }
}

export async function listAllowed(context: CommandContext): Promise<void> {
  const { id: projectId } = await chooseProject(context)
  const query = { ended: context.flag('all') }
  await context.printList(context.client.pages(route, { params: { projectId }, query }), {
    empty: 'Nothing is allowed without asking.',
    columns: [
      { title: 'ID', of: (each) => each.id, style: 'bold' },
      { title: 'AGENT', of: (each) => each.agentId },
      { title: 'WHAT', of: (each) => what(each), shrinks: true },
      { title: 'UNTIL', of: (each) => (each.revokedAt ? 'revoked' : context.ago(each.expiresAt)) },
      { title: 'BY', of: (each) => each.createdBy, style: 'dim' },
    ],
  })
}

const what = ({ scope, title, toolKind, folder }: Allowance): string =>
  ({ request: title, folder: `${toolKind} in ${folder}`, tool: `every ${toolKind}` })[scope]

export async function revoke(context: CommandContext): Promise<void> {
  const { id: projectId } = await chooseProject(context)
  const typed = context.operand(0)
  const found: Allowance[] = []
  for await (const each of context.client.pages(route, { params: { projectId } })) if (each.id.startsWith(typed)) found.push(each)
  const [allowance] = found
  if (!allowance || found.length > 1) {
    const said = allowance ? `${found.length} allowances begin with ${typed}.` : `Nothing that is allowed begins with ${typed}.`
    throw notFound(said, '`holdfast approvals allowed` shows the ids.')
  }
  const revoked = await context.client.delete(`${route}/{allowanceId}`, { params: { projectId, allowanceId: allowance.id } })
  context.finished(revoked, `Taken back: ${visible(what(allowance))}. ${visible(allowance.agentId)} asks again the next time`)
}
