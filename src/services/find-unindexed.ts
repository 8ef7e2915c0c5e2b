/** Conversations with messages that search does not know yet: step by step through all of them, or among those touched last. */
import { selectBehindAfter, selectBehindAmongNewest } from '../store/queries/search.ts'
import { defineQuery } from '../store/store.ts'

const lookedAtTogether = 1000
/** What was written a moment ago is in one of these. */
const newestLookedAt = 50

const keysOf = (rows: readonly { readonly key: string; readonly behind: number }[]): string[] =>
  rows.filter(({ behind }) => behind === 1).map(({ key }) => key)

export const findUnindexed = defineQuery({
  name: 'find-unindexed',
  withoutSnapshot: true,
  /** `next`: where the following step begins; null behind the last. */
  run: async (reader, { after }: { readonly after: string }): Promise<{ keys: string[]; next: string | null }> => {
    const rows = await reader.all(selectBehindAfter, { key: after, limit: lookedAtTogether })
    return { keys: keysOf(rows), next: rows.length < lookedAtTogether ? null : (rows.at(-1)?.key ?? null) }
  },
})

export const findJustWritten = defineQuery({
  name: 'find-just-written',
  withoutSnapshot: true,
  run: async (reader, _: Record<never, never>): Promise<string[]> =>
    keysOf(await reader.all(selectBehindAmongNewest, { limit: newestLookedAt })),
})
