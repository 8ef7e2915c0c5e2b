/**
 * Recognises keys of an input method, where Enter chooses a word and Escape cancels one; the page
 * ignores them.
 */
import type { KeyboardEvent } from 'react'

/** Some browsers mark the last key only by this code. */
const inputMethodKey = 229

export const isComposing = ({ nativeEvent, keyCode }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || keyCode === inputMethodKey
