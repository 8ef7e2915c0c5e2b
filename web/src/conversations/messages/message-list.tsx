/**
 * The messages of the window, in a box that scrolls. What is read on one side and let go on the
 * other moves nothing on the screen: the first message in sight stays where it is. New ones are
 * followed only by who is at the end.
 */
import { Fragment, type KeyboardEvent, type UIEvent, useLayoutEffect, useRef } from 'react'
import type { Message } from '../../../../src/protocol/conversations/message.ts'
import { useSenderName } from '../../live/display-names.ts'
import { useHome } from '../../live/queries.ts'
import { useWords } from '../../translations/messages.tsx'
import { DayHead } from '../notes/day-head.tsx'
import { useDayOf } from '../notes/days.ts'
import { MessageRow } from './message-row.tsx'
import type { WindowReading } from './use-window.ts'
import type { MessageWindow } from './window.ts'

/** Messages by one sender within this stand under one name. */
const togetherMs = 5 * 60_000
/** Read ahead, before an end is seen. */
const aheadPx = 1200
const atEndPx = 40

interface Kept {
  readonly seq: string
  readonly top: number
  readonly atEnd: boolean
}

interface MessageListProps extends WindowReading {
  readonly window: MessageWindow
  readonly conversationKey: string
  /** The one that was asked for. */
  readonly at: number | undefined
}

export function MessageList({
  window: shown,
  conversationKey,
  at,
  readOlder,
  readNewer,
  goToBeginning,
  goToEnd,
}: MessageListProps) {
  const { conversations: words } = useWords()
  const senderName = useSenderName()
  const agents = useHome()?.agents ?? []
  const dayOf = useDayOf(conversationKey)
  const box = useRef<HTMLDivElement>(null)
  const kept = useRef<Kept>(undefined)
  const { items } = shown

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever other rows are there
  useLayoutEffect(() => {
    if (box.current) settle(box.current, kept.current, at)
    if (box.current) kept.current = look(box.current)
  }, [items, at])

  const onScroll = ({ currentTarget: list }: UIEvent<HTMLDivElement>) => {
    kept.current = look(list)
    if (list.scrollTop < aheadPx) readOlder()
    if (list.scrollHeight - list.scrollTop - list.clientHeight < aheadPx) readNewer()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget) return
    if (event.key === 'Home' && shown.older) go(event, goToBeginning)
    if (event.key === 'End' && shown.newer) go(event, goToEnd)
  }
  const go = (event: KeyboardEvent, there: () => void) => {
    event.preventDefault()
    kept.current =
      event.key === 'End' ? { seq: '', top: 0, atEnd: true } : { seq: '', top: 0, atEnd: false }
    there()
  }

  return (
    <div
      ref={box}
      role="log"
      aria-label={words.messages}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain [overflow-anchor:none] -outline-offset-2"
    >
      <div className="mx-auto max-w-3xl pb-4">
        {!shown.older && items.length > 0 && (
          <p className="pt-4 text-center text-xs text-faint">{words.beginning}</p>
        )}
        {items.length === 0 && <p className="pt-4 text-faint">{words.nothingSaid}</p>}
        <ol>
          {items.map((message, index) => {
            const before = items[index - 1]
            const day = dayOf(message)
            const newDay = before === undefined || day.name !== dayOf(before).name
            return (
              <Fragment key={message.seq}>
                {newDay && <DayHead day={day} />}
                <li>
                  <MessageRow
                    message={message}
                    name={senderName(message)}
                    byAgent={
                      message.role === 'assistant' ||
                      agents.some(({ id }) => id === message.senderId)
                    }
                    goesOn={!newDay && before !== undefined && belongTogether(before, message)}
                    chosen={message.seq === at}
                  />
                </li>
              </Fragment>
            )
          })}
        </ol>
      </div>
    </div>
  )
}

const belongTogether = (before: Message, message: Message): boolean =>
  before.senderId === message.senderId &&
  before.senderName === message.senderName &&
  before.role === message.role &&
  before.receiverId === message.receiverId &&
  Date.parse(message.createdAt) - Date.parse(before.createdAt) < togetherMs

const rowOf = (list: HTMLElement, seq: string | number): HTMLElement | null =>
  list.querySelector(`[data-seq="${seq}"]`)

/** The message asked for, or the next one: what a day begins with may be hidden. */
const firstFrom = (list: HTMLElement, seq: number): HTMLElement | undefined =>
  [...list.querySelectorAll<HTMLElement>('[data-seq]')].find(
    (row) => Number(row.dataset['seq']) >= seq,
  )

/** The message that is in view now. */
function look(list: HTMLElement): Kept | undefined {
  const top = list.getBoundingClientRect().top
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < atEndPx
  for (const row of list.querySelectorAll<HTMLElement>('[data-seq]')) {
    const { top: rowTop, bottom } = row.getBoundingClientRect()
    if (bottom > top) return { seq: row.dataset['seq'] ?? '', top: rowTop - top, atEnd }
  }
  return undefined
}

/**
 * Scrolls after rows were added: at first to the requested message or the end, later to the message
 * that was in view.
 */
function settle(list: HTMLElement, kept: Kept | undefined, at: number | undefined): void {
  if (!kept) {
    if (at === undefined) list.scrollTop = list.scrollHeight
    else firstFrom(list, at)?.scrollIntoView({ block: 'center' })
    return
  }
  const row = kept.atEnd ? null : rowOf(list, kept.seq)
  if (row)
    list.scrollTop += row.getBoundingClientRect().top - list.getBoundingClientRect().top - kept.top
  else list.scrollTop = kept.atEnd ? list.scrollHeight : 0
}
