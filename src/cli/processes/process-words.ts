/** Processes, agent sessions and coordinators as the command line says them. Pure. */
import type { RunningAgent } from '../../client/running.ts'
import { tellsExit } from '../../protocol/notice-words.ts'
import type { Coordinator } from '../../protocol/processes/coordinator.ts'
import type { Process, ProcessEndReason } from '../../protocol/processes/process.ts'
import type { Style } from '../terminal.ts'

const reasons: Record<ProcessEndReason, string> = {
  exited: 'ended by itself',
  crashed: 'crashed',
  start_failed: 'could not be started',
  start_timeout: 'did not sign in in time',
  idle: 'was idle for too long',
  finished: 'had nothing more to do',
  stopped_by_person: 'stopped by a person',
  shutdown: 'Holdfast was stopped',
  leftover: 'left behind by a coordinator that died',
  coordinator_lost: 'its coordinator was taken over',
  withdrawn: 'not needed any more',
}

/** `stopped by a person, signal SIGTERM`, `crashed: It ended with exit code 1` */
export function whyEnded(process: Process): string {
  const { reason, exitCode, signal, detail } = process
  const ending =
    signal !== null
      ? `signal ${signal}`
      : exitCode !== null && exitCode !== 0
        ? `exit code ${exitCode}`
        : undefined
  const how = tellsExit(process) ? undefined : ending
  return [[reason && reasons[reason], how].filter(Boolean).join(', '), detail]
    .filter(Boolean)
    .join(': ')
}

/** Silence is not death: what a machine that is not heard of runs is said to be so (CO6). */
export function standingOf(process: Process, coordinators: readonly Coordinator[]): string {
  const { state, stopReason, coordinatorId } = process
  if (state === 'ended' || state === 'held') return state
  const machine = coordinators.find(({ id }) => id === coordinatorId)
  if (machine?.state === 'unreachable') return 'unreachable'
  return stopReason === null ? state : 'stopping'
}

function activityOf(
  { agentSession, process }: RunningAgent,
  coordinators: readonly Coordinator[],
): string {
  const standing = process && standingOf(process, coordinators)
  if (standing && standing !== 'running') return standing
  if (!agentSession) return process?.roleAgentId ? 'console' : 'signing in'
  return agentSession.state === 'active' ? agentSession.purpose : 'leaving'
}

export function doingOf(running: RunningAgent, coordinators: readonly Coordinator[]): string {
  const activity = activityOf(running, coordinators)
  return activity === 'held' && running.process?.detail
    ? `held: ${running.process.detail}`
    : activity
}

const styles: Record<string, Style> = {
  held: 'red',
  unreachable: 'yellow',
  chat: 'green',
  task: 'green',
  console: 'green',
}

export const styleOf = (running: RunningAgent, coordinators: readonly Coordinator[]): Style =>
  styles[activityOf(running, coordinators)] ?? 'reset'

/** `42 s`, `3 min 07 s`, `2 h 05 min`, `3 d 4 h` */
export function durationOf(fromMs: number, toMs: number): string {
  const two = (count: number): string => String(count).padStart(2, '0')
  const seconds = Math.max(0, Math.floor((toMs - fromMs) / 1000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (minutes < 1) return `${seconds} s`
  if (hours < 1) return `${minutes} min ${two(seconds % 60)} s`
  return hours < 24
    ? `${hours} h ${two(minutes % 60)} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
