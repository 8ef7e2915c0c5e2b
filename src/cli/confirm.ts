/** Asks once before something irreversible, only where somebody can answer (CL2). */
import { createInterface } from 'node:readline/promises'
import { CommandFailure, declined, usage } from './failure.ts'
import { isInteractive, painter, type Terminal } from './terminal.ts'

/** Resolves when confirmed; throws otherwise. `loss` names what will be lost. */
export async function confirm(terminal: Terminal, question: string, loss: string): Promise<void> {
  if (!isInteractive(terminal))
    throw usage(`${question} ${loss} Nobody is here to answer.`, 'Add --yes to do it without being asked.')
  const paint = painter(terminal.stderr, terminal.env)
  const lines = createInterface({ input: terminal.stdin, output: terminal.stderr as NodeJS.WritableStream })
  try {
    let answered = false
    let exit: 'failed' | 'interrupted' = 'failed'
    lines.once('SIGINT', () => {
      exit = 'interrupted'
      lines.close()
    })
    const stopped = new Promise<string>((resolve) => {
      lines.once('close', () => {
        // Ends the line of a question left without Enter.
        if (!answered) terminal.stderr.write('\n')
        resolve('')
      })
    })
    const answer = await Promise.race([lines.question(`${paint('bold', question)} ${loss} ${paint('dim', '[y/N]')} `), stopped])
    answered = true
    if (!/^y(es)?$/i.test(answer.trim()))
      throw new CommandFailure(exit, 'Nothing was changed.', 'Answer y to go on, or add --yes.', declined)
  } finally {
    lines.close()
  }
}
