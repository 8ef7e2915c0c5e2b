/** Lists over HTTP (HT1): `{items, nextCursor}`, asked for with `limit` and `cursor`. */
import * as z from 'zod'

const listLimit = { default: 50, max: 200 } as const

export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(listLimit.max).default(listLimit.default),
  cursor: z.string().max(1000).optional(),
})
export type PageQuery = z.output<typeof PageQuery>

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() })

export interface Page<Item> {
  items: Item[]
  nextCursor: string | null
}

/** Query and answer of a route that lists; `filters` are added to the query. */
export const listOf = <
  Item extends z.ZodType,
  Filters extends z.ZodRawShape = Record<never, never>,
>(
  item: Item,
  filters: Filters = {} as Filters,
) => ({ query: PageQuery.extend(filters), answer: pageOf(item) })
