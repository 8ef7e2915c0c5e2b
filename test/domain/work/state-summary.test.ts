import { describe, expect, test } from 'vitest'
import { type SummaryFacts, stateSummary } from '../../../src/domain/work/work-session-lifecycle.ts'

const bare: SummaryFacts = {
  state: 'running',
  interruptionReason: null,
  currentPhase: null,
  currentAgentRole: null,
  currentAgentType: null,
  currentTaskId: null,
  contextSummary: null,
}

describe('the line about a work session', () => {
  test.each<[string, Partial<SummaryFacts>]>([
    ['running', {}],
    ['completed, phase 0', { state: 'completed', currentPhase: 0 }],
    [
      'interrupted (connection_error): halfway',
      { state: 'interrupted', interruptionReason: 'connection_error', contextSummary: 'halfway' },
    ],
    ['running, LEADER', { currentAgentRole: 'LEADER', contextSummary: ' \n ' }],
    [
      'running, phase 2, LEADER code, task_p2_code_003: jumping works, landing does not',
      {
        currentPhase: 2,
        currentAgentRole: 'LEADER',
        currentAgentType: 'code',
        currentTaskId: 'task_p2_code_003',
        contextSummary: 'jumping works,\r\n\tlanding does not ',
      },
    ],
  ])('[WK3] %s', (line, facts) => {
    expect(stateSummary({ ...bare, ...facts })).toBe(line)
  })

  test('[WK3] a long text is cut between characters', () => {
    const line = stateSummary({ ...bare, contextSummary: '🪢'.repeat(500) })
    expect(line).toBe(`running: ${'🪢'.repeat(119)}…`)
    expect(stateSummary({ ...bare, contextSummary: '承'.repeat(120) })).toBe(
      `running: ${'承'.repeat(120)}`,
    )
  })
})
