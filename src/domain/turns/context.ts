/**
 * The life of a context: what one agent knows of one conversation, in its own session (ACP or pulling). Pure.
 *
 *   opening ──new, resumed, loaded──▶ open ──process gone──▶ asleep ──next turn──▶ opening
 *      any ──▶ ended: the conversation's generation passed, or it was deleted, unassigned, terminated
 *
 * A context belongs to exactly one conversation: whatever it holds may be read by everybody who can write there.
 */
export type ContextState = 'opening' | 'open' | 'asleep' | 'ended'
/** `pulled`: an agent that pulls its work holds the conversation in a session of its own. */
export type HowOpened = 'new' | 'resumed' | 'loaded' | 'pulled'

export type ContextEndReason =
  /** Cutover, reset, truncation or a new history: what the agent knew is not what the conversation holds any more. */
  | 'generation'
  | 'deleted'
  | 'terminated'
  /** It could not be brought back into use. */
  | 'useless'

/** Turns of one process that run side by side. */
const maxTurnsOfProcess = 4

export interface Waiting {
  readonly conversationKey: string
  readonly originKey: string
}

export interface Held {
  readonly conversationKey: string
  readonly originKey: string
  /** It is open in this very process. */
  readonly isOpen: boolean
  readonly hasRunningTurn: boolean
  /** Its conversation goes on without it (CX4): it takes its place, and no turn is for it. */
  readonly isOver: boolean
}

export interface ProcessFacts {
  /** Contexts of this process that have not ended. */
  readonly contexts: readonly Held[]
  /** How many contexts it can hold; null: any number. */
  readonly contextLimit: number | null
  readonly runningTurns: number
  /** One of its contexts is being opened: nothing else begins meanwhile. */
  readonly isOpening: boolean
}

export type Dispatch<Turn> =
  | { readonly dispatch: Turn }
  /** The process can hold only one conversation, and another's turn is next: it makes room. */
  | { readonly dispatch: 'make-room' }
  | { readonly dispatch: 'nothing' }

/**
 * Which of the waiting turns (most urgent first, then oldest) begins in a process now. A context with a running turn waits; opening
 * another waits until no turn runs in the process, because some agents lose a running turn when a session is opened beside it.
 */
export function chooseDispatch<Turn extends Waiting>(waiting: readonly Turn[], facts: ProcessFacts): Dispatch<Turn> {
  if (facts.isOpening || facts.runningTurns >= maxTurnsOfProcess) return { dispatch: 'nothing' }
  const { contextLimit, contexts, runningTurns } = facts
  for (const turn of waiting) {
    const held = contexts.find((each) => isFor(each, turn))
    if (held?.hasRunningTurn) continue
    if (held?.isOpen) return { dispatch: turn }
    if (runningTurns > 0) {
      // Who waits longest is not overtaken for ever: where only one conversation fits, it is next.
      if (contextLimit !== null) return { dispatch: 'nothing' }
      continue
    }
    if (contextLimit === null || held || contexts.length < contextLimit) return { dispatch: turn }
    return { dispatch: 'make-room' }
  }
  return { dispatch: 'nothing' }
}

const isFor = (held: Held, turn: Waiting): boolean =>
  !held.isOver && held.conversationKey === turn.conversationKey && held.originKey === turn.originKey
