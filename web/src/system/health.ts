/** Asks the server whether it lives and whether its store is ready (HT5). */
export interface Health {
  readonly alive: boolean
  readonly ready: boolean
  readonly version: string | undefined
  readonly at: string
}

const patienceMs = 5000

export async function readHealth(): Promise<Health> {
  const [alive, ready] = await Promise.all([ask('/healthz'), ask('/readyz')])
  return { alive: alive.ok, ready: ready.ok, version: alive.version, at: new Date().toISOString() }
}

async function ask(path: string): Promise<{ ok: boolean; version?: string }> {
  try {
    const response = await fetch(path, {
      signal: AbortSignal.timeout(patienceMs),
      cache: 'no-store',
    })
    const body: unknown = await response.json().catch(() => undefined)
    const version = (body as { version?: unknown } | undefined)?.version
    return { ok: response.ok, ...(typeof version === 'string' && { version }) }
  } catch {
    return { ok: false }
  }
}
