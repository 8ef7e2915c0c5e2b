/** Result of one check of the doctor. */
export interface Check {
  readonly name: string
  /** ✓ good · ! works, but look at it · ✗ does not work */
  readonly state: 'good' | 'warning' | 'bad'
  readonly detail: string
  readonly next?: string
}

export const good = (name: string, detail: string): Check => ({ name, state: 'good', detail })
export const warning = (name: string, detail: string, next: string): Check => ({
  name,
  state: 'warning',
  detail,
  next,
})
export const bad = (name: string, detail: string, next: string): Check => ({
  name,
  state: 'bad',
  detail,
  next,
})
