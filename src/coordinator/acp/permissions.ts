/**
 * Permission requests of an agent (AP4): the request as shown to a person, the digest its answer is bound to, and the answer in
 * ACP terms. Options are chosen by kind, because vendors agree neither on order nor on ids.
 */
import type { RequestPermissionOutcome } from '@agentclientprotocol/sdk'
import { type PermissionKind, type PermissionRequest, permissionKinds } from '../../protocol/turns/agent-update.ts'
import { canonicalJson, digestOf } from './canonical-json.ts'
import { fieldsOf, lineOf, listOf, oneOf } from './read-fields.ts'
import type { ToolCalls } from './tool-calls.ts'

/** A chosen option, or the decision; `cancelled` with the turn. */
export type PermissionAnswer =
  | { readonly optionId: string }
  | { readonly choose: 'allow' | 'deny' }
  | { readonly choose: 'cancelled' }

/**
 * Undefined when the request is invalid or nested too deep to judge. Long values are shown cut, but the digest covers all of
 * them.
 */
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

/** Kinds by preference. "Always" is never chosen for an approval, because Holdfast keeps allowances itself (AG6). */
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
  // The agent offers no option for this decision.
  return { outcome: 'cancelled' }
}
