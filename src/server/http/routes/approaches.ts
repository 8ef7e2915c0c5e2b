/** The approaches of a work session. */
import type { approachRoutes } from '../../../protocol/routes/approaches.ts'
import { changeApproach } from '../../../services/change-approach.ts'
import { listApproaches } from '../../../services/list-approaches.ts'
import { listProjectApproaches } from '../../../services/list-project-approaches.ts'
import { recordApproach } from '../../../services/record-approach.ts'
import { type HandlersOf, query, run } from '../handler.ts'

export const approachHandlers: HandlersOf<typeof approachRoutes> = {
  listApproaches: query(listApproaches, (call) => ({ ...call.query, ...call.params })),
  recordApproach: run(recordApproach, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
  changeApproach: run(changeApproach, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
  listProjectApproaches: query(listProjectApproaches, (call) => ({ ...call.query, ...call.params })),
  changeApproachOfProject: run(changeApproach, ({ body, params, who }) => ({ ...body, ...params, by: who.id })),
}
