/**
 * The words of what agents ask leave for, in the language of the page. They come with what needs
 * them: the first visit has its bound (UI5).
 */
import { useLanguage } from '../translations/messages.tsx'
import { asking as english } from './en-words.ts'
import { asking as japanese } from './ja-words.ts'

export type AskingWords = typeof english

export const useAskingWords = (): AskingWords => (useLanguage() === 'ja' ? japanese : english)
