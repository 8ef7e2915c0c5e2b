/**
 * Stopping by signal (OP2): the first SIGINT, SIGTERM or SIGHUP asks for an orderly stop, which has ten seconds; a second one
 * hurries it, which ends the process at once unless it has something of its own to end first. Nothing else in the product listens to these signals.
 */
import { constants } from 'node:os'
import { type Clock, systemClock } from './clock.ts'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type StopSignal = (typeof stopSignals)[number]

/** OP2 gives ten seconds; the rest is for the process to go away. */
export const stopDeadlineMs = 9_500
/**
 * Ctrl-C under `npm start` arrives twice: from the terminal, which signals the whole group, and from npm, which passes it on.
 * The same signal again this soon is the same key press.
 */
export const sameKeyPressMs = 150

export interface StopOptions {
  /** Refuses new work, finishes what is in flight, closes. */
  readonly stop: (signal: StopSignal) => Promise<void>
  /** The second signal: what must not be left behind goes now. `wait` lets the stop come to its end; a third one ends it at once. */
  readonly hurry?: () => 'exit' | 'wait'
  /** Told when the stop failed or ran out of time; then the process ends with 1. */
  readonly onTrouble: (message: string, error?: unknown) => void
  readonly clock?: Clock
  readonly process?: Pick<NodeJS.Process, 'on' | 'off' | 'exit'>
}

/** Starts listening; the function returned stops it again. */
export function stopOnSignal(options: StopOptions): () => void {
  const { stop, hurry = () => 'exit', onTrouble, clock = systemClock, process: target = process } = options
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

/** For a program that does one thing: Ctrl-C asks it to leave off, a second one is not waited for. */
export function onInterrupt(callback: () => void): () => void {
  process.once('SIGINT', callback)
  return () => process.off('SIGINT', callback)
}
