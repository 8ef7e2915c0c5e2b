/**
 * Finds conversations and tasks by title and notes by summary (DC11), among a bounded number of
 * candidates of each.
 */
import { isVisible } from '../../domain/access/visibility.ts'
import { excerptOf, find } from '../../domain/conversations/search/find.ts'
import { type Phrase, parseQuery } from '../../domain/conversations/search/parse-query.ts'
import type { FoundTitle } from '../../protocol/conversations/search.ts'
import {
  selectConversationsLike,
  selectSummariesLike,
  selectTasksLike,
  type TitleSearch,
} from '../../store/conversations/search.ts'
import { defineQuery } from '../../store/store.ts'
import { ownerInRow } from '../access/owners.ts'
import type { MessageSearch } from './search-messages.ts'

const maxCandidates = 200
const maxOfKind = 8

export const searchTitles = defineQuery('search-titles', {
  scope: 'read',
  on: 'viewer',
  withoutSnapshot: true,
  run: async (
    reader,
    { q, project, viewer }: Pick<MessageSearch, 'q' | 'project' | 'viewer'>,
  ): Promise<FoundTitle[]> => {
    const pieces = parseQuery(q)
    const query: TitleSearch = {
      pattern: `%${longestOf(pieces).replaceAll(/[\\%_]/g, '\\$&')}%`,
      projectId: project ?? '',
      inAny: project === undefined ? 1 : 0,
      limit: maxCandidates,
    }
    const matching = <Row>(rows: readonly Row[], textOf: (row: Row) => string): Row[] =>
      rows.filter((row) => find(textOf(row), pieces) !== undefined).slice(0, maxOfKind)
    const conversations = (await reader.all(selectConversationsLike, query)).filter((row) =>
      isVisible(viewer, ownerInRow(row)),
    )
    const tasks = await reader.all(selectTasksLike, query)
    const notes = (await reader.all(selectSummariesLike, query)).filter((row) =>
      isVisible(viewer, ownerInRow(row)),
    )
    return [
      ...matching(conversations, ({ title }) => title ?? '').map(
        ({ key, project_id: projectId, title }) => ({
          kind: 'conversation' as const,
          conversationKey: key,
          projectId,
          title: title ?? '',
        }),
      ),
      ...matching(tasks, ({ title, id }) => `${title} ${id}`).map(
        ({ id, project_id: projectId, title, status }) => ({
          kind: 'task' as const,
          taskId: id,
          projectId,
          title,
          status,
        }),
      ),
      ...matching(notes, ({ summary }) => summary).map(({ day, key, summary }) => ({
        kind: 'note' as const,
        day,
        conversationKey: key,
        title: excerptOf(summary, find(summary, pieces) ?? []).text,
      })),
    ]
  },
})

/** The longest run of the query without spaces, as the database compares it. */
function longestOf(pieces: readonly Phrase[]): string {
  const runs = pieces.flatMap(({ tokens }) => runsOf(tokens))
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '')
}

/** Words stand alone; characters of a script without spaces stand together. */
function runsOf(tokens: Phrase['tokens']): string[] {
  const runs: string[] = []
  for (const [nth, { kind, text }] of tokens.entries()) {
    if (kind === 'character' && tokens[nth - 1]?.kind === 'character')
      runs.push(`${runs.pop()}${text}`)
    else runs.push(text)
  }
  return runs
}
