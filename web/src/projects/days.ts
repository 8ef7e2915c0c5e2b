/** Puts things under the day they were last touched: today, yesterday, this week, then by month. */
export type DayName = 'today' | 'yesterday' | 'week' | { readonly month: string }

const dayMs = 86_400_000

/** The day that begins at local midnight. */
const startOfDay = (at: number): number => new Date(at).setHours(0, 0, 0, 0)

export function dayOf(at: string, now: number): DayName {
  const today = startOfDay(now)
  const then = startOfDay(Date.parse(at))
  if (then >= today) return 'today'
  // Days with a change of the clock have 23 or 25 hours.
  const days = Math.round((today - then) / dayMs)
  if (days === 1) return 'yesterday'
  if (days < 7) return 'week'
  return { month: at.slice(0, 7) }
}

export interface DayOf<Item> {
  readonly name: DayName
  readonly items: readonly Item[]
}

/** In the order they come. */
export function byDay<Item extends { readonly at: string }>(
  items: readonly Item[],
  now: number,
): DayOf<Item>[] {
  const groups = Map.groupBy(items, ({ at }) => JSON.stringify(dayOf(at, now)))
  return [...groups].map(([name, some]) => ({ name: JSON.parse(name) as DayName, items: some }))
}
