/**
 * The lifecycle of a context: what one agent knows of one conversation, in its own session (ACP or pulling). Pure.
 *
 *   opening ──new, resumed, loaded──▶ open ──process gone──▶ asleep ──next turn──▶ opening
 *      any ──▶ ended: the conversation's generation passed, or it was deleted, unassigned, terminated
 *
 * A context belongs to exactly one conversation: whatever it holds may be read by everybody who can write there.
 */
export type ContextState = 'opening' | 'open' | 'asleep' | 'ended'
/** `pulled`: a pulling agent keeps the conversation in a session of its own. */
export type HowOpened = 'new' | 'resumed' | 'loaded' | 'pulled'

export type ContextEndReason =
  /** Cutover, reset, truncation or a new history: the agent's knowledge is out of date. */
  | 'generation'
  | 'deleted'
  | 'terminated'
  /** It could not be restored. */
  | 'useless'

/** Concurrent turns of one process. */
const maxTurnsOfProcess = 4

export interface WaitingTurn {
  readonly conversationKey: string
  readonly originKey: string
}

export interface HeldContext {
  readonly conversationKey: string
  readonly originKey: string
  /** Open in this process. */
  readonly isOpen: boolean
  readonly hasRunningTurn: boolean
  /** Its conversation continues in another context (CX4). It still occupies the process, but gets no turns. */
  readonly isOver: boolean
}

export interface ProcessFacts {
  /** Contexts of this process that have not ended. */
  readonly contexts: readonly HeldContext[]
  /** How many contexts it can hold; null: any number. */
  readonly contextLimit: number | null
  readonly runningTurns: number
  /** A context is being opened, so nothing else starts. */
  readonly isOpening: boolean
}

export type Dispatch<Turn> =
  | { readonly dispatch: Turn }
  /** The process can hold only one conversation, and another's turn is next: it must end. */
  | { readonly dispatch: 'make-room' }
  | { readonly dispatch: 'nothing' }

/**
 * Chooses which waiting turn (most urgent first, then oldest) starts in a process now. A context runs one turn at a time. Another
 * context is opened only while no turn runs, because some agents lose a running turn then.
 */
export function chooseDispatch<Turn extends WaitingTurn>(waiting: readonly Turn[], facts: ProcessFacts): Dispatch<Turn> {
  if (facts.isOpening || facts.runningTurns >= maxTurnsOfProcess) return { dispatch: 'nothing' }
  const { contextLimit, contexts, runningTurns } = facts
  for (const turn of waiting) {
    const held = contexts.find((each) => isFor(each, turn))
    if (held?.hasRunningTurn) continue
    if (held?.isOpen) return { dispatch: turn }
    if (runningTurns > 0) {
      // Prevents starvation: where the number of contexts is limited, the oldest is next.
      if (contextLimit !== null) return { dispatch: 'nothing' }
      continue
    }
    if (contextLimit === null || held || contexts.length < contextLimit) return { dispatch: turn }
    return { dispatch: 'make-room' }
  }
  return { dispatch: 'nothing' }
}

const isFor = (held: HeldContext, turn: WaitingTurn): boolean =>
  !held.isOver && held.conversationKey === turn.conversationKey && held.originKey === turn.originKey
