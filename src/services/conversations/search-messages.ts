/**
 * Searches messages by words, newest first (DC5). The index gives candidates, and each is compared
 * with the query. The work per page is bounded, so a page may be short while its cursor continues.
 */

import { isVisible, type Viewer } from '../../domain/access/visibility.ts'
import {
  boundaryOf,
  type CutoverRule,
  type Day,
  endOf,
  logicalDay,
} from '../../domain/conversations/chapter.ts'
import { excerptOf, find } from '../../domain/conversations/search/find.ts'
import {
  type Phrase,
  parseQuery,
  queryTerms,
} from '../../domain/conversations/search/parse-query.ts'
import { facetTerm } from '../../domain/conversations/search/terms.ts'
import { epochMs } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { SearchHit } from '../../protocol/conversations/search.ts'
import type { Page } from '../../protocol/page.ts'
import { cutoverRule, dayOfMessage } from '../../store/conversations/chapters.ts'
import {
  afterAllIds,
  type FoundMessage,
  firstIdAt,
  messagesWith,
} from '../../store/conversations/search.ts'
import { fields } from '../../store/fields.ts'
import { notACursor, partIn } from '../../store/page-cursor.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { ownerInRow } from '../access/owners.ts'
import { invalidField } from '../refusals.ts'

export interface MessageSearch {
  readonly q: string
  readonly conversation?: string | undefined
  readonly channel?: string | undefined
  readonly project?: string | undefined
  /** Both days are included. */
  readonly from?: Day | undefined
  readonly to?: Day | undefined
  readonly limit: number
  readonly cursor?: string | undefined
  /** The account whose consoles are searched. Null for all. */
  readonly viewer: Viewer
}

/** Limits of one page. */
const maxCompared = 300
const maxComparedChars = 400_000
const readPageSize = 50

export const searchMessages = defineQuery('search-messages', {
  scope: 'read',
  on: 'viewer',
  withoutSnapshot: true,
  run: async (reader, search: MessageSearch): Promise<Page<SearchHit>> => {
    const pieces = parseQuery(search.q)
    if (pieces.length === 0) throw invalidField('q', refusalText('nothingToSearch'))
    const terms = [...queryTerms(pieces), ...facets(search)]
    const rule = await cutoverRule(reader)
    const from = search.from === undefined ? 0 : firstIdAt(epochMs(boundaryOf(rule, search.from)))
    const last =
      search.to === undefined ? afterAllIds : firstIdAt(epochMs(endOf(rule, search.to)) + maxTurnMs)
    const isWanted = (day: Day): boolean => (search.from ?? day) <= day && day <= (search.to ?? day)
    const before = Math.min(idOf(search.cursor), last)
    const { limit, viewer } = search
    return readHits(reader, { pieces, terms, from, before, limit, rule, isWanted, viewer })
  },
})

/**
 * DC6: a turn that crosses the boundary belongs to the day before. Messages this much later are
 * still considered.
 */
const maxTurnMs = 24 * 60 * 60 * 1000

const facets = ({ conversation, channel, project }: MessageSearch): string[] => [
  ...(conversation === undefined ? [] : [facetTerm('conversation', conversation)]),
  ...(channel === undefined ? [] : [facetTerm('channel', channel)]),
  ...(project === undefined ? [] : [facetTerm('project', project)]),
]

interface SearchPlan {
  readonly pieces: readonly Phrase[]
  readonly terms: readonly string[]
  readonly from: number
  readonly before: number
  readonly limit: number
  readonly rule: CutoverRule
  readonly isWanted: (day: Day) => boolean
  readonly viewer: Viewer
}

async function readHits(reader: Reader, looking: SearchPlan): Promise<Page<SearchHit>> {
  const { pieces, terms, from, before, limit, rule, isWanted, viewer } = looking
  const items: SearchHit[] = []
  let last = before
  let compared = 0
  let chars = 0
  for (;;) {
    const found = await messagesWith(reader, terms, { from, before: last, limit: readPageSize })
    for (const message of found) {
      if (items.length === limit || compared === maxCompared || chars > maxComparedChars)
        return { items, nextCursor: cursorAt(last) }
      compared++
      chars += message.content.length
      last = message.id
      const ranges = find(message.content, pieces)
      const isTheirs = await isSeen(reader, viewer, message.conversation_key)
      if (!ranges || !isTheirs) continue
      const day = (await dayOfMessage(reader, message)) ?? logicalDay(rule, message.created_at)
      if (isWanted(day)) items.push(hitOf(message, day, ranges))
    }
    if (found.length < readPageSize) return { items, nextCursor: null }
  }
}

async function isSeen(reader: Reader, viewer: Viewer, key: string): Promise<boolean> {
  const row = viewer === null ? undefined : await reader.row('conversations', { key })
  return isVisible(viewer, row && ownerInRow(row))
}

function hitOf(
  message: FoundMessage,
  day: Day,
  ranges: NonNullable<ReturnType<typeof find>>,
): SearchHit {
  const { text, ...excerpt } = excerptOf(message.content, ranges)
  return {
    ...fields(
      message,
      'conversation_key',
      'seq',
      'message_id',
      'project_id',
      'role',
      'sender_id',
      'created_at',
    ),
    ...(message.sender_name !== null && { senderName: message.sender_name }),
    day,
    excerpt: text,
    ...excerpt,
  }
}

const cursorAt = (id: number): string => Buffer.from(`hit${id}`).toString('base64url')

/** The message id in a cursor. The page holds older ones only. */
function idOf(cursor: string | undefined): number {
  if (cursor === undefined) return afterAllIds
  const id = Number(partIn(cursor, /^hit([1-9]\d{0,15})$/))
  if (!Number.isSafeInteger(id)) throw notACursor()
  return id
}
