/**
 * The words of Review, in the language of the page. They come with the pages that need them: the
 * first visit has its bound (UI5).
 */
import { useLanguage } from '../translations/messages.tsx'
import { review as english } from './en-words.ts'
import { review as japanese } from './ja-words.ts'

export type ReviewWords = typeof english

export const useReviewWords = (): ReviewWords => (useLanguage() === 'ja' ? japanese : english)
