/**
 * The words of what a resume would do, in the language of the page. They come with
 * the part that needs them: the first visit has its bound (UI5).
 */
import { useLanguage } from '../translations/messages.tsx'
import { preview as english } from './en-words.ts'
import { preview as japanese } from './ja-words.ts'

export const usePreviewWords = (): typeof english => (useLanguage() === 'ja' ? japanese : english)
