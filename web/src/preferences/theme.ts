/** Light, dark, or as the system. public/early.js does the same once before the first paint. */
import { browserChoice } from './choice.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export const themeChoice = browserChoice<Theme>('theme', themes, 'system')

export function followTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    const chosen = themeChoice.get()
    document.documentElement.dataset['theme'] =
      chosen === 'system' ? (system.matches ? 'dark' : 'light') : chosen
  }
  system.addEventListener('change', apply)
  themeChoice.subscribe(apply)
  apply()
}
