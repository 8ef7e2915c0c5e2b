/**
 * Search results, newest first, with the matches marked; each links to the message in its
 * conversation.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Fragment, type ReactNode, useState } from 'react'
import type { SearchHit } from '../../../../src/protocol/conversations/search.ts'
import { useSenderName } from '../../live/display-names.ts'
import { refetch } from '../../live/queries.ts'
import { SubmitButton } from '../../parts/button.tsx'
import { ProblemNote, problemIn } from '../../parts/problem-note.tsx'
import { Ago } from '../../parts/time.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useWords } from '../../translations/messages.tsx'
import { searchFor, searchPageSize } from '../conversation-queries.ts'
import { useTitleOf } from '../titles.ts'
import { choiceClass } from './conversation-list.tsx'

export function SearchResults({ q }: { q: string }) {
  const { conversations: words } = useWords()
  const { channel } = useSearch({ from: '/shell/conversations' })
  const [most, setMost] = useState(searchPageSize)
  const query = searchFor({ q, channel }, most)
  const { data, error, isPlaceholderData } = useQuery(query)
  if (error && (!data || isPlaceholderData)) {
    // Punctuation alone is no error: there is only nothing to search for yet.
    if (problemIn(error)?.['field'] === 'q')
      return <p className="py-2 text-faint">{words.typeMore}</p>
    return <ProblemNote error={error} onRetry={() => void refetch(query)} />
  }
  if (!data) return <Waiting what={words.results} onRetry={() => void refetch(query)} rows={5} />
  const { items: hits, behind } = data
  const hasMore = data.nextCursor !== null
  return (
    <section aria-label={words.results}>
      <p role="status" className="pb-2 text-sm text-faint">
        {hits.length === 0 && !hasMore ? words.nothingFound(q) : words.found(hits.length, hasMore)}
        {behind > 0 && ` ${words.behind}`}
      </p>
      <ol className="flex flex-col gap-0.5">
        {hits.map((hit) => (
          <Hit key={hit.messageId} hit={hit} />
        ))}
      </ol>
      {hasMore && (
        <SubmitButton
          look="quiet"
          type="button"
          waiting={isPlaceholderData}
          onClick={() => setMost(most + searchPageSize)}
          className="w-full"
        >
          {words.older}
        </SubmitButton>
      )}
    </section>
  )
}

function Hit({ hit }: { hit: SearchHit }) {
  const senderName = useSenderName()
  const { title } = useTitleOf()(hit.conversationKey)
  return (
    <li>
      <Link
        to="/conversations/$key"
        params={{ key: hit.conversationKey }}
        search={(now) => ({ ...now, at: hit.seq })}
        activeOptions={{ includeSearch: true }}
        data-choice
        className={choiceClass}
      >
        <span className="flex items-baseline gap-2 text-sm">
          <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
            {title}
          </span>
          <Ago at={hit.createdAt} className="shrink-0 text-xs text-faint" />
        </span>
        <span className="line-clamp-3 text-sm [overflow-wrap:anywhere]">
          <span className="text-faint">{senderName(hit)}: </span>
          <Marked hit={hit} />
        </span>
      </Link>
    </li>
  )
}

function Marked({
  hit: { excerpt, highlights, cutBefore, cutAfter },
}: {
  hit: SearchHit
}): ReactNode {
  let at = 0
  const parts = highlights.map(({ start, end }) => {
    const before = excerpt.slice(at, start)
    at = end
    return (
      <Fragment key={start}>
        {before}
        <mark className="rounded-xs bg-warn-wash px-px text-ink">{excerpt.slice(start, end)}</mark>
      </Fragment>
    )
  })
  return (
    <>
      {cutBefore && '…'}
      {parts}
      {excerpt.slice(at)}
      {cutAfter && '…'}
    </>
  )
}
