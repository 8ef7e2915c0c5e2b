/** Hands the words and the ways to write times and numbers to every part of the page. */
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { type Notice, translated } from '../../../src/protocol/notice-words.ts'
import { useChoice } from '../preferences/choice.ts'
import {
  languageChoice,
  loadMessages,
  localeOf,
  type ShownLanguage,
  shownLanguage,
} from '../preferences/language.ts'
import type { Messages } from './en.ts'
import { forWatchers } from './watcher-words.ts'

interface Speech {
  readonly language: ShownLanguage
  readonly words: Messages
}

interface Writing {
  /** 14:02 */
  readonly clock: (at: number) => string
  /** The day and the minute, for what is not today. */
  readonly exact: (at: string) => string
  /** 14:30, or with its date where it is of another day. */
  readonly moment: (at: string, now: number) => string
  readonly day: (at: string) => string
  /** November 2026 */
  readonly month: (at: string) => string
  /** “Mo”, as short as it can be told. */
  readonly weekday: (at: string) => string
  /** 0 is Sunday. */
  readonly firstDayOfWeek: () => number
  /** “3 minutes ago” */
  readonly ago: (at: string, now: number) => string
  /** 3h: how long ago, as short as it can be told */
  readonly age: (at: string, now: number) => string
  readonly number: (value: number) => string
  /** 1.2K: rounded, for what is only compared. */
  readonly short: (value: number) => string
  /** 31 % of 0.31 */
  readonly percent: (share: number) => string
  /** $0.34; less than a cent keeps two digits that count */
  readonly money: (amount: number, currency: string) => string
  /** 12.3 MB */
  readonly size: (bytes: number) => string
}

const SpeechContext = createContext<(Speech & { writing: Writing }) | undefined>(undefined)

/**
 * Changes the language only when its words are here: the page never shows a half-translated state.
 */
export function SpeechProvider({ first, children }: { first: Speech; children: ReactNode }) {
  const [speech, setSpeech] = useState(first)
  const wanted = shownLanguage(useChoice(languageChoice))
  useEffect(() => {
    if (wanted === speech.language) return
    let current = true
    void loadMessages(wanted).then((words) => current && setSpeech({ language: wanted, words }))
    return () => {
      current = false
    }
  }, [wanted, speech.language])
  useEffect(() => {
    document.documentElement.lang = speech.language
  }, [speech.language])
  const value = useMemo(
    () => ({ ...speech, writing: writingOf(localeOf(speech.language)) }),
    [speech],
  )
  return <SpeechContext value={value}>{children}</SpeechContext>
}

/** What is inside is said to somebody who may decide, or to somebody who may only watch. */
export function SpeechTo({ mayDecide, children }: { mayDecide: boolean; children: ReactNode }) {
  const speech = useSpeech()
  const value = useMemo(
    () => (mayDecide ? speech : { ...speech, words: forWatchers(speech.words) }),
    [speech, mayDecide],
  )
  return <SpeechContext value={value}>{children}</SpeechContext>
}

function useSpeech() {
  const speech = use(SpeechContext)
  if (!speech) throw new Error('SpeechProvider is missing')
  return speech
}

export const useWords = (): Messages => useSpeech().words

/** Translates what the server tells, by its notice; what others say comes as it is. */
export function useSaid(): (text: string, notice?: Notice | null) => string {
  const { translation } = useWords()
  return (text, notice) => translated(translation, text, notice)
}

export const useLanguage = (): ShownLanguage => useSpeech().language
export const useWriting = (): Writing => useSpeech().writing

/** Where the browser does not know, weeks begin on Monday. */
function firstDayOfWeek(locale: string): number {
  const known: Intl.Locale & { getWeekInfo?: () => { firstDay: number } } = new Intl.Locale(locale)
  return (known.getWeekInfo?.().firstDay ?? 1) % 7
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

const sizes = ['B', 'KB', 'MB', 'GB'] as const

function writingOf(locale: string): Writing {
  const clock = new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const dated = new Intl.DateTimeFormat(locale, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  const month = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long' })
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const narrow = new Intl.RelativeTimeFormat(locale, { style: 'narrow' })
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 })
  const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
  return {
    clock: (at) => clock.format(at),
    exact: (at) => exact.format(Date.parse(at)),
    moment: (at, now) =>
      (day.format(Date.parse(at)) === day.format(now) ? clock : dated).format(Date.parse(at)),
    day: (at) => day.format(Date.parse(at)),
    month: (at) => month.format(Date.parse(at)),
    weekday: (at) => weekday.format(Date.parse(at)),
    firstDayOfWeek: () => firstDayOfWeek(locale),
    ago(at, now) {
      const seconds = (Date.parse(at) - now) / 1000
      const unit = units.find(([, size]) => Math.abs(seconds) >= size)
      return unit
        ? relative.format(Math.trunc(seconds / unit[1]), unit[0])
        : relative.format(0, 'second')
    },
    age(at, now) {
      const seconds = (now - Date.parse(at)) / 1000
      if (seconds < 60) return relative.format(0, 'second')
      const [unit, size] = units.find(
        ([name, length]) => name !== 'month' && seconds >= length,
      ) ?? ['minute', 60]
      const count = Math.floor(seconds / size)
      // Where "5m" is nobody's way to write it: 5分前.
      if (!locale.startsWith('en')) return narrow.format(-count, unit)
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'narrow' }).format(
        count,
      )
    },
    number: (value) => number.format(value),
    short: (value) => short.format(value).toLowerCase(),
    percent: (share) => percent.format(share),
    money(amount, currency) {
      const digits =
        amount > 0 && amount < 0.01 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 }
      const how = {
        style: 'currency',
        currency,
        currencyDisplay: 'narrowSymbol',
        ...digits,
      } as const
      try {
        return new Intl.NumberFormat(locale, how).format(amount)
      } catch {
        return `${number.format(amount)} ${currency}`
      }
    },
    size(bytes) {
      const step = Math.min(sizes.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
      return `${tenths.format(bytes / 1024 ** step)} ${sizes[step]}`
    },
  }
}
