/**
 * Says what is being done, from its beginning, on a terminal only; gone without a trace when it is over. For what works in this
 * process and may keep it too busy to draw anything later (CL2).
 */
import { painter, type Terminal } from './terminal.ts'

export interface Step {
  /** How far it has come. */
  update(detail: string): void
  end(): void
}

export function beginStep({ stderr, env }: Terminal, label: string): Step {
  const paint = painter(stderr, env)
  const draw = (detail: string): void => {
    if (stderr.isTTY) stderr.write(`\r\u001b[K${paint('cyan', '…')} ${label}${detail ? paint('dim', ` ${detail}`) : ''}`)
  }
  draw('')
  return {
    update: draw,
    end: () => {
      if (stderr.isTTY) stderr.write('\r\u001b[K')
    },
  }
}
