/**
 * What an agent asks before it uses a tool (AP4): the question as a person can be shown it, the digest the answer is bound to,
 * and the answer in the agent's own words. Options are chosen by their kind, never by their place or id: no two vendors agree on those.
 */
import type { RequestPermissionOutcome } from '@agentclientprotocol/sdk'
import { type PermissionKind, type PermissionRequest, permissionKinds } from '../../protocol/turns/agent-update.ts'
import { canonicalJson, digestOf } from './canonical-json.ts'
import { fieldsOf, lineOf, listOf, oneOf } from './read-fields.ts'
import type { ToolCalls } from './tool-calls.ts'

/** An option that was shown, or what it comes to; `cancelled` when the turn is. */
export type PermissionAnswer =
  | { readonly optionId: string }
  | { readonly choose: 'allow' | 'deny' }
  | { readonly choose: 'cancelled' }

/** undefined when it makes no sense, or is nested so deep that nobody could judge it. What is long is shown cut, and bound as a whole. */
export function permissionRequestOf(params: unknown, calls: ToolCalls): PermissionRequest | undefined {
  const exact = canonicalJson(params)
  if (exact === undefined) return undefined
  const { toolCall, options: offered } = fieldsOf(params)
  const options = listOf(offered).flatMap(({ optionId, name, kind: said }) => {
    const kind = oneOf(permissionKinds, said)
    return typeof optionId === 'string' && optionId === lineOf(optionId) && kind
      ? [{ optionId, name: lineOf(name) ?? optionId, kind }]
      : []
  })
  const asked = options.length === 0 ? undefined : calls.forPermission(fieldsOf(toolCall))
  return asked && { ...asked, options, digest: digestOf(exact) }
}

/** In the order in which they are looked for. A yes is for this once: what is kept for always is kept by us (AG6). */
const kinds: Readonly<Record<'allow' | 'deny', readonly PermissionKind[]>> = {
  allow: ['allow_once'],
  deny: ['reject_once', 'reject_always'],
}

export function outcomeOf(answer: PermissionAnswer, options: PermissionRequest['options']): RequestPermissionOutcome {
  const optionId = 'optionId' in answer ? options.find((each) => each.optionId === answer.optionId)?.optionId : undefined
  if (optionId !== undefined) return { outcome: 'selected', optionId }
  const wanted = 'choose' in answer ? answer.choose : 'deny'
  if (wanted === 'cancelled') return { outcome: 'cancelled' }
  for (const kind of kinds[wanted]) {
    const found = options.find((each) => each.kind === kind)
    if (found) return { outcome: 'selected', optionId: found.optionId }
  }
  // There is no way to say no, or yes: nothing happens.
  return { outcome: 'cancelled' }
}
