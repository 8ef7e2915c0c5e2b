/** Whether a key belongs to an input method: then Enter chooses a word and Escape gives one up, and neither does anything of ours. */
import type { KeyboardEvent } from 'react'

/** Some browsers tell of the last key only by this number. */
const inputMethodKey = 229

export const isComposing = ({ nativeEvent, keyCode }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || keyCode === inputMethodKey
