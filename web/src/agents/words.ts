/**
 * The words of installing an agent and signing it in, in the language of the page. They come with
 * the part that needs them: the first visit has its bound (UI5).
 */
import { useLanguage } from '../translations/messages.tsx'
import { preparation as english } from './en-words.ts'
import { preparation as japanese } from './ja-words.ts'

export const usePreparationWords = (): typeof english =>
  useLanguage() === 'ja' ? japanese : english
