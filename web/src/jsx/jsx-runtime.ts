/**
 * Makes the page's elements, as React does, with one difference: in text that is to be read to the
 * letter, characters that are invisible or turn text around are shown as escapes with their number
 * (SE13). It does so for all text and for what names an element, so that no place can forget it.
 * Prose, in which such characters belong to the language, is shown with `prose`.
 */
import { createElement, Fragment, type Key, type ReactElement, type ReactNode } from 'react'
import { jsx as make, jsxs as makeWithChildren } from 'react/jsx-runtime'
import { withNumbers } from '../../../src/protocol/unseen-characters.ts'

export { Fragment } from 'react'
export type { JSX } from 'react/jsx-runtime'

type Props = Readonly<Record<string, unknown>>

/** What is read by people. */
const read = ['children', 'title', 'aria-label', 'alt', 'label', 'placeholder'] as const

const letters = (value: unknown): unknown =>
  typeof value === 'string' ? withNumbers(value) : value

function lettered(value: unknown): unknown {
  if (!Array.isArray(value)) return letters(value)
  return value.some((each) => letters(each) !== each) ? value.map(letters) : value
}

/** The same object where nothing has to be changed: most have nothing. */
function readable(props: Props): Props {
  const changed = read.filter((name) => lettered(props[name]) !== props[name])
  if (changed.length === 0) return props
  return { ...props, ...Object.fromEntries(changed.map((name) => [name, lettered(props[name])])) }
}

type Make = (type: Parameters<typeof make>[0], props: Props, key?: Key) => ReactElement

export const jsx: Make = (type, props, key) => make(type, readable(props), key)
export const jsxs: Make = (type, props, key) => makeWithChildren(type, readable(props), key)

/** While the page is being written, Vite makes elements with this. */
export const jsxDEV = (
  type: Parameters<Make>[0],
  props: Props,
  key?: Key,
  hasFixedChildren = false,
): ReactElement => (hasFixedChildren ? jsxs : jsx)(type, props, key)

/**
 * Text as it was written, for sentences of people and agents: not for code, commands, file names or
 * names. No language needs overrides.
 */
export const prose = (text: string): ReactNode =>
  createElement(Fragment, null, text.replaceAll(/[\u202d\u202e]/g, withNumbers))
