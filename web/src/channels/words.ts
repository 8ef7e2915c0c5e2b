/**
 * The words of channels, in the language of the page. They come with the pages that need them: the
 * first visit has its bound (UI5).
 */
import { useLanguage } from '../translations/messages.tsx'
import { channels as english } from './en-words.ts'
import { channels as japanese } from './ja-words.ts'

export const useChannelWords = (): typeof english => (useLanguage() === 'ja' ? japanese : english)
