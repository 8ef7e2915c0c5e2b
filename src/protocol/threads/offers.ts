/**
 * What an agent offers to be set, and how it is set (AG6): mode, model and other options, commands,
 * use of its context window. Pure.
 */
import type { Notice } from '../notice-words.ts'
import type { AgentMode, AgentOption, AgentUpdate } from '../turns/agent-update.ts'
import type { ConfigChange } from '../turns/config-change.ts'

export type AgentCommand = Extract<AgentUpdate, { kind: 'commands' }>['commands'][number]

export interface Offers {
  readonly mode: string | null
  readonly modes: readonly AgentMode[]
  readonly options: readonly AgentOption[]
  readonly images: boolean
  readonly commands: readonly AgentCommand[]
  /** Asked of it and not answered yet. */
  readonly asked: readonly ConfigChange[]
  /** Why it did not set what it was asked to, last. */
  readonly notSet: { readonly text: string; readonly notice?: Notice | null | undefined } | null
  readonly usage: {
    readonly used: number
    readonly size: number
    readonly cost: string | null
  } | null
}

export const noOffers: Offers = {
  mode: null,
  modes: [],
  options: [],
  images: false,
  commands: [],
  asked: [],
  notSet: null,
  usage: null,
}

/** The change that an update about no turn makes; none for others. */
export function offersAfter(update: AgentUpdate): Partial<Offers> {
  switch (update.kind) {
    case 'mode':
      return { mode: update.modeId }
    case 'usage':
      return { usage: { used: update.used, size: update.size, cost: update.cost } }
    case 'options':
      return { options: update.options }
    case 'commands':
      return { commands: update.commands }
    default:
      return {}
  }
}

interface Configured {
  readonly change: ConfigChange
  readonly error: string | null
  readonly notice?: Notice | null | undefined
}

export function configured(offers: Offers, { change, error, notice }: Configured): Partial<Offers> {
  const index = offers.asked.findIndex((each) => JSON.stringify(each) === JSON.stringify(change))
  const left = offers.asked.toSpliced(index < 0 ? 0 : index, 1)
  if (error !== null) return { asked: left, notSet: { text: error, notice } }
  if ('modeId' in change) return { asked: left, mode: change.modeId }
  const options = offers.options.map((option) =>
    option.id === change.optionId ? { ...option, value: change.value } : option,
  )
  return { asked: left, options }
}
