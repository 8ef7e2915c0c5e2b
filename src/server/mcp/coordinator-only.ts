/** Who may report what processes do: coordinators, and people who could make themselves a coordinator's token. */
import { allows } from '../../domain/access/scopes.ts'
import { Refusal } from '../../domain/errors.ts'
import type { ToolCall } from './tool.ts'

export function coordinatorOnly({ presented: { who } }: ToolCall): void {
  if (allows(who.scopes, 'coordinator')) return
  throw new Refusal('missing_scope', 'This tool is for coordinators', { scope: 'coordinator' })
}
