/**
 * Stores "allow always" (AG6) with its scope and expiry, and finds the allowance that covers a new
 * request. The calling use case locks the project's stream, so that a revoked one is not used.
 */
import { hash } from 'node:crypto'
import {
  type AllowanceRule,
  type AskedCall,
  covers,
  folderOf,
  maxAllowances,
  refusedRule,
  ruleTitle,
} from '../../domain/approvals/allowance.ts'
import { Refusal } from '../../domain/errors.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { projectStream } from '../../domain/stream-name.ts'
import { fieldsOf, parsedJson } from '../../platform/json.ts'
import type { Allowance, AlwaysTerms } from '../../protocol/approvals/allowance.ts'
import { maxShownLine, type PermissionRequest } from '../../protocol/turns/agent-update.ts'
import {
  type AllowanceRow,
  allowanceOf,
  revokeOne,
  ruleOf,
  selectInForce,
} from '../../store/approvals/allowances.ts'
import { type ApprovalRow, permissionOf } from '../../store/approvals/approvals.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../store/store.ts'

const minuteMs = 60_000

/** Shortens to one line. The approval holds the whole text. */
const shortened = (text: string): string => {
  const oneLine = text.replaceAll(/\p{Cc}+/gu, ' ')
  return oneLine.length <= maxShownLine ? oneLine : `${oneLine.slice(0, maxShownLine - 1)}…`
}

const askedCall = ({
  call,
  likeness,
}: Pick<PermissionRequest, 'call' | 'likeness'>): AskedCall => ({ ...call, likeness })

export const folderLikeness = (folder: string): string => hash('sha256', `folder ${folder}`)

/** SB9: the folder that a sandboxed agent asks to read; null: the permission is another. */
export function requestedFolder({
  call,
  likeness,
}: Pick<PermissionRequest, 'call' | 'likeness'>): string | null {
  const folder = call.locations[0]?.path
  return folder !== undefined && likeness === folderLikeness(folder) ? folder : null
}

/** SB7: whether a sandboxed agent asks to reach a host. */
export function isHostRequest({
  call,
  likeness,
}: Pick<PermissionRequest, 'call' | 'likeness'>): boolean {
  const { host } = fieldsOf(parsedJson(call.input ?? ''))
  return typeof host === 'string' && likeness === hash('sha256', `host ${host}`)
}

/**
 * What a person has allowed an agent in its sandbox (SB7, SB9): folders, and requests known by
 * their likeness.
 */
export async function allowedInSandbox(
  reader: Reader,
  pair: { projectId: string; agentId: string },
  now: Instant,
) {
  const inForce = await reader.all(selectInForce, { ...pair, now, limit: maxAllowances })
  const others = inForce.filter(({ tool_kind }) => tool_kind === 'other')
  const folders = others.filter(({ folder }) => folder !== null)
  return {
    folders: folders.flatMap(({ folder }) => folder ?? []),
    hasFolderSince: (since: Instant): boolean =>
      folders.some(({ created_at }) => created_at > since),
    remembered: others.flatMap(({ folder, likeness }) => (folder === null && likeness) || []),
  }
}

/** The rule that an "always" makes. Refused where there can be none. */
export async function allowanceRule(
  reader: Reader,
  row: ApprovalRow,
  terms: AlwaysTerms,
  now: Instant,
): Promise<{ rule: AllowanceRule; toolKind: Allowance['toolKind']; title: string }> {
  const permission = permissionOf(row)
  if (!permission) throw new Refusal('wrong_state', refusalText('onlyPermissions'))
  const call = askedCall(permission)
  const rule: AllowanceRule = {
    scope: terms.scope,
    toolKind: call.toolKind,
    likeness: terms.scope === 'request' ? call.likeness : null,
    folder:
      terms.scope === 'folder' ? (terms.folder ?? folderOf(call)) : requestedFolder(permission),
  }
  const refused = refusedRule(rule, call)
  if (refused) throw new Refusal('wrong_state', refused, { scope: terms.scope })
  const { project_id: projectId, leader_id: agentId } = row
  const inForce = await reader.all(selectInForce, { projectId, agentId, now, limit: maxAllowances })
  if (inForce.length >= maxAllowances)
    throw new Refusal(
      'wrong_state',
      refusalText('allowancesFull', { agent: agentId, count: maxAllowances }),
    )
  const { title, toolKind } = permission.call
  return { rule, toolKind, title: shortened(ruleTitle(rule, { ...call, title })) }
}

export async function addAllowance(
  tx: Tx,
  row: ApprovalRow,
  given: { terms: AlwaysTerms; by: string },
  { now, random }: Context,
) {
  const { terms, by } = given
  const { rule, toolKind, title } = await allowanceRule(tx, row, terms, now)
  const { project_id: projectId, leader_id: agentId } = row
  const allowance: AllowanceRow = {
    id: random.uuid(),
    project_id: projectId,
    agent_id: agentId,
    scope: rule.scope,
    tool_kind: toolKind,
    title,
    folder: rule.folder,
    likeness: rule.likeness,
    approval_id: row.id,
    created_by: by,
    created_at: now,
    expires_at: later(now, terms.expiresInMinutes * minuteMs),
    revoked_at: null,
    revoked_by: null,
  }
  await tx.insert('allowances', allowance)
  tx.append(projectStream(projectId), {
    type: 'allowance-given',
    data: { allowance: allowanceOf(allowance) },
  })
}

export async function coveringAllowance(
  reader: Reader,
  {
    projectId,
    agentId,
    request,
  }: { projectId: string; agentId: string; request: PermissionRequest },
  now: Instant,
): Promise<AllowanceRow | undefined> {
  const inForce = await reader.all(selectInForce, { projectId, agentId, now, limit: maxAllowances })
  return inForce.find((row) => covers(ruleOf(row), askedCall(request)))
}

/** Revokes an allowance (AG6). A repeated request changes nothing. */
export const revokeAllowance = defineUseCase('revoke-allowance', {
  scope: 'approve',
  on: 'project',
  streams: ({ projectId }: { projectId: string; allowanceId: string; by: string }) => [
    projectStream(projectId),
  ],
  run: async (tx, { projectId, allowanceId, by }, { now }): Promise<Allowance> => {
    const row = await tx.row('allowances', { id: allowanceId })
    if (row?.project_id !== projectId)
      throw new Refusal('not_found', refusalText('noAllowance'), { allowanceId })
    if (row.revoked_at !== null) return allowanceOf(row)
    await tx.write(revokeOne, { id: allowanceId, now, by })
    const allowance = allowanceOf({ ...row, revoked_at: now, revoked_by: by })
    tx.append(projectStream(projectId), { type: 'allowance-revoked', data: { allowance } })
    return allowance
  },
})
