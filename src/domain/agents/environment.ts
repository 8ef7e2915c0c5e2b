/**
 * The environment an agent is started with holds keys, so its values never leave the server (SE7): readers see a mask in
 * their place and may send the mask back, meaning "keep what is there". They are kept sealed (SE12). Pure.
 */

/** A value as it is kept: sealed with the key of this id. */
export interface SealedValue {
  readonly key: string
  readonly sealed: string
}

/** Text only where an earlier build has written it, until the next start seals it. */
export type StoredValue = SealedValue | string
export type StoredEnvironment = Readonly<Record<string, StoredValue>>

export const masked = (environment: StoredEnvironment, mask: string): Record<string, string> =>
  Object.fromEntries(Object.keys(environment).map((name) => [name, mask]))

/**
 * The environment after it was replaced by what a reader sent, masks resolved; or the name of a variable that came with the
 * mask though nothing is stored under it: storing the mask itself would hand it to the agent as its key.
 */
export function unmasked<Sent>(
  sent: Readonly<Record<string, Sent>>,
  stored: StoredEnvironment,
  mask: string,
): { environment: Readonly<Record<string, Exclude<Sent, string> | StoredValue>> } | { nothingToKeep: string } {
  const resolved: [string, Exclude<Sent, string> | StoredValue][] = []
  for (const [name, value] of Object.entries(sent)) {
    if (value === mask && !Object.hasOwn(stored, name)) return { nothingToKeep: name }
    resolved.push([name, value === mask ? (stored[name] ?? '') : (value as Exclude<Sent, string> | StoredValue)])
  }
  return { environment: Object.fromEntries(resolved) }
}

/** The variables that whoever has this key alone cannot open. */
export const sealedOtherwise = (environment: StoredEnvironment, key: string | undefined): string[] =>
  Object.entries(environment).flatMap(([name, value]) => (typeof value !== 'string' && value.key !== key ? [name] : []))

export const hasPlainValues = (environment: StoredEnvironment): boolean =>
  Object.values(environment).some((value) => typeof value === 'string')
