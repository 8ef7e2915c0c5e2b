/**
 * Permissions for tools (AP4): what a policy answers by itself, and what an answer comes to. Pure. Options are chosen by their kind,
 * never by their place or name: no two agents agree on those.
 */

export type PermissionPolicy = 'ask' | 'allow_reads' | 'allow_all'
export type OptionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always'

export interface Option {
  readonly optionId: string
  readonly kind: OptionKind
}

/** What a tool does that changes nothing. */
const reading: ReadonlySet<string> = new Set(['read', 'search', 'think'])

/** A yes is for this once: an agent's own "always" is never chosen for a person, since the agent alone knows what it covers. */
const kinds = { allow: ['allow_once'], deny: ['reject_once', 'reject_always'] } as const

export function optionFor(choice: 'allow' | 'deny', options: readonly Option[]): string | null {
  for (const kind of kinds[choice]) {
    const found = options.find((each) => each.kind === kind)
    if (found) return found.optionId
  }
  return null
}

/** The option that the policy chooses; null: a person is asked. */
export function policyAnswer(policy: PermissionPolicy, toolKind: string, options: readonly Option[]): string | null {
  if (policy === 'ask' || (policy === 'allow_reads' && !reading.has(toolKind))) return null
  return optionFor('allow', options)
}

/** An agent's own "always", chosen by a person, is told to the agent: of a change of its mode, or where it offers no other yes. */
export const isKeptByAgent = (toolKind: string, options: readonly Option[]): boolean =>
  toolKind === 'switch_mode' || optionFor('allow', options) === null

/** undefined: there is no such option. */
export function outcomeOf(optionId: string, options: readonly Option[]): 'allowed' | 'denied' | undefined {
  const kind = options.find((each) => each.optionId === optionId)?.kind
  return kind && (kind.startsWith('allow') ? 'allowed' : 'denied')
}
