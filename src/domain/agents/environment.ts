/**
 * The environment of an agent holds keys, so its values never leave the server (SE7). Readers see a
 * mask, and may send it back to keep a value. Values are stored sealed (SE12). Pure.
 */

/** A stored value, sealed with the key of this id. */
export interface SealedValue {
  readonly key: string
  readonly sealed: string
}

/** Plain text only as written by an earlier build, until the next start seals it. */
export type StoredValue = SealedValue | string
export type StoredEnvironment = Readonly<Record<string, StoredValue>>

export const masked = (environment: StoredEnvironment, mask: string): Record<string, string> =>
  Object.fromEntries(Object.keys(environment).map((name) => [name, mask]))

/**
 * Replaces the environment, keeping masked values. Returns the name of a masked variable that has
 * no stored value, because storing the mask would pass it to the agent as its key.
 */
export function unmasked<Sent>(
  sent: Readonly<Record<string, Sent>>,
  stored: StoredEnvironment,
  mask: string,
):
  | { environment: Readonly<Record<string, Exclude<Sent, string> | StoredValue>> }
  | { nothingToKeep: string } {
  const resolved: [string, Exclude<Sent, string> | StoredValue][] = []
  for (const [name, value] of Object.entries(sent)) {
    if (value === mask && !Object.hasOwn(stored, name)) return { nothingToKeep: name }
    resolved.push([
      name,
      value === mask ? (stored[name] ?? '') : (value as Exclude<Sent, string> | StoredValue),
    ])
  }
  return { environment: Object.fromEntries(resolved) }
}

/** Variables that cannot be opened with this key alone. */
export const sealedOtherwise = (
  environment: StoredEnvironment,
  key: string | undefined,
): string[] =>
  Object.entries(environment).flatMap(([name, value]) =>
    typeof value !== 'string' && value.key !== key ? [name] : [],
  )

export const hasPlainValues = (environment: StoredEnvironment): boolean =>
  Object.values(environment).some((value) => typeof value === 'string')
