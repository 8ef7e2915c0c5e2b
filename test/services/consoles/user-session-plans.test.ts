/**
 * US5: however many user sessions, agents and turns there are, each question is answered through an
 * index.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  selectAsked,
  selectPastDeadline,
  selectPendingOfTurn,
} from '../../../src/store/approvals/approvals.ts'
import { selectHeldUntil } from '../../../src/store/approvals/held-decisions.ts'
import {
  selectAsleepWithWork,
  selectCoordinatorsOf,
  selectDetached,
  selectLastOpened,
  selectLeavingSince,
  selectOccupant,
  selectOccupants,
  selectSpawningSince,
  selectWakingSince,
  userSessionsPage,
} from '../../../src/store/consoles/user-sessions.ts'
import type { Reader } from '../../../src/store/store.ts'
import { selectLimitedUntil } from '../../../src/store/turns/contexts.ts'
import {
  runningTurnsOn,
  settledPermissionsOn,
  turnEventsAfter,
} from '../../../src/store/turns/turn-items.ts'
import { selectOpenTurns, selectTurnsOver } from '../../../src/store/turns/turns.ts'
import { open } from '../projects/installation.ts'
import { planOf } from '../work/query-plan.ts'

const at = '2026-03-01T09:00:00.000Z'
const questions: readonly ((reader: Reader) => Promise<unknown>)[] = [
  (reader) => reader.all(selectOccupants, { userSessionId: 'u' }),
  (reader) => reader.first(selectOccupant, { userSessionId: 'u', role: 'r' }),
  (reader) => reader.first(selectLastOpened, { userSessionId: 'u', role: 'r', agentId: 'a' }),
  (reader) => reader.all(selectLeavingSince, { until: at, limit: 1 }),
  (reader) => reader.all(selectLimitedUntil, { until: at, limit: 1 }),
  (reader) => reader.all(selectSpawningSince, { until: at, limit: 1 }),
  (reader) => reader.all(selectWakingSince, { until: at, limit: 1 }),
  (reader) => reader.all(selectAsleepWithWork, { limit: 1 }),
  (reader) => reader.all(selectCoordinatorsOf, { userSessionId: 'u' }),
  (reader) => reader.all(selectOpenTurns, { roleAgentId: 'x' }),
  (reader) => reader.all(selectTurnsOver, { userSessionId: 'u', before: 9, limit: 1 }),
  (reader) => runningTurnsOn(reader, 'c'),
  (reader) => settledPermissionsOn(reader, 'c'),
  (reader) =>
    turnEventsAfter(reader, { stream: 'user-session:u', turnId: 't', startedSeq: 1 }).next(),
  (reader) => reader.all(selectDetached, { until: at, limit: 1 }),
  (reader) => userSessionsPage(reader, { accountId: null }, { createdAt: at, id: 'x', limit: 1 }),
  (reader) => reader.first(selectAsked, { launchId: 'l', askId: 'a' }),
  (reader) => reader.all(selectPendingOfTurn, { turnId: 't' }),
  (reader) => reader.all(selectPastDeadline, { now: at, limit: 1 }),
  (reader) => reader.all(selectHeldUntil, { now: at, limit: 1 }),
]

test('[US5] every question about user sessions goes through an index', async () => {
  const { folder } = await open()
  for (const ask of questions) {
    const plan = await planOf(join(folder, 'holdfast.db'), ask)
    expect(
      plan.filter((step) => /^SCAN/.test(step) && !step.includes('USING INDEX')),
      `${ask}`,
    ).toEqual([])
  }
})
