/** `holdfast completion`: prints a completion script for a shell. */

import { nearest } from '../../domain/nearest.ts'
import { localCommand } from '../command.ts'
import { completionPoints } from '../command-tree.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { completionScript, shells } from './completion-scripts.ts'
import { nameKinds, offeredNames } from './offered-names.ts'

async function printScript(context: CommandContext): Promise<void> {
  const kind = nameKinds.find((each) => each === context.text('names'))
  if (kind) {
    const found = await offeredNames(context.terminal, kind, context.text('line') ?? '')
    if (found.length > 0 || context.json) context.answer(found, () => found.join('\n'))
    return
  }
  const typed = context.optionalOperand(0)
  if (typed === undefined) throw usage('It is not clear which shell is meant.', `Name it: ${shells.join(', ')}.`)
  const shell = shells.find((each) => each === typed)
  if (!shell) throw usage(`There is no completion for ${typed}.`, `${hint(typed)}There is ${shells.join(', ')}.`)
  const script = completionScript(shell, completionPoints(await context.allCommands()))
  context.answer({ shell, script }, () => script.trimEnd())
}

const hint = (typed: string): string => {
  const close = nearest(typed, shells)
  return close ? `Did you mean ${close}? ` : ''
}

export const completion = localCommand(printScript)`
  Print a completion script for bash, zsh or fish
  [shell]  ${shells.join(', ')}
  --names <kind>  for the scripts: the names the server knows, a line each ${nameKinds}
  --line <text>  with --names: what was typed so far
  $ completion bash > ~/.local/share/bash-completion/completions/holdfast  for bash
  $ completion zsh > ~/.zfunc/_holdfast  for zsh, with ~/.zfunc in fpath
  $ completion fish > ~/.config/fish/completions/holdfast.fish  for fish`
