/** Answer of `/healthz`, during startup and later. */
export const health = (version: string) => ({ status: 'ok' as const, version })
