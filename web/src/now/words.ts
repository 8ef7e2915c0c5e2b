/**
 * The words for taking in sessions, in the language of the page. They come with the dialog: the
 * first visit has its bound (UI5).
 */
import { useLanguage } from '../translations/messages.tsx'
import { importing as english } from './en-words.ts'
import { importing as japanese } from './ja-words.ts'

export const useImportWords = (): typeof english => (useLanguage() === 'ja' ? japanese : english)
