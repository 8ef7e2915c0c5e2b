/** The one comparison of a scope that is needed with those a caller has. */
import type { Caller } from '../../domain/access/caller.ts'
import type { Rights } from '../../domain/access/rights.ts'
import { allows, askFor, type Scope } from '../../domain/access/scopes.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'

/** Refuses who lacks a scope. `field`: what of the request needs it. */
export function requireScope(
  { scopes }: Pick<Caller, 'scopes'>,
  needed: Rights['scope'],
  field?: string,
): void {
  if (needed === 'anybody' || needed === 'nobody' || allows(scopes, needed)) return
  const scope = askFor[needed] ?? needed
  throw field === undefined
    ? new Refusal('missing_scope', refusalText('needsScope', { scope }), { scope })
    : new Refusal('missing_scope', refusalText('fieldNeedsScope', { field, scope }), {
        scope,
        field,
      })
}

/**
 * Refuses a field that only who manages may choose. Without scopes the caller is the server itself.
 */
export function requireManage(
  scopes: readonly Scope[] | undefined,
  field: string | undefined,
): void {
  if (field !== undefined && scopes !== undefined) requireScope({ scopes }, 'manage', field)
}
