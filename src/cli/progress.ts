/**
 * Shows a progress indicator when a command takes over a second (CL2), on a terminal only; it is
 * removed at the end.
 */
import { type Clock, systemClock } from '../platform/time/clock.ts'
import { painter, type Terminal } from './terminal.ts'

export const quietMs = 1_000
const frameMs = 120
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

export interface Progress {
  /** Hides the indicator while a question is shown. */
  pause(): void
  resume(): void
  end(): void
}

export const noProgress: Progress = { pause: () => {}, resume: () => {}, end: () => {} }

export function startProgress(
  terminal: Terminal,
  label: string,
  clock: Clock = systemClock,
): Progress {
  const { stderr } = terminal
  const paint = painter(stderr, terminal.env)
  const startedAt = clock.now()
  let cancel = (): void => {}
  let drawn = false
  let over = false

  const draw = (frame: number): void => {
    const seconds = Math.floor((clock.now() - startedAt) / 1000)
    stderr.write(
      `\r\u001b[K${paint('cyan', frames[frame % frames.length] ?? '')} ${label} ${paint('dim', `${seconds} s`)}`,
    )
    drawn = true
    cancel = clock.after(frameMs, () => draw(frame + 1))
  }
  const wipe = (): void => {
    cancel()
    if (drawn) stderr.write('\r\u001b[K')
    drawn = false
  }
  const begin = (): void => {
    if (stderr.isTTY && !over) cancel = clock.after(quietMs, () => draw(0))
  }

  begin()
  const end = (): void => {
    over = true
    wipe()
  }
  return { pause: wipe, resume: begin, end }
}
