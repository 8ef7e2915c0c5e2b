/**
 * The environment an agent is started with holds keys, so its values never leave the server (SE7): readers see a mask in
 * their place and may send the mask back, meaning "keep what is there". Pure.
 */
type Environment = Readonly<Record<string, string>>

export const masked = (environment: Environment, mask: string): Record<string, string> =>
  Object.fromEntries(Object.keys(environment).map((name) => [name, mask]))

/**
 * The environment after it was replaced by what a reader sent, masks resolved; or the name of a variable that came with the
 * mask though nothing is stored under it: storing the mask itself would hand it to the agent as its key.
 */
export function unmasked(
  sent: Environment,
  stored: Environment,
  mask: string,
): { environment: Environment } | { nothingToKeep: string } {
  const resolved: [string, string][] = []
  for (const [name, value] of Object.entries(sent)) {
    if (value === mask && !Object.hasOwn(stored, name)) return { nothingToKeep: name }
    resolved.push([name, value === mask ? (stored[name] ?? '') : value])
  }
  return { environment: Object.fromEntries(resolved) }
}
