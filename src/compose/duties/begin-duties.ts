/**
 * The duties of a cluster, all of them (SC5): what is done for everybody and needs to be done once. One node does them at a time
 * (duty-lease.ts). Each is begun anew with the lease, as after a start: time in which nobody swept ends nothing.
 */
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { ConfigValues } from '../../protocol/config.ts'
import type { Figures } from '../../server/http/figures.ts'
import type { OpenDoors } from '../../server/open-doors.ts'
import type { Store } from '../../store/store.ts'
import { AgentSessionSweeper } from './agent-session-sweeper.ts'
import { checkpointSaving } from './checkpoint-saver.ts'
import { clearing } from './clearing.ts'
import { Cutover } from './cutover.ts'
import { type Duty, keepDoing } from './duty.ts'
import { keepChannels } from './keep-channels.ts'
import { LaunchSweeper } from './launch-sweeper.ts'
import { PanelSweeper } from './panel-sweeper.ts'
import { UserSessionSweeper } from './user-session-sweeper.ts'
import { WorktreeRemover } from './worktree-remover.ts'

export interface DutyParts {
  readonly store: Store
  readonly logger: Logger
  readonly config: ConfigValues
  readonly doors: Pick<OpenDoors, 'launches' | 'lastSeen' | 'held' | 'worktrees'>
  readonly figures: Figures
}

/** The function returned stops them when what was begun is done. */
export async function beginDuties(parts: DutyParts, clock: Clock): Promise<() => Promise<void>> {
  const { store, logger, config, doors } = parts
  const { launches, lastSeen, held } = doors
  const duties: readonly Duty[] = [
    new AgentSessionSweeper({ store, clock, logger, lastSeen }),
    new LaunchSweeper({
      store,
      clock,
      logger,
      launches,
      lastSeen,
      held,
      unreachableSeconds: config['coordinator.unreachable_seconds'],
      takeoverMinutes: config['coordinator.takeover_minutes'],
    }),
    new UserSessionSweeper({ store, clock, logger }),
    new PanelSweeper({ store, clock, logger }),
    new Cutover({ store, logger }),
    checkpointSaving(store, clock),
    clearing(store),
    new WorktreeRemover({ store, logger, worktrees: doors.worktrees }),
  ]
  const stops = duties.map((duty) => keepDoing(duty, { clock, logger }))
  if (config['telegram.token'] !== null) stops.push(keepChannels({ ...parts, clock }))
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
  }
}
