/** For how long a browser stays signed in (SE1). Pure. */
import { type Instant, later } from '../instant.ts'

const dayMs = 24 * 3_600_000

export interface SignInRules {
  /** Since it was last used. */
  readonly idleMs: number
  /** Since it signed in, however much it is used. */
  readonly mostMs: number
}

export const signInRules = (idleDays: number, mostDays: number): SignInRules => ({
  idleMs: idleDays * dayMs,
  mostMs: mostDays * dayMs,
})

export function endOfSignIn(
  { idleMs, mostMs }: SignInRules,
  since: Instant,
  usedAt: Instant,
): Instant {
  const [idle, most] = [later(usedAt, idleMs), later(since, mostMs)]
  return idle < most ? idle : most
}
