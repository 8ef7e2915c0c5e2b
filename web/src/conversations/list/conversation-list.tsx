/**
 * All conversations or those of one channel, the last changed first, each with its last message.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { ListedConversation } from '../../../../src/protocol/conversations/conversation.ts'
import { refetch } from '../../live/queries.ts'
import { SubmitButton } from '../../parts/button.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Ago } from '../../parts/time.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { oneLine } from '../../shell/listed-views.ts'
import { useSaid, useWords } from '../../translations/messages.tsx'
import { conversationsOn, listPageSize } from '../conversation-queries.ts'
import { useTitleOf } from '../titles.ts'

export function ConversationList() {
  const words = useWords()
  const { channel } = useSearch({ from: '/shell/conversations' })
  const [most, setMost] = useState(listPageSize)
  const query = conversationsOn(channel, most)
  const { data, error, isPlaceholderData } = useQuery(query)
  const items = data?.items
  return (
    <>
      <Channels items={items ?? []} chosen={channel} />
      {error && !items && <ProblemNote error={error} onRetry={() => void refetch(query)} />}
      {!error && !items && (
        <Waiting what={words.conversations.list} onRetry={() => void refetch(query)} rows={6} />
      )}
      {items?.length === 0 && (
        <p className="py-4 text-faint">
          {channel ? words.conversations.noneHere : words.conversations.none}
        </p>
      )}
      <ul className="flex flex-col gap-0.5">
        {items?.map((each) => (
          <Row key={each.key} conversation={each} />
        ))}
      </ul>
      {data?.nextCursor && (
        <SubmitButton
          look="quiet"
          type="button"
          waiting={isPlaceholderData}
          onClick={() => setMost(most + listPageSize)}
          className="w-full"
        >
          {words.conversations.more}
        </SubmitButton>
      )}
    </>
  )
}

const chipClass =
  'flex min-h-7 items-center rounded-full px-2.5 text-sm text-quiet shadow-[inset_0_0_0_1px_var(--edge)] transition-colors hover:bg-hover ' +
  'hover:text-ink aria-[current=page]:bg-accent-wash aria-[current=page]:font-medium aria-[current=page]:text-ink max-md:min-h-9'

/** The channels that occur, and the chosen one whether it does or not. */
function Channels({
  items,
  chosen,
}: {
  items: readonly ListedConversation[]
  chosen: string | undefined
}) {
  const { conversations: words } = useWords()
  const channels = [
    ...new Set([...items.map(({ channel }) => channel), ...(chosen ? [chosen] : [])]),
  ].toSorted()
  if (channels.length < 2 && !chosen) return null
  return (
    <ul aria-label={words.channels} className="flex flex-wrap gap-1.5 pb-3">
      {[undefined, ...channels].map((channel) => (
        <li key={channel ?? ''}>
          <Link
            to="."
            search={({ channel: _, ...rest }) => (channel ? { ...rest, channel } : rest)}
            activeOptions={{ exact: true, includeSearch: true }}
            className={chipClass}
          >
            {channel ? (words.channelNames[channel] ?? channel) : words.all}
          </Link>
        </li>
      ))}
    </ul>
  )
}

export const choiceClass =
  'flex min-w-0 flex-col gap-0.5 rounded-md px-2.5 py-2 transition-colors hover:bg-hover -outline-offset-2 aria-[current=page]:bg-hover'

const kindsNamedByOpening: ReadonlySet<string> = new Set<ListedConversation['kind']>([
  'web',
  'work',
  'fork',
  'console',
  'schedule',
  'race',
])

function Row({ conversation }: { conversation: ListedConversation }) {
  const { conversations: words } = useWords()
  const translate = useSaid()
  const { title: named, channel } = useTitleOf()(conversation.key)
  // As in the sidebar; of a chat of another platform the key says more than what it began with.
  const isSession = kindsNamedByOpening.has(conversation.kind)
  const title =
    oneLine(conversation.title ?? (isSession ? conversation.opening : null) ?? '') || named
  const { lastMessage: last } = conversation
  return (
    <li>
      <Link
        to="/conversations/$key"
        params={{ key: conversation.key }}
        search={({ channel: chosen }) => (chosen ? { channel: chosen } : {})}
        data-choice
        className={choiceClass}
      >
        <span className="flex items-baseline gap-2">
          <span dir="auto" className="min-w-0 flex-1 truncate font-medium" title={conversation.key}>
            {title}
          </span>
          <Ago
            at={last?.createdAt ?? conversation.updated}
            className="shrink-0 text-xs text-faint"
          />
        </span>
        <span className="flex items-baseline gap-2 text-sm text-quiet">
          <span className="min-w-0 flex-1 truncate">
            {last
              ? oneLine(
                  last.role === 'assistant'
                    ? translate(last.beginning, last.notice)
                    : last.beginning,
                )
              : words.nothingSaid}
          </span>
          <span className="max-w-1/2 shrink-0 truncate text-xs text-faint">
            {conversation.kind === 'web' && title !== named ? named : channel}
          </span>
        </span>
      </Link>
    </li>
  )
}
