/** Queries about allowances (AG6), and their form as rules and for readers. */
import type { Kysely } from 'kysely'
import type { AllowanceRule } from '../../domain/approvals/allowance.ts'
import type { Instant } from '../../domain/instant.ts'
import type { Allowance } from '../../protocol/approvals/allowance.ts'
import { fields } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type AllowanceRow = Tables['allowances']

export const selectInForce = statement<{
  projectId: string
  agentId: string
  now: Instant
  limit: number
}>()((db, p) =>
  db
    .selectFrom('allowances')
    .selectAll()
    .where('project_id', '=', p.projectId)
    .where('agent_id', '=', p.agentId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', p.now)
    .orderBy('expires_at', 'desc')
    .limit(p.limit),
)

interface Revoked {
  readonly now: Instant
  readonly by: string
}

const revoke = (db: Kysely<Tables>, p: Revoked) =>
  db
    .updateTable('allowances')
    .set({ revoked_at: p.now, revoked_by: p.by })
    .where('revoked_at', 'is', null)

export const revokeOne = statement<Revoked & { id: string }>()((db, p) =>
  revoke(db, p).where('id', '=', p.id),
)

/**
 * Revokes the allowances of an agent, of its assignment or of the person who gave them; the event
 * about that says so.
 */
export const revokeOfPair = statement<Revoked & { projectId: string; agentId: string }>()((db, p) =>
  revoke(db, p).where('project_id', '=', p.projectId).where('agent_id', '=', p.agentId),
)

export const revokeOfAgent = statement<Revoked & { agentId: string }>()((db, p) =>
  revoke(db, p).where('agent_id', '=', p.agentId),
)

export const revokeOfGiver = statement<Revoked & { giver: string }>()((db, p) =>
  revoke(db, p).where('created_by', '=', p.giver),
)

type OfProject = PageParams & { readonly projectId: string }

const selectPage = statement<OfProject>()((db, p) =>
  pageOf(
    db.selectFrom('allowances').selectAll().where('project_id', '=', p.projectId),
    p,
    'created_at',
    'id',
  ),
)

const selectPageInForce = statement<OfProject & { now: Instant }>()((db, p) =>
  pageOf(
    db
      .selectFrom('allowances')
      .selectAll()
      .where('project_id', '=', p.projectId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', p.now),
    p,
    'created_at',
    'id',
  ),
)

export const allowancesPage = async (
  reader: Reader,
  page: OfProject,
  now: Instant | null,
): Promise<Allowance[]> =>
  (now === null
    ? await reader.all(selectPage, page)
    : await reader.all(selectPageInForce, { ...page, now })
  ).map(allowanceOf)

export const ruleOf = (row: AllowanceRow): AllowanceRule =>
  fields(row, 'scope', 'tool_kind', 'likeness', 'folder')

export const allowanceOf = (row: AllowanceRow): Allowance => ({
  ...fields(
    row,
    'id',
    'project_id',
    'agent_id',
    'scope',
    'tool_kind',
    'title',
    'folder',
    'likeness',
    'approval_id',
  ),
  ...fields(row, 'created_by', 'created_at', 'expires_at', 'revoked_at', 'revoked_by'),
})
