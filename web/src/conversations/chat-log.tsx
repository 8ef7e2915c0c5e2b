/**
 * What was said, newest at the bottom; older messages come while one scrolls up, without the text jumping. The list grows
 * upwards from its end, so the browser itself keeps the place.
 */
import { Fragment, useEffect, useRef, useState } from 'react'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import { type Chat, isCompleted, type PartialAnswer, withOlder } from '../live/chat.ts'
import { useConnection } from '../live/connection.ts'
import { useDisplayName } from '../live/display-names.ts'
import { discard, sendAgain, type Unsent } from '../live/outbox.ts'
import { client, useHome } from '../live/queries.ts'
import { changeChat } from '../live/work.ts'
import { SubmitButton } from '../parts/button.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useWords, useWriting } from '../translations/messages.tsx'
import { MessageRow, PartialAnswerRow, UnsentRow } from './message-row.tsx'

/** Messages by one sender within this stand under one name. */
const togetherMs = 5 * 60_000
const olderPage = 50
/** The first answer repeats what the snapshot had, and goes on behind it. */
const firstOlderPage = 100

interface ChatLogProps {
  readonly place: { readonly projectId: string; readonly agentId: string }
  readonly conversationKey: string
  readonly chat: Chat
  /** null: nothing is being said. */
  readonly saying: PartialAnswer | null
  readonly unsent: readonly Unsent[]
  readonly agentName: string
  readonly onSent: (message: Message) => void
}

export function ChatLog({ place, conversationKey, chat, saying, unsent, agentName, onSent }: ChatLogProps) {
  const { chat: words } = useWords()
  const writing = useWriting()
  const nameOf = useDisplayName()
  const live = useConnection().state === 'live'
  const agents = useHome()?.agents ?? []
  const days = chat.messages.map(({ createdAt }) => writing.day(createdAt))
  return (
    <div
      role="log"
      aria-label={words.messages}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
      tabIndex={0}
      className="flex min-h-0 flex-1 flex-col-reverse overflow-y-auto overscroll-contain -outline-offset-2"
    >
      <div className="pb-4">
        <Older place={place} conversationKey={conversationKey} chat={chat} />
        {chat.messages.length === 0 && unsent.length === 0 && <p className="text-faint">{words.first(agentName)}</p>}
        <ol>
          {chat.messages.map((message, index) => {
            const before = chat.messages[index - 1]
            const newDay = days[index] !== days[index - 1]
            return (
              <Fragment key={message.seq}>
                {newDay && <li className="pt-4 text-center text-xs text-faint">{days[index]}</li>}
                <MessageRow
                  message={message}
                  name={nameOf(message.senderId)}
                  byAgent={message.role === 'assistant' || agents.some(({ id }) => id === message.senderId)}
                  goesOn={!newDay && before !== undefined && belongTogether(before, message)}
                />
              </Fragment>
            )
          })}
          {saying && !isCompleted(chat, saying) && <PartialAnswerRow saying={saying} name={nameOf(saying.agentId)} />}
          {unsent.map((each) => (
            <UnsentRow
              key={each.clientId}
              unsent={each}
              name={nameOf(each.by)}
              live={live}
              onAgain={() => sendAgain(each, onSent)}
              onDiscard={() => discard(each.clientId)}
            />
          ))}
        </ol>
      </div>
    </div>
  )
}

const belongTogether = (before: Message, message: Message): boolean =>
  before.senderId === message.senderId &&
  before.receiverId === message.receiverId &&
  Date.parse(message.createdAt) - Date.parse(before.createdAt) < togetherMs

function Older({ place, conversationKey, chat }: Pick<ChatLogProps, 'place' | 'conversationKey' | 'chat'>) {
  const { chat: words } = useWords()
  const [waiting, setWaiting] = useState(false)
  const [error, setError] = useState<unknown>()
  const edge = useRef<HTMLDivElement>(null)
  const { older } = chat

  async function load() {
    if (waiting || older === null) return
    setWaiting(true)
    setError(undefined)
    try {
      const query = older === undefined ? { limit: firstOlderPage } : { limit: olderPage, cursor: older }
      const path = '/api/projects/{projectId}/agents/{agentId}/messages'
      const page = await client.get(path, { params: place, query })
      changeChat(conversationKey, (now) => withOlder(now, page))
    } catch (failure) {
      setError(failure)
    } finally {
      setWaiting(false)
    }
  }

  // Read ahead, before the end is seen.
  const loadNow = useRef(load)
  loadNow.current = load
  const known = chat.messages.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each page it may still be in sight
  useEffect(() => {
    const place = edge.current
    if (!place) return
    const options = { root: place.closest('[role="log"]'), rootMargin: '400px 0px 0px' }
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void loadNow.current(), options)
    observer.observe(place)
    return () => observer.disconnect()
  }, [known, older])

  if (older === null) return known > 0 && <p className="pt-4 text-center text-xs text-faint">{words.beginning}</p>
  return (
    <div ref={edge} className="flex flex-col items-center gap-2 pt-4">
      <ProblemNote error={error} onRetry={() => void load()} />
      {!error && (
        <SubmitButton look="quiet" type="button" waiting={waiting} onClick={() => void load()}>
          {words.older}
        </SubmitButton>
      )}
    </div>
  )
}
