/**
 * Queries what agents are always allowed in a project (AG6); refreshed when an event says that it
 * changed.
 */
import { queryOptions } from '@tanstack/react-query'
import type { Allowance } from '../../../src/protocol/approvals/allowance.ts'
import { client, invalidate } from './queries.ts'

/** More than are ever in force for a few agents. */
const mostListed = 200

export const allowancesOf = (projectId: string) =>
  queryOptions<readonly Allowance[]>({
    queryKey: ['allowances', projectId],
    queryFn: async ({ signal }) => {
      const request = { params: { projectId }, query: { limit: mostListed }, signal }
      return (await client.get('/api/projects/{projectId}/allowances', request)).items
    },
  })

export const refreshAllowances = (projectId: string): void =>
  void invalidate(['allowances', projectId])
