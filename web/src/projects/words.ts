/**
 * What each setting of a project is for, in the language of the page. It comes with the settings:
 * the first visit has its bound (UI5).
 */
import { useLanguage } from '../translations/messages.tsx'
import { settingTexts as english, type SettingTexts } from './en-words.ts'
import { settingTexts as japanese } from './ja-words.ts'

export const useSettingTexts = (): SettingTexts => (useLanguage() === 'ja' ? japanese : english)
