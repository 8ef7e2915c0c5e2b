/** Shows a new secret, the only time it is ever shown. */
import type { CommandContext } from '../context.ts'
import { fields } from '../table.ts'

export const secretOnce = (
  context: CommandContext,
  name: string,
  secret: string,
  use: string,
): string =>
  `\n${fields([[name, context.paint('bold', secret)]], context.paint)}\n\n  It is shown only now. ${context.hint(use)}`
