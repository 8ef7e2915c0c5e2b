import { describe, expect, test } from 'vitest'
import { agentIdFrom, messageId, projectId, workSessionId } from '../../src/domain/ids.ts'
import { instant } from '../../src/domain/instant.ts'
import { randomText } from '../../src/platform/secrets/randomness.ts'
import { ChosenId } from '../../src/protocol/text.ts'
import { anyCharacter, fc, property } from '../support/property.ts'

describe('ids', () => {
  test('[ID1] a project id is proj_, the day and six random letters or digits', () => {
    expect(projectId('2024-01-15T23:59:59.999Z', () => 'a1b2c3')).toBe('proj_20240115_a1b2c3')
  })

  test('[ID1] a work session id is sess_, the second and six random letters or digits', () => {
    expect(workSessionId('2024-01-15T14:30:00.999Z', () => 'x1y2z3')).toBe(
      'sess_20240115143000_x1y2z3',
    )
  })

  test('[ID1] a message id is msg_ and what tells it from all others', () => {
    expect(messageId('0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')).toBe(
      'msg_0190a1b2c3d47e5f8a9b0c1d2e3f4a5b',
    )
  })

  property.prop([fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })])(
    '[ID1] whatever the day, a project id has its form',
    (date) => {
      const at = instant(date.getTime())
      expect(projectId(at, randomText)).toMatch(
        new RegExp(`^proj_${at.slice(0, 10).replaceAll('-', '')}_[a-z0-9]{6}$`),
      )
    },
  )

  test('[ID1] the random part does not repeat itself', () => {
    const made = new Set(Array.from({ length: 1000 }, () => randomText(12)))
    expect(made.size).toBe(1000)
  })

  test('[ID1] an agent without a chosen id gets one from its name', () => {
    expect(agentIdFrom('Claude Code')).toBe('claude-code')
    expect(agentIdFrom('  Élan №1 / _test_ ')).toBe('elan-no1-test')
    expect(agentIdFrom('エージェント')).toBe('agent')
    expect(agentIdFrom('Claude Code', 2)).toBe('claude-code-2')
  })

  property.prop([
    fc.string({ unit: anyCharacter, maxLength: 200 }),
    fc.integer({ min: 1, max: 20 }),
  ])('[ID1] any name gives an id that a person could have chosen', (name, nth) => {
    expect(ChosenId.safeParse(agentIdFrom(name, nth)).success).toBe(true)
  })
})
