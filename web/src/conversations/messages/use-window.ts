/**
 * Reads the window over a conversation: from its end or around a message, then on in either
 * direction, and what is said meanwhile.
 */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { ArchivePart } from '../../../../src/protocol/conversations/archive.ts'
import { client } from '../../live/queries.ts'
import { useChat } from '../../live/work.ts'
import { type MessageWindow, pageSize, windowOf, withNewer, withOlder } from './window.ts'

export interface WindowReading {
  readonly window: MessageWindow | undefined
  readonly error: unknown
  readonly readOlder: () => void
  readonly readNewer: () => void
  readonly goToBeginning: () => void
  readonly goToEnd: () => void
  readonly again: () => void
}

type Position = { readonly before?: number; readonly after?: number; readonly around?: number }
type Change = (window: MessageWindow | undefined, part: ArchivePart) => MessageWindow

export function useWindow(key: string, at: number | undefined): WindowReading {
  const [window, setWindow] = useState<MessageWindow>()
  const [error, setError] = useState<unknown>()
  /** The request under way; the answer to an abandoned one is ignored. */
  const asking = useRef<{ readonly position: Position; readonly change: Change }>(undefined)

  const ask = useCallback(
    async (position: Position, change: Change, instead = false) => {
      if (asking.current && !instead) return
      const question = { position, change }
      asking.current = question
      try {
        const part = await client.get('/api/conversations/{key}/archive', {
          params: { key },
          query: { limit: pageSize, ...position },
        })
        if (asking.current !== question) return
        asking.current = undefined
        setError(undefined)
        setWindow((now) => change(now, part))
      } catch (failure) {
        if (asking.current === question) setError(failure)
      }
    },
    [key],
  )
  const begin = useCallback(
    (position: Position) => void ask(position, (_, part) => windowOf(part), true),
    [ask],
  )

  useEffect(() => {
    setWindow(undefined)
    begin(at === undefined ? {} : { around: at })
  }, [begin, at])

  const first = window?.items[0]?.seq
  const last = window?.items.at(-1)?.seq
  const readOlder = () =>
    first !== undefined &&
    window?.older &&
    void ask({ before: first }, (now, part) => (now ? withOlder(now, part) : windowOf(part)))
  const readNewer = () =>
    void ask({ after: last ?? 0 }, (now, part) => (now ? withNewer(now, part) : windowOf(part)))

  // New messages are read only where the window reaches the end; elsewhere they are read on
  // scrolling there.
  const newest = useChat(key)?.messages.at(-1)?.seq
  const isBehind =
    window !== undefined && !window.newer && newest !== undefined && newest > (last ?? 0)
  const readNow = useRef(readNewer)
  readNow.current = readNewer
  // biome-ignore lint/correctness/useExhaustiveDependencies: while something else was read nothing could be asked; after each answer it can
  useEffect(() => {
    if (isBehind) readNow.current()
  }, [isBehind, newest, first, last, window?.older])

  return {
    window,
    error,
    readOlder: () => void readOlder(),
    readNewer: () => window?.newer && readNewer(),
    goToBeginning: () => begin({ after: 0 }),
    goToEnd: () => begin({}),
    again: () => {
      const question = asking.current
      if (question) void ask(question.position, question.change, true)
    },
  }
}
