import { expect, test } from 'vitest'
import { durationMs, effectiveSettings } from '../../../src/domain/projects/settings.ts'

test('[NA10] a setting is a time in the unit its name says, fractions too', () => {
  const settings = effectiveSettings({ 'chat.soft_timeout_minutes': 0.1 })
  expect(durationMs(settings, 'chat.soft_timeout_minutes')).toBe(6000)
  expect(durationMs(settings, 'process_exit.grace_seconds')).toBe(10_000)
  expect(durationMs(settings, 'user_session.detached_hours')).toBe(86_400_000)
})
