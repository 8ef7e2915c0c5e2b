/** What agents are always allowed in a project (AG6). It is given with the decision about a permission. */
import * as z from 'zod'
import { Allowance } from '../allowance.ts'
import { PageQuery, pageOf } from '../page.ts'
import type { Route } from '../route.ts'

const project = z.object({ projectId: z.string().max(200) })

export const allowanceRoutes = {
  listAllowances: {
    method: 'GET',
    path: '/api/projects/{projectId}/allowances',
    scope: 'read',
    summary: 'List what agents are always allowed in a project, newest first; `ended=true` adds what has expired or was revoked',
    params: project,
    query: PageQuery.extend({ ended: z.stringbool().default(false) }),
    status: 200,
    answer: pageOf(Allowance),
  },
  revokeAllowance: {
    method: 'DELETE',
    path: '/api/projects/{projectId}/allowances/{allowanceId}',
    scope: 'approve',
    summary: 'Revoke it: the next time the agent asks again',
    params: project.extend({ allowanceId: z.string().max(200) }),
    status: 200,
    answer: Allowance,
  },
} as const satisfies Record<string, Route>
