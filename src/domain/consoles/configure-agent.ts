/** Settings of a running agent (AG6): its mode, its model and other options. Only offered values are accepted. Pure. */
import { refusalText } from '../because.ts'
import type { NoticeText } from '../notices.ts'

/** One change at a time. */
export type ConfigChange = { readonly modeId: string } | { readonly optionId: string; readonly value: string | boolean }

export interface Configurable {
  readonly modes: readonly { readonly id: string }[]
  readonly modeId: string | null
  readonly options: readonly {
    readonly id: string
    readonly value: string | boolean
    readonly values: readonly { readonly id: string }[]
  }[]
}

/** Limit of changes not yet answered. */
export const maxPendingChanges = 16

/** The field that is wrong and why; undefined: the agent offers it. */
export function notOffered(offers: Configurable, change: ConfigChange): { field: string; detail: NoticeText } | undefined {
  if ('modeId' in change) {
    if (offers.modes.some(({ id }) => id === change.modeId)) return undefined
    return { field: 'modeId', detail: without('noMode', change.modeId, offers.modes) }
  }
  const option = offers.options.find(({ id }) => id === change.optionId)
  if (!option) return { field: 'optionId', detail: without('noOption', change.optionId, offers.options) }
  const { value } = change
  const fits = typeof option.value === 'boolean' ? typeof value === 'boolean' : option.values.some(({ id }) => id === value)
  return fits ? undefined : { field: 'value', detail: notAmong(option.id, String(value), option.values) }
}

export function withChange<Offers extends Configurable>(offers: Offers, change: ConfigChange): Offers {
  if ('modeId' in change) return { ...offers, modeId: change.modeId }
  const { optionId, value } = change
  return { ...offers, options: offers.options.map((option) => (option.id === optionId ? { ...option, value } : option)) }
}

/** Returns the changes that set a restarted agent as it was before: one for each value that differs. */
export function changesTo(before: Configurable, now: Configurable): ConfigChange[] {
  const mode = before.modeId === null || before.modeId === now.modeId ? [] : [{ modeId: before.modeId }]
  const options = before.options.filter(({ id, value }) => now.options.find((option) => option.id === id)?.value !== value)
  return [...mode, ...options.map(({ id, value }) => ({ optionId: id, value }))].slice(0, maxPendingChanges)
}

const maxNamedValues = 20

function without(what: 'noMode' | 'noOption', id: string, things: readonly { readonly id: string }[]): NoticeText {
  return things.length === 0 ? refusalText(what, { id }) : refusalText(`${what}Among`, { id, offered: named(things) })
}

const notAmong = (id: string, value: string, things: readonly { readonly id: string }[]): NoticeText =>
  things.length === 0 ? refusalText('noValue', { id, value }) : refusalText('noValueAmong', { id, value, offered: named(things) })

const named = (things: readonly { readonly id: string }[]): string =>
  things
    .slice(0, maxNamedValues)
    .map(({ id }) => id)
    .join(', ')
