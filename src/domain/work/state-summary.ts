/**
 * The state of a work session in one line for a list (WK3). Made from its row alone, so that the line in an event stays correct.
 * Pure.
 */
import type { WorkSession } from './work-session-lifecycle.ts'

/** Characters of the description; the full text is beside it. */
const maxSummaryChars = 120

export interface SummaryFacts {
  readonly state: WorkSession['state']
  readonly interruptionReason: string | null
  readonly currentPhase: number | null
  readonly currentAgentRole: string | null
  readonly currentAgentType: string | null
  readonly currentTaskId: string | null
  readonly contextSummary: string | null
}

/** `interrupted (connection_error), phase 2, LEADER code, task_p2_code_003: jumping works, landing does not` */
export function stateSummary(facts: SummaryFacts): string {
  const { state, interruptionReason, currentPhase, currentTaskId } = facts
  const agent = [facts.currentAgentRole, facts.currentAgentType].filter(Boolean).join(' ')
  const parts = [
    interruptionReason === null ? state : `${state} (${oneLine(interruptionReason)})`,
    currentPhase === null ? '' : `phase ${currentPhase}`,
    oneLine(agent),
    currentTaskId ?? '',
  ]
  const said = oneLine(facts.contextSummary ?? '')
  return [parts.filter(Boolean).join(', '), said].filter(Boolean).join(': ')
}

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  const characters = Array.from(line.slice(0, 2 * maxSummaryChars + 2))
  return characters.length > maxSummaryChars ? `${characters.slice(0, maxSummaryChars - 1).join('')}…` : line
}
