/**
 * The words of editors, in the language of the page. They come with the pages that need them: the
 * first visit has its bound (UI5).
 */
import { useLanguage } from '../translations/messages.tsx'
import { editors as english } from './en-words.ts'
import { editors as japanese } from './ja-words.ts'

export const useEditorWords = (): typeof english => (useLanguage() === 'ja' ? japanese : english)
