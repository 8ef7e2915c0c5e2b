/** The rows of a chat: days, messages and turns; older messages come while one scrolls up. */
import { Fragment, useEffect, useRef, useState } from 'react'
import type { Message } from '../../../../src/protocol/conversations/message.ts'
import type { ThreadState } from '../../../../src/protocol/threads/thread-state.ts'
import { withOlder } from '../../live/chat.ts'
import { useDisplayName, useSenderName } from '../../live/display-names.ts'
import { client, useHome, useMe } from '../../live/queries.ts'
import { changeThread } from '../../live/threads.ts'
import { SubmitButton } from '../../parts/button.tsx'
import { NearRow } from '../../parts/near.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useWords, useWriting } from '../../translations/messages.tsx'
import { usePaneActions } from '../../turns/pane-actions.ts'
import { drawnAtFirst, guessedHeight } from '../../turns/transcript.tsx'
import { TurnView } from '../../turns/turn-view.tsx'
import { MessageRow } from '../messages/message-row.tsx'
import { type ChatEntry, repetitionOf } from './chat-entries.ts'
import { firstNewIn } from './last-visit.ts'

/** Messages by one sender within this stand under one name. */
const togetherMs = 5 * 60_000
const olderPage = 50

interface ChatRowsProps {
  readonly entries: readonly ChatEntry[]
  /** The last message that was seen before this visit; null: nothing is new. */
  readonly lastSeen: number | null
}

export function ChatRows({ entries, lastSeen }: ChatRowsProps) {
  const { console: words } = useWords()
  const me = useMe()
  const writing = useWriting()
  const nameOf = useDisplayName()
  const senderName = useSenderName()
  const agents = useHome()?.agents ?? []
  const { agentId } = usePaneActions()
  // What Holdfast says of a turn stands under the agent's name.
  const isByAgent = ({ role, senderId, senderName }: Message): boolean =>
    role === 'assistant' && senderName === undefined && !agents.some(({ id }) => id === senderId)
  const newestTurn = entries.findLastIndex(({ kind }) => kind === 'turn')
  const firstNew = firstNewIn(entries, lastSeen, me?.id)
  const lastAt = entries[firstNew - 1]?.at
  const days = entries.map(({ at }) => writing.day(at))
  return (
    <ol>
      {entries.map((entry, index) => {
        const before = entries[index - 1]
        const newDay = days[index] !== days[index - 1]
        return (
          <Fragment key={entry.kind === 'turn' ? entry.turn.id : entry.message.seq}>
            {newDay && <li className="pt-4 text-center text-xs text-faint">{days[index]}</li>}
            {index === firstNew && lastAt !== undefined && (
              <li data-new-since className={newSinceClass}>
                {words.newSince(writing.moment(lastAt, Date.now()))}
              </li>
            )}
            <NearRow
              first={index >= entries.length - drawnAtFirst}
              always={entry.kind === 'turn' && entry.turn.state === 'running'}
              guess={guessedHeight}
            >
              {entry.kind === 'turn' ? (
                <TurnView
                  turn={entry.turn}
                  isNewest={index === newestTurn}
                  repeatedIn={repetitionOf(entry, entries[index + 1])}
                  repeats={
                    before && repetitionOf(before, entry) && before.kind === 'turn'
                      ? before.turn.id
                      : undefined
                  }
                  {...(entry.message && { message: entry.message })}
                />
              ) : (
                <MessageRow
                  message={entry.message}
                  name={isByAgent(entry.message) ? nameOf(agentId) : senderName(entry.message)}
                  byAgent={
                    entry.message.role === 'assistant' ||
                    agents.some(({ id }) => id === entry.message.senderId)
                  }
                  goesOn={
                    !newDay &&
                    before?.kind === 'message' &&
                    belongTogether(before.message, entry.message)
                  }
                />
              )}
            </NearRow>
          </Fragment>
        )
      })}
    </ol>
  )
}

const newSinceClass =
  'flex items-center gap-3 pt-5 text-xs whitespace-nowrap text-accent before:h-px before:flex-1 ' +
  'before:bg-accent/40 after:h-px after:flex-1 after:bg-accent/40'

const belongTogether = (before: Message, message: Message): boolean =>
  before.senderId === message.senderId &&
  before.senderName === message.senderName &&
  before.role === message.role &&
  before.receiverId === message.receiverId &&
  Date.parse(message.createdAt) - Date.parse(before.createdAt) < togetherMs

interface OlderMessagesProps {
  readonly conversationKey: string
  readonly chat: ThreadState
}

export function OlderMessages({ conversationKey, chat }: OlderMessagesProps) {
  const { chat: words } = useWords()
  const [waiting, setWaiting] = useState(false)
  const [error, setError] = useState<unknown>()
  const edge = useRef<HTMLDivElement>(null)
  const { older } = chat

  async function load() {
    if (waiting || older === false) return
    setWaiting(true)
    setError(undefined)
    try {
      const before = chat.messages[0]?.seq
      const query = { limit: olderPage, ...(before !== undefined && { before }) }
      const part = await client.get('/api/conversations/{key}/archive', {
        params: { key: conversationKey },
        query,
      })
      changeThread(conversationKey, (now) => withOlder(now, part))
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
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && void loadNow.current(),
      options,
    )
    observer.observe(place)
    return () => observer.disconnect()
  }, [known, older])

  if (older === false)
    return known > 0 && <p className="pt-4 text-center text-xs text-faint">{words.beginning}</p>
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
