/** Who sees what belongs to one person (SE28): consoles, and all that comes of them. Pure. */
import type { Who } from './caller.ts'

/** Whose eyes: an account, which sees its own and what is shared; null sees everything. */
export type Viewer = string | null

/**
 * Whose it is: an account's; null: everybody's; undefined: it is not there, or nobody knows whose
 * it is.
 */
export type Owner = string | null | undefined

/** Owners see everything. A script's account is its token. */
export const viewerOf = ({ id, scopes }: Pick<Who, 'id' | 'scopes'>): Viewer =>
  scopes.includes('manage') ? null : id

/** What is not there is not visible. */
export const isVisible = (viewer: Viewer, owner: Owner): boolean =>
  viewer === null || owner === null || owner === viewer
