/**
 * The hosts that a sandbox kept shut while an agent started (SB7), as the notice of its failure
 * names them. A name that is none of a host is left out. Pure.
 */

const isHost = (name: string): boolean => /^[a-z0-9][a-z0-9.-]*(:\d+)?$/.test(name)

/** The notice may stand in others, which tell of the turn. */
export function refusedHosts(notice: unknown): readonly string[] {
  if (typeof notice !== 'object' || notice === null) return []
  const { code, params } = notice as { code?: unknown; params?: Readonly<Record<string, unknown>> }
  const hosts = code === 'hostsRefused' ? params?.['hosts'] : undefined
  const named = typeof hosts === 'string' ? hosts.split(', ').filter(isHost) : []
  const inside = Object.values(params ?? {}).flatMap(refusedHosts)
  return [...new Set([...named, ...inside])]
}
