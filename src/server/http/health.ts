/** What `/healthz` says, whoever of us says it. */
export const health = (version: string) => ({ status: 'ok' as const, version })

export const healthText = (version: string): string => JSON.stringify(health(version))
