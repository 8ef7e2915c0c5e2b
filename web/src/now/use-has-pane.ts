/** Whether the screen has room for a session beside Now's list. */
import { useSyncExternalStore } from 'react'

const query = '(width >= 1600px)'

const subscribe = (changed: () => void) => {
  const media = matchMedia(query)
  media.addEventListener('change', changed)
  return () => media.removeEventListener('change', changed)
}

export const useHasPane = (): boolean =>
  useSyncExternalStore(subscribe, () => matchMedia(query).matches)
