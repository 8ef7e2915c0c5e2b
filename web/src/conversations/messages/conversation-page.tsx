/**
 * One conversation: its title, its flags and all its messages, from the end or around a given
 * message.
 */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { refetch, useMay } from '../../live/queries.ts'
import { useSeen } from '../../live/recent.ts'
import { Button, buttonClass } from '../../parts/button.tsx'
import { BackIcon } from '../../parts/icons.tsx'
import { useTitle } from '../../parts/page.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useWords } from '../../translations/messages.tsx'
import { conversation } from '../conversation-queries.ts'
import { DaysMenu } from '../notes/days-menu.tsx'
import { useTitleOf } from '../titles.ts'
import { parseWebAddress } from '../web-address.ts'
import { FlagsDialog } from './flags-dialog.tsx'
import { MessageList } from './message-list.tsx'
import { useWindow } from './use-window.ts'

export function ConversationPage() {
  const { key } = useParams({ from: '/shell/conversations/$key' })
  const { at } = useSearch({ from: '/shell/conversations/$key' })
  return <ConversationView key={`${key} ${at ?? ''}`} conversationKey={key} at={at} />
}

function ConversationView({
  conversationKey,
  at,
}: {
  conversationKey: string
  at: number | undefined
}) {
  const { conversations: words } = useWords()
  const query = conversation(conversationKey)
  const { data, error } = useQuery(query)
  const reading = useWindow(conversationKey, at)
  useSeen([conversationKey])
  const { title } = useTitleOf()(conversationKey)
  useTitle(title)
  if (error && !data) {
    return (
      <div className="py-4">
        <ProblemNote error={error} onRetry={() => void refetch(query)} />
      </div>
    )
  }
  return (
    <section aria-label={title} className="flex min-h-0 flex-1 flex-col">
      <Head conversationKey={conversationKey} title={title} at={at} />
      {reading.error !== undefined && <ProblemNote error={reading.error} onRetry={reading.again} />}
      {reading.window ? (
        <MessageList
          {...reading}
          window={reading.window}
          conversationKey={conversationKey}
          at={at}
        />
      ) : (
        <div className="flex-1">
          <Waiting what={words.messages} onRetry={reading.again} rows={6} />
        </div>
      )}
      {reading.window?.newer && (
        <div className="flex justify-center border-t border-line py-2">
          <Link
            to="."
            search={({ at: _, ...rest }) => rest}
            className={buttonClass('quiet')}
            onClick={reading.goToEnd}
          >
            {words.toEnd}
          </Link>
        </div>
      )}
    </section>
  )
}

function Head({
  conversationKey,
  title,
  at,
}: {
  conversationKey: string
  title: string
  at: number | undefined
}) {
  const { conversations: words } = useWords()
  const { data } = useQuery(conversation(conversationKey))
  const mayWrite = useMay('write')
  const [editing, setEditing] = useState(false)
  const web = parseWebAddress(conversationKey)
  const set = Object.keys(data?.flags ?? {}).length
  return (
    <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-1.5">
      <Link
        to="/conversations"
        search={({ q, channel }) => ({ ...(q && { q }), ...(channel && { channel }) })}
        className={buttonClass('quiet', 'md:hidden px-2')}
        aria-label={words.back}
      >
        <BackIcon />
      </Link>
      <div className="min-w-0 flex-1">
        <h2 dir="auto" className="truncate font-semibold">
          {title}
        </h2>
        <p className="truncate font-mono text-xs text-faint" title={conversationKey}>
          {conversationKey}
        </p>
      </div>
      {data?.summary && (
        <details className="order-last w-full text-sm">
          <summary className="cursor-pointer text-quiet">{words.summary}</summary>
          <p className="max-h-40 overflow-y-auto py-1 whitespace-pre-wrap [overflow-wrap:anywhere]">
            {data.summary}
          </p>
        </details>
      )}
      <DaysMenu conversationKey={conversationKey} at={at} />
      {data && (
        <Button look="quiet" onClick={() => setEditing(true)}>
          {words.flags(set)}
        </Button>
      )}
      {web && (
        <Link to="/projects/$projectId/chat/$agentId" params={web} className={buttonClass()}>
          {words.write}
        </Link>
      )}
      {data && editing && (
        <FlagsDialog
          conversationKey={conversationKey}
          flags={data.flags}
          mayWrite={mayWrite}
          onClose={() => setEditing(false)}
        />
      )}
    </div>
  )
}
