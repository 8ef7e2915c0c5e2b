/** English, Japanese, or as the browser. Only the catalogue in use is loaded. */
import type { Messages } from '../translations/en.ts'
import { browserChoice } from './choice.ts'

export const languages = ['system', 'en', 'ja'] as const
export type Language = (typeof languages)[number]
export type ShownLanguage = Exclude<Language, 'system'>

export const languageChoice = browserChoice<Language>('language', languages, 'system')

export function shownLanguage(chosen: Language): ShownLanguage {
  if (chosen !== 'system') return chosen
  return navigator.languages.some((tag, at) => at === 0 && tag.toLowerCase().startsWith('ja'))
    ? 'ja'
    : 'en'
}

export async function loadMessages(language: ShownLanguage): Promise<Messages> {
  return language === 'ja'
    ? (await import('../translations/ja.ts')).ja
    : (await import('../translations/en.ts')).en
}

/**
 * The reader's own locale where it fits the language of the words; it decides how dates and numbers
 * look.
 */
export const localeOf = (language: ShownLanguage): string =>
  navigator.languages.find((tag) => tag.toLowerCase().startsWith(language) && isLocale(tag)) ??
  language

/** Some systems hand their POSIX locale through (`en-US@posix`), which is no language tag. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}
