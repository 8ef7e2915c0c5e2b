/**
 * Shows the current step on a terminal until it ends, drawn at once: work in this process may block
 * later drawing (CL2).
 */
import { painter, type Terminal } from './terminal.ts'

export interface StepDisplay {
  update(detail: string): void
  end(): void
}

export function beginStep({ stderr, env }: Terminal, label: string): StepDisplay {
  const paint = painter(stderr, env)
  const draw = (detail: string): void => {
    if (stderr.isTTY)
      stderr.write(
        `\r\u001b[K${paint('cyan', '…')} ${label}${detail ? paint('dim', ` ${detail}`) : ''}`,
      )
  }
  draw('')
  return {
    update: draw,
    end: () => {
      if (stderr.isTTY) stderr.write('\r\u001b[K')
    },
  }
}
