/**
 * The days of conversations and the notes of days (DC), as the page reads them: asked for, and
 * asked again now and then.
 */
import { queryOptions } from '@tanstack/react-query'
import { ProblemError } from '../../../../src/client/client.ts'
import type { Chapter, Note } from '../../../../src/protocol/conversations/chapter.ts'
import { client } from '../../live/queries.ts'

const mostListed = 200
const askAgainMs = 30_000
/** The polling interval while a note is still to be written; most are within a second. */
const askSoonMs = 2000

/** The newest days of a conversation, the open one first. */
export const chaptersOf = (key: string) =>
  queryOptions<Chapter[]>({
    queryKey: ['chapters', key],
    queryFn: async ({ signal }) =>
      (
        await client.get('/api/conversations/{key}/chapters', {
          params: { key },
          query: { limit: mostListed },
          signal,
        })
      ).items,
    refetchInterval: ({ state }) =>
      state.data?.some(({ note }) => note === 'pending') ? askSoonMs : askAgainMs,
  })

/** `2026-11` */
export const notesOf = (month: string) =>
  queryOptions<Note[]>({
    queryKey: ['notes', month],
    queryFn: async ({ signal }) =>
      (
        await client.get('/api/notes', {
          query: { month: month.replace('-', ''), limit: mostListed },
          signal,
        })
      ).items,
    refetchInterval: ({ state }) =>
      state.data?.some((note) => note.state === 'pending') ? askSoonMs : askAgainMs,
  })

/**
 * The Markdown of a day, `2026-11-15`, with the reader's times, without what stands before it for
 * other programs.
 */
export const noteOf = (day: string) =>
  queryOptions<string>({
    queryKey: ['note', day],
    queryFn: async ({ signal }) => {
      const timezone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone)
      const answer = await fetch(`/api/notes/${encodeURIComponent(day)}?timezone=${timezone}`, {
        signal,
      })
      if (!answer.ok) throw new ProblemError(await answer.json())
      return readable(await answer.text())
    },
    staleTime: askAgainMs,
  })

/**
 * The front matter is for programs; the heading and the links to the days beside it are what the
 * calendar shows anyway.
 */
const readable = (note: string): string =>
  note
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^\s*# \d{4}-\d{2}-\d{2}\s+(\[\[\d{8}\]\][ ·]*)*/, '')

/**
 * Headings and the summary name conversations by key: with their titles instead. What was said is
 * quoted and stays as it is.
 */
export const withTitles = (note: string, titleOf: (key: string) => string): string =>
  note.replaceAll(
    /^(## |- \*\*)([a-z]+:[^\s*]+)/gm,
    (_, mark: string, key: string) => mark + titleOf(key),
  )
