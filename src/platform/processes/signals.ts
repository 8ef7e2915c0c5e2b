/**
 * Stops on signals (OP2): the first SIGINT, SIGTERM or SIGHUP starts an orderly stop with a limit
 * of ten seconds; a second one ends the process at once, unless something must be ended first. No
 * other code listens to these signals.
 */
import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { type Clock, systemClock } from '../time/clock.ts'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type StopSignal = (typeof stopSignals)[number]

/** OP2 allows ten seconds; the rest is for the process to exit. */
export const stopDeadlineMs = 9_500
/**
 * Ctrl-C under `npm start` arrives twice, from the terminal and from npm: the same signal within
 * this time is one key press.
 */
export const sameKeyPressMs = 150

export interface StopOptions {
  /** Refuses new work, finishes what is in flight, closes. */
  readonly stop: (signal: StopSignal) => Promise<void>
  /**
   * Called on the second signal to end what must not stay. `wait` lets the stop finish; a third
   * signal ends it at once.
   */
  readonly hurry?: () => 'exit' | 'wait'
  /** Called when the stop failed or timed out; then the process exits with 1. */
  readonly onTrouble: (message: string, error?: unknown) => void
  readonly clock?: Clock
  readonly process?: Pick<NodeJS.Process, 'on' | 'off' | 'exit'>
}

/** Starts listening; the returned function stops it. */
export function stopOnSignal(options: StopOptions): () => void {
  const {
    stop,
    hurry = () => 'exit',
    onTrouble,
    clock = systemClock,
    process: target = process,
  } = options
  let hurried = false
  let first: { readonly signal: StopSignal; readonly at: number } | undefined

  const listener = (signal: StopSignal): void => {
    if (!first) {
      first = { signal, at: clock.now() }
      void stopInOrder(signal)
    } else if (signal !== first.signal || clock.now() - first.at > sameKeyPressMs) {
      const ends = hurried || hurry() === 'exit'
      hurried = true
      if (ends) target.exit(128 + constants.signals[signal])
    }
  }

  const stopInOrder = async (signal: StopSignal): Promise<void> => {
    clock.after(stopDeadlineMs, () => {
      onTrouble(`It did not stop within ${stopDeadlineMs / 1000} s; what was in flight is cut off.`)
      target.exit(1)
    })
    try {
      await stop(signal)
      target.exit(0)
    } catch (error) {
      onTrouble('It could not stop in order.', error)
      target.exit(1)
    }
  }

  for (const signal of stopSignals) target.on(signal, listener)
  return () => {
    for (const signal of stopSignals) target.off(signal, listener)
  }
}

/**
 * Kills a child with everything it started; it was started with `detached`, where there are groups.
 */
export function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // Already ended.
  }
}

/** For a command: the first Ctrl-C asks it to stop, the second ends it. */
export function onInterrupt(callback: () => void): () => void {
  process.once('SIGINT', callback)
  return () => process.off('SIGINT', callback)
}
