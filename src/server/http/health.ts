/** Answer of `/healthz`, during startup and later. */
export const health = (version: string) => ({ status: 'ok' as const, version })

export const healthText = (version: string): string => JSON.stringify(health(version))
