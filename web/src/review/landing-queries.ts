/** What the page knows of a landing: the plan that its button names, and what landed before. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Landing, LandingPlan } from '../../../src/protocol/review/landing.ts'
import type { LandingWay } from '../../../src/protocol/review/landing-requests.ts'
import { client, keptShortlyMs } from '../live/queries.ts'

export interface WantedPlan {
  readonly how: LandingWay
  /** Empty: the branch that the work began from. */
  readonly into: string
}

/** `stamp` is another one whenever the files or the session may have changed. */
export const landingPlanOf = (key: string, stamp: string, { how, into }: WantedPlan) =>
  queryOptions<LandingPlan>({
    queryKey: ['landing-plan', key, how, into, stamp],
    queryFn: ({ signal }) =>
      client.get('/api/conversations/{key}/land', {
        params: { key },
        query: { how, ...(into !== '' && { into }) },
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: keptShortlyMs,
  })

export const landingsOf = (key: string) =>
  queryOptions<readonly Landing[]>({
    queryKey: ['landings', key],
    queryFn: async ({ signal }) =>
      (await client.get('/api/conversations/{key}/landings', { params: { key }, signal })).items,
    staleTime: 0,
  })
