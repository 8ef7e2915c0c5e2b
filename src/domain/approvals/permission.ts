/**
 * Tool permissions (AP4): policies and answers. Options are chosen by kind: agents differ in order
 * and names. Pure.
 */

export type PermissionPolicy = 'ask' | 'allow_reads' | 'allow_all'
export type OptionKind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always' | 'other'

export interface Option {
  readonly optionId: string
  readonly kind: OptionKind
}

/**
 * Whether a permission request is a question (AP14): its options are not one answer each to allow
 * and to refuse. Several "always" beside one answer for this once are ordinary: agents offer
 * several durations.
 */
export function isChoice(options: readonly (Option & { readonly name: string })[]): boolean {
  const answersTo = (once: OptionKind, always: OptionKind): number => {
    const namesOf = (kind: OptionKind) =>
      new Set(options.flatMap((each) => (each.kind === kind ? [each.name] : []))).size
    return namesOf(once) || namesOf(always)
  }
  if (options.some(({ kind }) => kind === 'other')) return true
  return (
    answersTo('allow_once', 'allow_always') !== 1 || answersTo('reject_once', 'reject_always') !== 1
  )
}

/** Tools that change nothing. */
const reading: ReadonlySet<string> = new Set(['read', 'search', 'think'])

/**
 * Approves once. An agent's own "always" is never chosen by us, because only the agent knows what
 * it covers.
 */
const kinds = { allow: ['allow_once'], deny: ['reject_once', 'reject_always'] } as const

export function optionFor(choice: 'allow' | 'deny', options: readonly Option[]): string | null {
  for (const kind of kinds[choice]) {
    const found = options.find((each) => each.kind === kind)
    if (found) return found.optionId
  }
  return null
}

/** The option that the policy chooses; null: a person is asked. */
export function policyAnswer(
  policy: PermissionPolicy,
  toolKind: string,
  options: readonly Option[],
): string | null {
  if (policy === 'ask' || (policy === 'allow_reads' && !reading.has(toolKind))) return null
  return optionFor('allow', options)
}

/**
 * A person may choose an agent's own "always" for a mode change, or where it offers no other
 * approval.
 */
export const isKeptByAgent = (toolKind: string, options: readonly Option[]): boolean =>
  toolKind === 'switch_mode' || optionFor('allow', options) === null

/** Undefined: there is no such option. */
export function outcomeOf(
  optionId: string,
  options: readonly Option[],
): 'allowed' | 'denied' | undefined {
  const kind = options.find((each) => each.optionId === optionId)?.kind
  return kind && (kind.startsWith('allow') ? 'allowed' : 'denied')
}
