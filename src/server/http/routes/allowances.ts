/** What agents are always allowed. */
import type { allowanceRoutes } from '../../../protocol/routes/allowances.ts'
import { listAllowances } from '../../../services/list-allowances.ts'
import { revokeAllowance } from '../../../services/revoke-allowance.ts'
import { type HandlersOf, query, run } from '../handler.ts'

export const allowanceHandlers: HandlersOf<typeof allowanceRoutes> = {
  listAllowances: query(listAllowances, (call) => ({ ...call.query, ...call.params })),
  revokeAllowance: run(revokeAllowance, ({ params, who }) => ({ ...params, by: who.id })),
}
